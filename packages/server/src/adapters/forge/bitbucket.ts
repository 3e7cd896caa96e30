/** Pull requests on Bitbucket Cloud, with a repository access token or a user's API token. */
import { z } from 'zod';
import type { Forge, ForgePr, ForgeSettings } from '../../ports/forge.ts';
import { connectApi, type Connection } from './api.ts';
import { basic, bearer, tokenAuthority, tokenOf, usernameOf } from './credentials.ts';
import { openBitbucketFork } from './bitbucket-fork.ts';
import { bitbucketReview } from './bitbucket-review.ts';
import { bitbucketStatus } from './bitbucket-status.ts';
import { forkOf, isSamePath, knownFork } from './fork.ts';
import {
  addParts,
  truncateBody,
  findOrCreate,
  maxBitbucketCharacters,
  pageUrl,
  prNumber,
} from './pull-requests.ts';
import { apiBaseOf, encodedPath, ownerAndName, parseRepository } from './repository.ts';

const End = z.object({
  branch: z.object({ name: z.string() }),
  repository: z.object({ full_name: z.string() }).nullish(),
});
const PullRequest = z.object({
  id: prNumber,
  state: z.enum(['OPEN', 'MERGED', 'DECLINED', 'SUPERSEDED']),
  draft: z.boolean().optional(),
  links: z.object({ html: z.object({ href: pageUrl }) }),
  source: End,
  destination: End,
});
const Editable = z.object({
  title: z.string(),
  description: z.string().default(''),
  reviewers: z.array(z.object({ uuid: z.string(), account_id: z.string().optional() })).default([]),
});

export function bitbucketForge(connection: Connection, settings: ForgeSettings): Forge {
  const home = parseRepository(settings.repository);
  const { owner, name } = ownerAndName(home);
  const fork = forkOf(settings, home);
  const { credential } = settings;
  const api = connectApi(connection, {
    name: 'Bitbucket',
    base: apiBaseOf(settings, 'https://api.bitbucket.org/2.0'),
    authority: tokenAuthority(credential, (token, username) =>
      username === undefined ? bearer(token) : basic(username, token),
    ),
    errorText,
    isDuplicate: (status, details) =>
      (status === 400 || status === 409) && /already (an open|exists)/i.test(details),
  });
  const isUserToken = credential !== null && usernameOf(credential) !== undefined;
  const repository = `/repositories${encodedPath(owner, name)}`;
  const path = `${repository}/pullrequests`;
  /** An update removes the reviewers that it omits. */
  const read = (number: number, signal: AbortSignal) =>
    api.get({ path: `${path}/${number}`, answer: Editable, signal });
  const addReviewer = async (number: number, user: string, signal: AbortSignal) => {
    const { reviewers, ...text } = await read(number, signal);
    if (reviewers.some((one) => one.uuid === user || one.account_id === user)) return;
    const added = user.startsWith('{') ? { uuid: user } : { account_id: user };
    const body = { ...text, reviewers: [...reviewers.map(byId), added] };
    await api.put({ path: `${path}/${number}`, body, answer: PullRequest, signal });
  };

  const forkPath = () => {
    const found = knownFork(fork);
    return found === null ? undefined : Object.values(ownerAndName(found)).join('/');
  };

  return {
    kind: 'bitbucket',
    openFork: (signal) => openBitbucketFork(api, { home, fork }, signal),
    ...findOrCreate(
      {
        listOpen: async (head, signal) => {
          const quoted = `"${head.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
          const query = { q: `source.branch.name = ${quoted} AND state = "OPEN"`, pagelen: '20' };
          const found = await api.get({
            path,
            query,
            answer: z.object({ values: z.array(PullRequest) }),
            signal,
          });
          const from = forkPath();
          return found.values.filter((one) => one.source.branch.name === head && isFrom(one, from)).map(toPr);
        },
        create: async ({ head, base, title, body, draft }, signal) => {
          const from = forkPath();
          const wanted = {
            title,
            description: truncateBody(body, maxBitbucketCharacters),
            source: {
              branch: { name: head },
              ...(from === undefined ? {} : { repository: { full_name: from } }),
            },
            destination: { branch: { name: base } },
            draft,
          };
          return toPr(await api.post({ path, body: wanted, answer: PullRequest, signal }));
        },
      },
      connection,
      // The response to a duplicate is not documented.
      { checkFirst: true },
    ),
    updatePr: async (number, { title, body, draft }, signal) => {
      const { reviewers } = await read(number, signal);
      const wanted = {
        title,
        description: truncateBody(body, maxBitbucketCharacters),
        reviewers: reviewers.map(byId),
        ...(draft === true ? { draft } : {}),
      };
      return toPr(await api.put({ path: `${path}/${number}`, body: wanted, answer: PullRequest, signal }));
    },
    prState: async (number, signal) =>
      toPr(await api.get({ path: `${path}/${number}`, answer: PullRequest, signal })),
    addDetails: (number, { reviewers }, signal) =>
      addParts(
        reviewers.map((user) => ({
          name: `the reviewer ${user}`,
          add: () => addReviewer(number, user, signal),
        })),
      ),
    ...bitbucketReview({ api, repository, origin: home.url.origin, owner, name, isUserToken }),
    ...bitbucketStatus({ api, repository, page: `${home.url.origin}${encodedPath(owner, name)}` }),
    defaultBranch: async (signal) => {
      const answer = z.object({ mainbranch: z.object({ name: z.string() }).nullish() });
      return (await api.get({ path: repository, answer, signal })).mainbranch?.name ?? null;
    },
    gitCredential: () => {
      if (credential === null) return Promise.resolve(null);
      const username = isUserToken ? 'x-bitbucket-api-token-auth' : 'x-token-auth';
      return Promise.resolve(basic(username, tokenOf(credential)));
    },
  };
}

function byId({ uuid }: { uuid: string }): { uuid: string } {
  return { uuid };
}

/** From the fork, or from the repository itself. */
function isFrom({ source, destination }: z.infer<typeof PullRequest>, fork: string | undefined): boolean {
  const wanted = fork ?? destination.repository?.full_name;
  return wanted === undefined ? source.repository == null : isSamePath(source.repository?.full_name, wanted);
}

function toPr(one: z.infer<typeof PullRequest>): ForgePr {
  const states = { OPEN: 'open', MERGED: 'merged', DECLINED: 'closed', SUPERSEDED: 'closed' } as const;
  return {
    number: one.id,
    url: one.links.html.href,
    state: states[one.state],
    draft: one.draft ?? false,
    head: one.source.branch.name,
    base: one.destination.branch.name,
  };
}

const Failure = z.object({
  error: z.object({
    message: z.string(),
    detail: z.string().optional().catch(undefined),
    fields: z
      .record(z.string(), z.union([z.string(), z.array(z.string())]))
      .optional()
      .catch(undefined),
  }),
});

function errorText(body: unknown): string | undefined {
  const failure = Failure.safeParse(body).data?.error;
  if (failure === undefined) return undefined;
  const fields = Object.entries(failure.fields ?? {}).map(
    ([name, details]) => `${name}: ${[details].flat().join(' ')}`,
  );
  return [failure.message, failure.detail, ...fields].filter(Boolean).join(' ');
}
