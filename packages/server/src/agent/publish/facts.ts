/**
 * Gathers what the texts of a commit and a pull request say: from the journal and the diff, never from the model alone.
 */
import type { ForgeKind } from '../../ports/forge.ts';
import type { Usage } from '../contract.ts';
import { previewLink } from '../preview.ts';
import { findStep, usageOf } from '../replay.ts';
import { changeOf, type AgentRun } from '../running.ts';
import type { ChangeFacts } from './text.ts';

/** For the commit, whose text must be the same on every attempt: nothing in it is looked up elsewhere. */
export async function factsOf(run: AgentRun): Promise<ChangeFacts> {
  const { journal, context, request } = run;
  const { steps } = journal;
  const loop = findStep(steps, 'loop-ended');
  const validated = findStep(steps, 'validated');
  const base = context.config.publicUrl ?? '';
  return {
    jobId: run.jobId,
    prompt: run.prompt,
    title: loop?.title ?? '',
    summary: loop?.summary ?? '',
    reason: loop?.reason ?? 'internal',
    files: (await changeOf(run)).whole.files,
    earlier: earlierOf(run),
    findings: validated?.findings ?? [],
    findingsBefore: validated?.findingsBefore ?? null,
    verdict: findStep(steps, 'judged')?.verdict ?? { outcome: 'draft', notes: [] },
    usage: usageOfJob(run),
    model: request.model,
    previewUrl: previewLink(context.config, findStep(steps, 'previewed')?.exportId ?? null),
    messageUrl: `${base}/v2/agent/${run.job.project_id}/job/${run.jobId}/message`,
    template: null,
    secrets: [...run.secrets],
    requester: null,
  };
}

/** Whatever else the branch holds, oldest first. */
function earlierOf({ journal, earlier }: AgentRun): ChangeFacts['earlier'] {
  const numbers = findStep(journal.steps, 'prepared')?.earlierWork ?? [];
  return earlier
    .filter(({ number }) => numbers.includes(number))
    .map(({ prompt, title, summary }) => ({ prompt, title: title ?? '', summary: summary ?? '' }));
}

/** A pull request is about the whole job; so is what it cost. */
function usageOfJob({ journal, earlier }: AgentRun): Usage {
  const all = [usageOf(journal.steps), ...earlier.flatMap(({ usage }) => usage ?? [])];
  const sum = (of: keyof Usage) => all.reduce((total, usage) => total + usage[of], 0);
  return {
    inputTokens: sum('inputTokens'),
    outputTokens: sum('outputTokens'),
    cacheReadTokens: sum('cacheReadTokens'),
    steps: sum('steps'),
  };
}

const templates: Partial<Record<ForgeKind, readonly string[]>> = {
  github: ['.github/pull_request_template.md', '.github/PULL_REQUEST_TEMPLATE.md'],
  gitea: ['.gitea/pull_request_template.md', '.github/pull_request_template.md'],
  gitlab: ['.gitlab/merge_request_templates/Default.md'],
};

/** The repository's own form for pull requests, as its default branch has it. */
export async function readTemplate({ workspace }: AgentRun, kind: ForgeKind): Promise<string | null> {
  for (const path of templates[kind] ?? []) {
    const file = await workspace?.fileAt(null, path);
    if (file?.content !== undefined) return file.content;
  }
  return null;
}
