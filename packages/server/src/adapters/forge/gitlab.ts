import { z } from 'zod';
import {
  ForgeError,
  type Forge,
  type ForgePr,
  type ForgeSettings,
  type PrDetails,
} from '../../ports/forge.ts';
import { connectApi, type Api, type Connection } from './api.ts';
import { basic, tokenAuthority, tokenOf } from './credentials.ts';
import { forkOf, knownFork } from './fork.ts';
import { openGitlabFork } from './gitlab-fork.ts';
import { gitlabReview } from './gitlab-review.ts';
import {
  addParts,
  findOrCreate,
  hasDraftPrefix,
  titleWithDraftMark,
  pageUrl,
  prNumber,
} from './pull-requests.ts';
import { apiBaseOf, encodedPath, parseRepository, withoutRoot } from './repository.ts';

const MergeRequest = z.object({
  /** The number in the project; `id` is unique in the installation. */
  iid: prNumber,
  web_url: pageUrl,
  title: z.string(),
  /** `locked`: the merge is in progress. */
  state: z.enum(['opened', 'closed', 'locked', 'merged']),
  draft: z.boolean().optional(),
  source_branch: z.string(),
  target_branch: z.string(),
  source_project_id: z.int().nullish(),
  target_project_id: z.int().nullish(),
});

export function gitlabForge(connection: Connection, settings: ForgeSettings): Forge {
  const repository = parseRepository(settings.repository);
  const base = apiBaseOf(settings, `${repository.url.origin}/api/v4`);
  const { credential } = settings;
  const api = connectApi(connection, {
    name: 'GitLab',
    base,
    authority: tokenAuthority(credential),
    errorText,
    isDuplicate: (status, details) => status === 409 && /already exists/i.test(details),
  });
  const ownPath = withoutRoot(repository, base, /\/api\/v4$/);
  const root = repository.parts.slice(0, -ownPath.length);
  const fork = forkOf(settings, repository, root);
  const project = projectAt(ownPath);
  const path = `${project}/merge_requests`;
  const idOf = async (at: string, signal: AbortSignal) =>
    (await api.get({ path: at, answer: z.object({ id: z.int() }), signal })).id;
  const forkProject = () => {
    const found = knownFork(fork);
    return found === null ? null : projectAt(withoutRoot(found, base, /\/api\/v4$/));
  };
  const read = (number: number, signal: AbortSignal) =>
    api.get({ path: `${path}/${number}`, answer: MergeRequest, signal });

  return {
    kind: 'gitlab',
    openFork: (signal) => openGitlabFork(api, { repository, fork, root, project }, signal),
    ...findOrCreate(
      {
        listOpen: async (head, signal) => {
          const query = { state: 'opened', source_branch: head, per_page: '20' };
          const found = await api.get({ path, query, answer: z.array(MergeRequest), signal });
          const from = forkProject();
          const source = from === null ? null : await idOf(from, signal);
          // Other forks may have a branch of the same name.
          return found
            .filter(
              (one) =>
                one.source_branch === head && one.source_project_id === (source ?? one.target_project_id),
            )
            .map(toPr);
        },
        create: async ({ head, base: target, title, body: description, draft }, signal) => {
          const wanted = {
            source_branch: head,
            target_branch: target,
            title: titleWithDraftMark(title, draft, 'Draft:'),
            description,
          };
          const from = forkProject();
          if (from === null)
            return toPr(await api.post({ path, body: wanted, answer: MergeRequest, signal }));
          const body = {
            ...wanted,
            target_project_id: await idOf(project, signal),
            allow_collaboration: true,
          };
          return toPr(await api.post({ path: `${from}/merge_requests`, body, answer: MergeRequest, signal }));
        },
      },
      connection,
    ),
    updatePr: async (number, { title, body, draft }, signal) => {
      const isDraft = draft === true || toPr(await read(number, signal)).draft;
      const wanted = { title: titleWithDraftMark(title, isDraft, 'Draft:'), description: body };
      return toPr(await api.put({ path: `${path}/${number}`, body: wanted, answer: MergeRequest, signal }));
    },
    prState: async (number, signal) => toPr(await read(number, signal)),
    addDetails: (number, details, signal) => addDetails(api, `${path}/${number}`, details, signal),
    ...gitlabReview({ api, project, repository: repository.url.href }),
    defaultBranch: async (signal) => {
      const answer = z.object({ default_branch: z.string().min(1).nullish() });
      return (await api.get({ path: project, answer, signal })).default_branch ?? null;
    },
    gitCredential: () => Promise.resolve(credential === null ? null : basic('oauth2', tokenOf(credential))),
  };
}

const Users = z.array(z.object({ id: z.int() }));
const MergeRequestUsers = z.object({ reviewers: Users.default([]), assignees: Users.default([]) });
const idFields = { reviewers: 'reviewer_ids', assignees: 'assignee_ids' } as const;

function addDetails(
  api: Api,
  path: string,
  { labels, reviewers, assignees }: PrDetails,
  signal: AbortSignal,
): Promise<string[]> {
  const answer = MergeRequestUsers;
  /** GitLab replaces the users as a whole. */
  const addUser = async (field: 'reviewers' | 'assignees', username: string) => {
    const [user] = await api.get({ path: '/users', query: { username }, answer: Users, signal });
    if (user === undefined) throw new ForgeError('not_found', 'GitLab does not know the user.');
    const before = (await api.get({ path, answer, signal }))[field].map(({ id }) => id);
    if (before.includes(user.id)) return;
    const after = await api.put({ path, body: { [idFields[field]]: [...before, user.id] }, answer, signal });
    if (after[field].some(({ id }) => id === user.id)) return;
    throw new ForgeError('rejected', 'GitLab ignores users without access, and some plans allow only one.');
  };
  return addParts([
    ...(labels.length === 0
      ? []
      : [
          {
            name: 'the labels',
            add: () => api.put({ path, body: { add_labels: labels.join(',') }, answer, signal }),
          },
        ]),
    ...reviewers.map((name) => ({ name: `the reviewer ${name}`, add: () => addUser('reviewers', name) })),
    ...assignees.map((name) => ({ name: `the assignee ${name}`, add: () => addUser('assignees', name) })),
  ]);
}

function projectAt(path: readonly string[]): string {
  return `/projects${encodedPath(path.join('/'))}`;
}

function toPr(one: z.infer<typeof MergeRequest>): ForgePr {
  return {
    number: one.iid,
    url: one.web_url,
    state: one.state === 'opened' || one.state === 'locked' ? 'open' : one.state,
    draft: one.draft ?? hasDraftPrefix(one.title),
    head: one.source_branch,
    base: one.target_branch,
  };
}

const Failure = z.object({
  message: z
    .union([z.string(), z.array(z.string()), z.record(z.string(), z.array(z.string()))])
    .optional()
    .catch(undefined),
  error: z.string().optional().catch(undefined),
  error_description: z.string().optional().catch(undefined),
});

function errorText(body: unknown): string | undefined {
  const { message, error, error_description: description } = Failure.safeParse(body).data ?? {};
  if (typeof message === 'string') return message;
  if (Array.isArray(message)) return message.join(' ');
  if (message !== undefined) {
    return Object.entries(message)
      .map(([field, details]) => `${field} ${details.join(', ')}`)
      .join('; ');
  }
  return [error, description].filter(Boolean).join(': ');
}
