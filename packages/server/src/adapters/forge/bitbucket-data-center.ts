import { z } from 'zod';
import {
  ForgeError,
  type Forge,
  type ForgePr,
  type ForgeSettings,
  type PrChange,
} from '../../ports/forge.ts';
import { connectApi, type ApiOptions, type Connection } from './api.ts';
import { dataCenterReview } from './bitbucket-data-center-review.ts';
import { dataCenterStatus } from './bitbucket-data-center-status.ts';
import { bearer, tokenAuthority, tokenOf } from './credentials.ts';
import { forkOf, isSamePath, requireFork } from './fork.ts';
import {
  addParts,
  truncateBody,
  findOrCreate,
  maxBitbucketCharacters,
  pageUrl,
  prNumber,
} from './pull-requests.ts';
import { apiBaseOf, encodedPath, parseRepository, type Repository } from './repository.ts';

const End = z.object({
  id: z.string(),
  repository: z.object({
    id: z.int(),
    slug: z.string().optional(),
    project: z.object({ key: z.string() }).optional(),
  }),
});
const PullRequest = z.object({
  id: prNumber,
  /** Required by every update (optimistic locking). */
  version: z.int(),
  state: z.enum(['OPEN', 'MERGED', 'DECLINED']),
  draft: z.boolean().optional(),
  fromRef: End,
  toRef: End,
  reviewers: z.array(z.object({ user: z.object({ name: z.string() }) })).default([]),
  links: z.object({ self: z.array(z.object({ href: pageUrl })).min(1) }),
});
type PullRequest = z.infer<typeof PullRequest>;

export const maxUpdateTries = 3;

export function bitbucketDataCenterForge(connection: Connection, settings: ForgeSettings): Forge {
  const home = parseRepository(settings.repository);
  const { root, project, name } = splitAddress(home);
  const rootParts = root
    .slice(home.url.origin.length)
    .split('/')
    .filter(Boolean)
    .map((part) => decodeURIComponent(part));
  const fork = forkOf(settings, home, [...rootParts, 'scm']);
  if (fork === 'auto') {
    throw new ForgeError('rejected', 'Forks on Bitbucket Data Center are not created automatically.', {
      hint: 'Create the fork and name its project, such as `~ada`.',
    });
  }
  const source = fork === null ? { project, name } : splitAddress(fork);
  const { credential } = settings;
  const options: ApiOptions = {
    name: 'Bitbucket',
    base: apiBaseOf(settings, `${root}/rest/api/1.0`),
    authority: tokenAuthority(credential),
    errorText,
    isDuplicate: (status, details) => status === 409 && /only one pull request may be open/i.test(details),
  };
  const api = connectApi(connection, options);
  const insights = connectApi(connection, { ...options, base: insightsBase(options.base) });
  const repository = repositoryPath({ project, name });
  const path = `${repository}/pull-requests`;
  const sourcePath = repositoryPath(source);
  const read = (number: number, signal: AbortSignal) =>
    api.get({ path: `${path}/${number}`, answer: PullRequest, signal });

  const updateOnce = async (number: number, { title, body, draft }: PrChange, signal: AbortSignal) => {
    const { version, reviewers } = await read(number, signal);
    // Omitted fields are removed, so reviewers are sent back.
    const wanted = {
      version,
      title,
      description: truncateBody(body, maxBitbucketCharacters),
      reviewers,
      ...draftField(draft),
    };
    return toPr(await api.put({ path: `${path}/${number}`, body: wanted, answer: PullRequest, signal }));
  };

  return {
    kind: 'bitbucket-data-center',
    openFork: async (signal) => {
      if (fork === null) return null;
      const answer = z.object({ slug: z.string() });
      await requireFork(`${source.project}/${source.name}`, api.get({ path: sourcePath, answer, signal }));
      return fork.url.href;
    },
    ...findOrCreate(
      {
        listOpen: async (head, signal) => {
          const query = { state: 'OPEN', direction: 'OUTGOING', at: branchRef(head), limit: '20' };
          const answer = z.object({ values: z.array(PullRequest) });
          // The outgoing ones are those of the repository that has the branch.
          const { values } = await api.get({
            path: `${sourcePath}/pull-requests`,
            query,
            answer,
            signal,
          });
          return values
            .filter((one) => one.fromRef.id === branchRef(head))
            .filter((one) => (fork === null ? !isFromFork(one) : isTo(one, { project, name })))
            .map(toPr);
        },
        create: async ({ head, base, title, body, draft }, signal) => {
          const end = (branch: string, at: Place) => ({
            id: branchRef(branch),
            repository: { slug: at.name, project: { key: at.project } },
          });
          const wanted = {
            title,
            description: truncateBody(body, maxBitbucketCharacters),
            fromRef: end(head, source),
            toRef: end(base, { project, name }),
            ...draftField(draft),
          };
          return toPr(await api.post({ path, body: wanted, answer: PullRequest, signal }));
        },
      },
      connection,
    ),
    updatePr: async (number, text, signal) => {
      for (let attempt = 1; ; attempt++) {
        try {
          return await updateOnce(number, text, signal);
        } catch (error) {
          if (attempt === maxUpdateTries || !isOutOfDate(error)) throw error;
        }
      }
    },
    prState: async (number, signal) => toPr(await read(number, signal)),
    addDetails: (number, { reviewers }, signal) =>
      addParts(
        reviewers.map((name) => ({
          name: `the reviewer ${name}`,
          add: () =>
            api.post({
              path: `${path}/${number}/participants`,
              body: { user: { name }, role: 'REVIEWER' },
              answer: z.unknown(),
              isRepeatable: true,
              signal,
            }),
        })),
      ),
    ...dataCenterReview({ api, root, project, name }),
    ...dataCenterStatus({ api, insights, repository, page: `${root}${repository}` }),
    defaultBranch: async (signal) => {
      const answer = z.object({ id: z.string() });
      return branchName((await api.get({ path: `${repository}/default-branch`, answer, signal })).id);
    },
    // Project and repository tokens work only as bearer tokens, also for git.
    gitCredential: () => Promise.resolve(credential === null ? null : bearer(tokenOf(credential))),
  };
}

