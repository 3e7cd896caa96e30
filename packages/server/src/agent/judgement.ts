/**
 * Two phases that decide what may be proposed: the real renderer says what the change broke, then the policy judges the
 * diff. Neither asks a model, and a site that does not build is never proposed.
 */
import { SiteCheckFailed, type EndReason, type SiteFinding, type Verdict } from './contract.ts';
import { RunEnded } from './ending.ts';
import { judgeChange } from './policy/gate.ts';
import { findStep } from './replay.ts';
import { changeOf, type AgentRun } from './running.ts';

/** Findings without which there is no site at all. */
const noSite = new Set(['config_syntax', 'config_shape', 'site_missing', 'site_unreadable', 'site_empty']);

export async function validate(run: AgentRun): Promise<undefined> {
  if (findStep(run.journal.steps, 'validated') !== undefined) return;
  if (run.site === undefined) throw new Error('The site was not prepared for its check.');
  const findings = await run.site.validate(run.input.signal).catch((error: unknown) => {
    if (!(error instanceof SiteCheckFailed)) throw error;
    return [uncheckable(error.message)];
  });
  await run.journal.append({ kind: 'validated', findings, findingsBefore: run.site.findingsBefore });
}

/** Nobody knows whether the site builds, which is as bad as knowing that it does not. */
function uncheckable(message: string): SiteFinding {
  return { severity: 'error', code: 'site_missing', message, file: '', line: null, hint: null, isNew: true };
}

export async function judge(run: AgentRun): Promise<EndReason | undefined> {
  const { journal } = run;
  if (findStep(journal.steps, 'judged') === undefined) {
    await journal.append({ kind: 'judged', verdict: await verdictOn(run) });
  }
  const verdict = findStep(journal.steps, 'judged')?.verdict;
  const blocking = verdict?.notes.find(({ outcome }) => outcome === 'block');
  if (verdict?.outcome === 'block') {
    const where = blocking?.path ? ` (${blocking.path})` : '';
    throw new RunEnded('policy_blocked', `The change is held back${where}: ${blocking?.message ?? ''}`);
  }
  return run.request.dryRun ? run.publishedReason() : undefined;
}

async function verdictOn(run: AgentRun): Promise<Verdict> {
  const { files } = (await changeOf(run)).whole;
  const { request, rules, input, survey } = run;
  if (survey === undefined) throw new Error('The repository was not looked at before the run.');
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
  const notes = [...siteNotes(findStep(run.journal.steps, 'validated')?.findings ?? []), ...verdict.notes];
  const isBlocked = notes.some(({ outcome }) => outcome === 'block');
  return { outcome: isBlocked ? 'block' : notes.length > 0 ? 'draft' : verdict.outcome, notes };
}

const mostSiteNotes = 20;

function siteNotes(findings: readonly SiteFinding[]): Verdict['notes'] {
  return findings
    .filter(({ severity, isNew }) => severity === 'error' && isNew)
    .slice(0, mostSiteNotes)
    .map(({ code, file, message }) => ({
      rule: 'site',
      path: file === '' ? null : file,
      message: `${message} (${code})`,
      outcome: noSite.has(code) ? ('block' as const) : ('draft' as const),
    }));
}
