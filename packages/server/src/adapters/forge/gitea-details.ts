/** Labels, reviewers and assignees on Gitea and Forgejo. */
import { z } from 'zod';
import { ForgeError, type PrDetails } from '../../ports/forge.ts';
import type { Api } from './api.ts';
import { addParts } from './pull-requests.ts';
import { encodedPath } from './repository.ts';

interface Target {
  owner: string;
  name: string;
  number: number;
  signal: AbortSignal;
}

const Labels = z.array(z.object({ id: z.int(), name: z.string() }));
const Assigned = z.object({ assignees: z.array(z.object({ login: z.string() })).nullish() });
const pageSize = 50;
const maxPages = 10;

export function addGiteaDetails(
  api: Api,
  { owner, name, number, signal }: Target,
  { labels, reviewers, teams, assignees }: PrDetails,
): Promise<string[]> {
  const repository = `/repos${encodedPath(owner, name)}`;
  const pull = `${repository}/pulls/${number}`;
  const post = (path: string, body: object) =>
    api.post({ path, body, answer: z.unknown(), isRepeatable: true, signal });
  let known: Promise<Map<string, number>> | undefined;
  const addLabel = async (label: string) => {
    known ??= readLabels(api, { owner, repository, signal });
    const id = (await known).get(label);
    if (id === undefined) throw new ForgeError('not_found', 'The repository does not have it.');
    // Names instead of ids need version 1.22.
    await post(`${repository}/issues/${number}/labels`, { labels: [id] });
  };
  const requestReview = (body: object) => post(`${pull}/requested_reviewers`, body);
  const assign = async (user: string) => {
    const { assignees: before } = await api.get({ path: pull, answer: Assigned, signal });
    const logins = (before ?? []).map(({ login }) => login);
    if (logins.includes(user)) return;
    await api.patch({ path: pull, body: { assignees: [...logins, user] }, answer: Assigned, signal });
  };
  return addParts([
    ...labels.map((label) => ({ name: `the label ${label}`, add: () => addLabel(label) })),
    ...reviewers.map((user) => ({
      name: `the reviewer ${user}`,
      add: () => requestReview({ reviewers: [user] }),
    })),
    ...teams.map((team) => ({
      name: `the team ${team}`,
      add: () => requestReview({ team_reviewers: [team] }),
    })),
    ...assignees.map((user) => ({ name: `the assignee ${user}`, add: () => assign(user) })),
  ]);
}

/** The ids of the labels of the repository and, if an organization owns it, of the organization. */
async function readLabels(
  api: Api,
  { owner, repository, signal }: { owner: string; repository: string; signal: AbortSignal },
): Promise<Map<string, number>> {
  const ofOrganization = await readPages(api, `/orgs${encodedPath(owner)}/labels`, signal).catch(
    (error: unknown) => {
      if (error instanceof ForgeError) return [];
      throw error;
    },
  );
  const ofRepository = await readPages(api, `${repository}/labels`, signal);
  return new Map([...ofOrganization, ...ofRepository].map(({ name, id }) => [name, id]));
}

async function readPages(api: Api, path: string, signal: AbortSignal): Promise<z.infer<typeof Labels>> {
  const all: z.infer<typeof Labels> = [];
  for (let page = 1; page <= maxPages; page++) {
    const query = { page: String(page), limit: String(pageSize) };
    const found = await api.get({ path, query, answer: Labels, signal });
    // A server may return fewer items than requested, so only an empty page is the last.
    if (found.length === 0) break;
    all.push(...found);
  }
  return all;
}