/** `https://host[/root]/scm/PROJECT/repository`, or the page of the repository. */
function splitAddress({ url, parts }: Repository): { root: string; project: string; name: string } {
  const [place, project = '', repos, name = ''] = parts.slice(-4);
  const isPage = (place === 'projects' || place === 'users') && repos === 'repos';
  const isClone = parts.at(-3) === 'scm';
  if (!isPage && !isClone) {
    throw new ForgeError('rejected', `${url.href} does not name a repository of Bitbucket Data Center.`, {
      hint: 'Use https://host/scm/PROJECT/repository.git.',
    });
  }
  const root = url.origin + encodedPath(...parts.slice(0, isPage ? -4 : -3));
  if (isPage) return { root, project: place === 'users' ? `~${project}` : project, name };
  return { root, project: parts.at(-2) ?? '', name: parts.at(-1) ?? '' };
}

/** `/rest/insights/1.0` next to `/rest/api/1.0`. */
function insightsBase(base: URL): URL {
  return new URL(base.href.replace(/\/api\/(?:1\.0|latest)\/?$/, '/insights/1.0'));
}

interface Place {
  project: string;
  name: string;
}

function repositoryPath({ project, name }: Place): string {
  return `/projects${encodedPath(project)}/repos${encodedPath(name)}`;
}

function isTo({ toRef: { repository } }: PullRequest, { project, name }: Place): boolean {
  return isSamePath(`${repository.project?.key}/${repository.slug}`, `${project}/${name}`);
}

function branchRef(branch: string): string {
  return `refs/heads/${branch}`;
}

function branchName(ref: string): string {
  return ref.replace(/^refs\/heads\//, '');
}

/** Versions before 8.18 do not know `draft`. */
function draftField(draft: boolean | undefined): { draft?: true } {
  return draft === true ? { draft } : {};
}

function isFromFork({ fromRef, toRef }: PullRequest): boolean {
  return fromRef.repository.id !== toRef.repository.id;
}

function toPr(one: PullRequest): ForgePr {
  const states = { OPEN: 'open', MERGED: 'merged', DECLINED: 'closed' } as const;
  return {
    number: one.id,
    url: one.links.self[0]?.href ?? '',
    state: states[one.state],
    draft: one.draft ?? false,
    head: branchName(one.fromRef.id),
    base: branchName(one.toRef.id),
  };
}

function isOutOfDate(error: unknown): boolean {
  return error instanceof ForgeError && error.problem === 'rejected' && /out-of-date/i.test(error.message);
}

function errorText(body: unknown): string | undefined {
  const failure = z.object({ errors: z.array(z.object({ message: z.string() })) }).safeParse(body).data;
  return failure?.errors.map(({ message }) => message).join(' ');
}
