import { forgeFields, pullRequestFields } from '@docyard/api/constants';
import type { Forge, ForgeKind, PrDetails } from '../../ports/forge.ts';
import type { AgentRun } from '../agent-run.ts';

/**
 * Adds the labels, reviewers and assignees of the project to a new pull request. Later runs leave it to its
 * reviewers. Resolves with a note for everything that was not added.
 */
export async function addDetails(run: AgentRun, forge: Forge, number: number): Promise<string[]> {
  const { earlier, input } = run;
  const before = earlier.findLast(({ pullRequest }) => pullRequest?.number === number);
  if (before !== undefined) return before.result?.notes ?? [];
  const notes = await forge.addDetails(number, detailsOf(run), input.signal);
  return [...missingFields(run, forge.kind), ...notes];
}

export function missingFields(run: AgentRun, kind: ForgeKind): string[] {
  const details = detailsOf(run);
  return pullRequestFields
    .filter((field) => details[field].length > 0 && !forgeFields[kind].includes(field))
    .map((field) => `Cannot add the ${field} of the project: the forge has none.`);
}

/** Those of the project, with the reviewers of the job. */
function detailsOf({ rules, request }: AgentRun): PrDetails {
  const { pullRequest } = rules;
  const { users = [], teams = [] } = request.reviewers ?? {};
  return {
    ...pullRequest,
    reviewers: [...new Set([...pullRequest.reviewers, ...users])],
    teams: [...new Set([...pullRequest.teams, ...teams])],
  };
}
