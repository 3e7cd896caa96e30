/** Opens the code that the agent of a run reads, at the commits that the journal has. */
import { join } from 'node:path';
import { policyFor } from '../egress/rules.ts';
import { tenantOf } from '../jobs/store.ts';
import { borrowContextCredential } from '../projects/context-repositories.ts';
import type { AgentRun } from './agent-run.ts';
import { openCode, type WantedRepository } from './code/open-code.ts';
import type { Code, ToolContext } from './contract.ts';
import { findStep, type StepOf } from './replay.ts';

type Prepared = StepOf<'prepared'>;

/** Undefined without context repositories, and once the change was judged. */
export async function openCodeOf(run: AgentRun, known: Prepared | undefined): Promise<Code | undefined> {
  const { context, journal, request, input } = run;
  const repositories = known === undefined ? tipsOf(run) : pinsOf(known);
  if (repositories.length === 0 || findStep(journal.steps, 'judged') !== undefined) return undefined;
  const { repository: docsRepository, allowLocal } = request.source;
  const tenant = tenantOf(run.job);
  return openCode({
    folder: join(run.folder, 'code'),
    repositories,
    change: request.triggeringChange ?? null,
    allowLocal,
    async credentialFor(repository) {
      const place = { ...tenant, docsRepository };
      const credential = await borrowContextCredential(context, place, repository, input.signal);
      // Masked before any other code receives it.
      if (credential !== null) run.secrets.add(credential.secret);
      return credential;
    },
    egress: policyFor(context.config.egress, 'source', tenant),
    signal: input.signal,
  });
}

function tipsOf({ rules }: AgentRun): WantedRepository[] {
  return rules.contextRepositories.map((repository) => ({ ...repository, commit: null }));
}

function pinsOf({ code = [] }: Prepared): WantedRepository[] {
  return code.map((repository) => ({ ...repository, ref: null }));
}

/** Recorded, so that a change of the settings does not change a run that resumes. */
export function codeFacts({ code, rules }: AgentRun): Pick<Prepared, 'code' | 'requiresEvidence'> {
  const requiresEvidence = rules.requireEvidence ?? code !== undefined;
  return {
    ...(code === undefined ? {} : { code: [...code.repositories] }),
    ...(requiresEvidence ? { requiresEvidence } : {}),
  };
}

/** Undefined if the run needs none. */
export function evidenceRule({ journal }: AgentRun): ToolContext['evidence'] {
  const { code, requiresEvidence = false } = findStep(journal.steps, 'prepared') ?? {};
  return code === undefined && !requiresEvidence ? undefined : { isRequired: requiresEvidence };
}
