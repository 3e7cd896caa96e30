/** Who reviews the proposal of a run. */
import type { AutomationDefinition } from '@docyard/api';
import type { Context } from '../context.ts';
import { ForgeError } from '../ports/forge.ts';
import { SourceError } from '../ports/sources.ts';
import type { ProjectRecord } from '../projects/find-project.ts';
import { codeOwnersFiles, ownersOf, type Owners } from './code-owners.ts';
import type { EventDetails } from './events.ts';
import { repositoryUrl } from './match.ts';
import { readRepositoryFiles } from './repositories.ts';

const maxReviewers = 15;
const maxFileBytes = 500_000;
const noOwners: Owners = { users: [], teams: [] };

/** A file of owners that cannot be read names no reviewers: it does not stop the run. */
export async function readReviewers(
  context: Context,
  given: { project: ProjectRecord; automation: AutomationDefinition; details: EventDetails },
  signal: AbortSignal,
): Promise<Owners> {
  const { reviewers } = given.automation;
  if (reviewers === undefined) return noOwners;
  const found =
    reviewers === 'codeowners'
      ? await readCodeOwners(context, given, signal)
      : reviewers === 'author'
        ? { users: [given.details.change?.author ?? []].flat(), teams: [] }
        : namedOwners(reviewers);
  // Forges name a team without its organization.
  const teams = found.teams.map((name) => name.slice(name.lastIndexOf('/') + 1));
  return { users: found.users.slice(0, maxReviewers), teams: teams.slice(0, maxReviewers) };
}

function namedOwners(names: readonly string[]): Owners {
  const plain = names.map((name) => name.replace(/^@/, ''));
  return {
    users: plain.filter((name) => !name.includes('/')),
    teams: plain.filter((name) => name.includes('/')),
  };
}

/** After a merge those of the changed code, otherwise those of the docs in the scope. */
async function readCodeOwners(
  context: Context,
  {
    project,
    automation,
    details: { change },
  }: { project: ProjectRecord; automation: AutomationDefinition; details: EventDetails },
  signal: AbortSignal,
): Promise<Owners> {
  const { merged } = automation.on;
  const isCode = merged !== undefined && change !== undefined;
  const repository = isCode ? repositoryUrl(merged.repository, project.repository) : project.repository;
  const paths = isCode ? (change.changedPaths ?? []) : docsPaths(project, automation);
  if (paths.length === 0) return noOwners;
  try {
    const wanted = { project, repository, ref: null, paths: codeOwnersFiles, maxBytes: maxFileBytes };
    const { files } = await readRepositoryFiles(context, wanted, signal);
    const name = codeOwnersFiles.find((each) => files.has(each));
    return name === undefined ? noOwners : ownersOf(files.get(name) ?? '', paths);
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof SourceError || error instanceof ForgeError)) throw error;
    context.log.info({ projectId: project.id, reason: error.message }, 'CODEOWNERS was not read');
    return noOwners;
  }
}

function docsPaths({ directory }: ProjectRecord, { scope }: AutomationDefinition): string[] {
  const root = directory === null ? '' : `${directory}/`;
  return (scope?.paths ?? ['docs.json']).map((path) => `${root}${path}`);
}
