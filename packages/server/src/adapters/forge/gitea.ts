import { z } from 'zod';
import type { Forge, ForgePr, ForgeSettings } from '../../ports/forge.ts';
import { connectApi, type Connection } from './api.ts';
import { basic, bearer, tokenAuthority, tokenOf } from './credentials.ts';
import { forkOf, isSamePath, knownFork } from './fork.ts';
import { addGiteaDetails } from './gitea-details.ts';
import { openGiteaFork } from './gitea-fork.ts';
import { giteaReview } from './gitea-review.ts';
import { findOrCreate, hasDraftPrefix, titleWithDraftMark, pageUrl, prNumber } from './pull-requests.ts';
import { apiBaseOf, encodedPath, parseRepository } from './repository.ts';

const Branch = z.object({
  ref: z.string(),
  repo_id: z.int().nullish(),
  /** Null if it was deleted. */
  repo: z.object({ full_name: z.string() }).nullish(),
});
const PullRequest = z.object({
  number: prNumber,
  html_url: pageUrl,
  title: z.string(),
  state: z.enum(['open', 'closed']),
  merged: z.boolean(),
  draft: z.boolean().optional(),
  head: Branch,
  base: Branch,
});

type PullRequest = z.infer<typeof PullRequest>;

/**
 * The list cannot be filtered by branch. It is sorted by update, so an agent's pull request is usually on the
 * first page.
 */
const pageSize = 50;
const maxPages = 10;

export function giteaForge(connection: Connection, settings: ForgeSettings): Forge {
  const home = parseRepository(settings.repository);
  const { url, parts } = home;
  const [owner = '', name = ''] = parts.slice(-2);
  const rootParts = parts.slice(0, -2);
  const root = encodedPath(...rootParts);
  const fork = forkOf(settings, home, rootParts);
  const { credential } = settings;
  const api = connectApi(connection, {
    name: 'The forge',
    base: apiBaseOf(settings, `${url.origin}${root}/api/v1`),
    authority: tokenAuthority(credential, (token) => bearer(token, 'token')),
    errorText: (body) => z.object({ message: z.string() }).safeParse(body).data?.message,
    isDuplicate: (status, details) => status === 409 && /pull request already exists/i.test(details),
  });
  const repository = `/repos${encodedPath(owner, name)}`;
  const path = `${repository}/pulls`;
  const read = (number: number, signal: AbortSignal) =>
    api.get({ path: `${path}/${number}`, answer: PullRequest, signal });

  const isFrom = ({ head, base }: PullRequest): boolean => {
    const from = knownFork(fork)?.parts.slice(-2).join('/');
    return from === undefined ? head.repo_id === base.repo_id : isSamePath(head.repo?.full_name, from);
  };

  return {
    kind: 'gitea',
    openFork: (signal) => openGiteaFork(api, { home, fork, rootParts }, signal),
    ...findOrCreate(
      {
        listOpen: async (head, signal) => {
          for (let page = 1; page <= maxPages; page++) {
            const query = {
              state: 'open',
              sort: 'recentupdate',
              limit: String(pageSize),
              page: String(page),
            };
            const found = await api.get({ path, query, answer: z.array(PullRequest), signal });
            const wanted = found.filter((one) => one.head.ref === head && isFrom(one));
            // A server may return fewer items than requested, so only an empty page is the last.
            if (wanted.length > 0 || found.length === 0) return wanted.map(toPr);
          }
          return [];
        },
        create: async ({ head, base, title, body, draft }, signal) => {
          const text = { title: titleWithDraftMark(title, draft, 'WIP:'), body };
          const from = knownFork(fork)?.parts.at(-2);
          const wanted = { head: from === undefined ? head : `${from}:${head}`, base, ...text };
          const made = await api.post({ path, body: wanted, answer: PullRequest, signal });
          if (from === undefined) return toPr(made);
          // Only an update can allow edits by maintainers.
          const change = { ...text, allow_maintainer_edit: true };
          const number = String(made.number);
          return toPr(
            await api.patch({ path: `${path}/${number}`, body: change, answer: PullRequest, signal }),
          );
        },
      },
      connection,
    ),
    updatePr: async (number, { title, body, draft }, signal) => {
      const isDraft = draft === true || toPr(await read(number, signal)).draft;
      const wanted = { title: titleWithDraftMark(title, isDraft, 'WIP:'), body };
      return toPr(await api.patch({ path: `${path}/${number}`, body: wanted, answer: PullRequest, signal }));
    },
    prState: async (number, signal) => toPr(await read(number, signal)),
    addDetails: (number, details, signal) => addGiteaDetails(api, { owner, name, number, signal }, details),
    ...giteaReview({ api, repository }),
    defaultBranch: async (signal) => {
      const answer = z.object({ default_branch: z.string() });
      return (await api.get({ path: repository, answer, signal })).default_branch || null;
    },
    gitCredential: () => Promise.resolve(credential === null ? null : basic('oauth2', tokenOf(credential))),
  };
}

function toPr(one: PullRequest): ForgePr {
  return {
    number: one.number,
    url: one.html_url,
    state: one.merged ? 'merged' : one.state,
    draft: one.draft ?? hasDraftPrefix(one.title),
    head: one.head.ref,
    base: one.base.ref,
  };
}
