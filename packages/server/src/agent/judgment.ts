/**
 * Two phases decide what may be proposed: the renderer reports what the change broke, then the policy judges
 * the diff. Neither calls a model.
 */
import { SiteCheckError, type EndReason, type SiteFinding, type Verdict } from './contract.ts';
import { exampleFinding } from './api-examples/finding.ts';
import { RunEndedError } from './ending.ts';
import { judgeEvidence } from './evidence/run-evidence.ts';
import { judgeChange } from './policy/gate.ts';
import { findStep } from './replay.ts';
import { changeOf, type AgentRun } from './agent-run.ts';
import { runSamplesOf } from './samples/run-samples.ts';
import { sampleNotes } from './samples/sample.ts';

/** Findings that mean there is no site to publish. */
const noSite = new Set(['config_syntax', 'config_shape', 'site_missing', 'site_unreadable', 'site_empty']);

export async function validate(run: AgentRun): Promise<undefined> {
  if (findStep(run.journal.steps, 'validated') !== undefined) return;
  if (run.site === undefined) throw new Error('The site check was not prepared.');
  const findings = await run.site.validate(run.input.signal).catch((error: unknown) => {
    if (!(error instanceof SiteCheckError)) throw error;
    return [uncheckable(error.message)];
  });
  const samples = await runSamplesOf(run);
  const { findingsBefore } = run.site;
  await run.journal.append({ kind: 'validated', findings, findingsBefore, ...(samples && { samples }) });
}

/** A site that cannot be checked is treated like one that does not build. */
function uncheckable(message: string): SiteFinding {
  return { severity: 'error', code: 'site_missing', message, file: '', line: null, hint: null, isNew: true };
}

export async function judge(run: AgentRun): Promise<EndReason | undefined> {
  const { journal } = run;
  if (findStep(journal.steps, 'judged') === undefined) {
    const { evidence, notes } = await judgeEvidence(run);
    const verdict = await verdictOn(run, notes);
    await journal.append({ kind: 'judged', verdict, ...(evidence.length > 0 ? { evidence } : {}) });
  }
  const verdict = findStep(journal.steps, 'judged')?.verdict;
  const blocking = verdict?.notes.find(({ outcome }) => outcome === 'block');
  if (verdict?.outcome === 'block') {
    const where = blocking?.path ? ` (${blocking.path})` : '';
    throw new RunEndedError(
      'policy_blocked',
      `The policy blocked the change${where}: ${blocking?.message ?? ''}`,
    );
  }
  return run.request.dryRun ? run.publishedReason() : undefined;
}

async function verdictOn(run: AgentRun, ofEvidence: Verdict['notes']): Promise<Verdict> {
  const { files } = (await changeOf(run)).whole;
  const { request, rules, input, survey } = run;
  if (survey === undefined) throw new Error('The repository was not surveyed before the run.');
  const verdict = await judgeChange(
    files,
    {
      docsRoot: '',
      scopePaths: request.scopePaths,
      allowedPaths: rules.allowedPaths,
      protectedPaths: rules.protectedPaths,
      allowedConfigKeys: rules.allowedConfigKeys,
      limits: request.limits,
      secrets: [...run.secrets],
      existing: survey,
    },
    input.signal,
  );
  const { findings = [], samples } = findStep(run.journal.steps, 'validated') ?? {};
  const ofSamples = samples === undefined ? [] : sampleNotes(samples);
  const notes = [...siteNotes(findings), ...verdict.notes, ...ofEvidence, ...ofSamples];
  const isBlocked = notes.some(({ outcome }) => outcome === 'block');
  return { outcome: isBlocked ? 'block' : notes.length > 0 ? 'draft' : verdict.outcome, notes };
}

const maxSiteNotes = 20;

function siteNotes(findings: readonly SiteFinding[]): Verdict['notes'] {
  return findings
    .filter(({ severity, code, isNew }) => isNew && (severity === 'error' || code === exampleFinding))
    .slice(0, maxSiteNotes)
    .map(({ code, file, message }) => ({
      rule: 'site',
      path: file === '' ? null : file,
      message: `${message} (${code})`,
      outcome: noSite.has(code) ? ('block' as const) : ('draft' as const),
    }));
}
