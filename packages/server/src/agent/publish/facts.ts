import { knownForge } from '../../git/forge-hosts.ts';
import { linesLink } from '../../git/forge-links.ts';
import type { ForgeKind } from '../../ports/forge.ts';
import { sourceText } from '../evidence/evidence.ts';
import { previewLink } from '../preview.ts';
import { findStep, sumUsage, usageOf } from '../replay.ts';
import { changeOf, type AgentRun } from '../agent-run.ts';
import type { ChangeFacts } from './text.ts';

/** Uses only the run and its journal, so that a repeated commit has the same text. Links need the kind of forge. */
export async function factsOf(run: AgentRun, forge: ForgeKind = 'bare'): Promise<ChangeFacts> {
  const { journal, context, request } = run;
  const { steps } = journal;
  const loop = findStep(steps, 'loop-ended');
  const prepared = findStep(steps, 'prepared');
  const validated = findStep(steps, 'validated');
  const base = context.config.publicUrl ?? '';
  return {
    jobId: run.jobId,
    prompt: run.prompt,
    title: loop?.title ?? '',
    summary: loop?.summary ?? '',
    reason: loop?.reason ?? 'internal',
    problem: loop?.problem ?? null,
    files: (await changeOf(run)).whole.files,
    earlier: earlierOf(run),
    baseBranch: prepared?.baseBranch ?? '',
    baseUpdate: prepared?.baseUpdate ?? null,
    findings: validated?.findings ?? [],
    findingsBefore: validated?.findingsBefore ?? null,
    verdict: findStep(steps, 'judged')?.verdict ?? { outcome: 'draft', notes: [] },
    usage: sumUsage([usageOf(steps), ...run.earlier.flatMap(({ usage }) => usage ?? [])]),
    model: request.model,
    previewUrl: previewLink(context.config, findStep(steps, 'previewed')?.exportId ?? null),
    messageUrl: `${base}/v2/agent/${run.job.project_id}/job/${run.jobId}/message`,
    template: null,
    evidence: shownEvidence(run, forge),
    samples: validated?.samples ?? null,
    secrets: [...run.secrets],
  };
}

function earlierOf({ journal, earlier }: AgentRun): ChangeFacts['earlier'] {
  const numbers = findStep(journal.steps, 'prepared')?.earlierWork ?? [];
  return earlier
    .filter(({ number }) => numbers.includes(number))
    .map(({ prompt, title, summary }) => ({ prompt, title: title ?? '', summary: summary ?? '' }));
}

function shownEvidence({ journal, request }: AgentRun, forge: ForgeKind): ChangeFacts['evidence'] {
  const origin = (repository: string) => URL.parse(repository)?.origin;
  return (findStep(journal.steps, 'judged')?.evidence ?? []).map(({ page, statement, sources }) => ({
    page,
    statement,
    sources: sources.map((source) => {
      const { code } = source;
      if (code === null) return { text: sourceText(source), url: null };
      const { repository, commit } = code;
      const isOnHostOfDocs = origin(repository) === origin(request.source.repository);
      const kind = isOnHostOfDocs ? forge : knownForge(URL.parse(repository)?.hostname ?? '');
      const url = kind === undefined ? undefined : linesLink({ ...source, kind, repository, commit });
      return { text: sourceText(source), url: url ?? null };
    }),
  }));
}

const templates: Partial<Record<ForgeKind, readonly string[]>> = {
  github: ['.github/pull_request_template.md', '.github/PULL_REQUEST_TEMPLATE.md'],
  gitea: ['.gitea/pull_request_template.md', '.github/pull_request_template.md'],
  gitlab: ['.gitlab/merge_request_templates/Default.md'],
};

export async function readTemplate({ workspace }: AgentRun, kind: ForgeKind): Promise<string | null> {
  const paths = templates[kind] ?? [];
  if (paths.length === 0 || workspace === undefined) return null;
  const files = await workspace.openRef(null);
  for (const path of paths) {
    const content = await files.read(path);
    if (content !== undefined) return content;
  }
  return null;
}
