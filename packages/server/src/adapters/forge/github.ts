/** Pull requests on GitHub and GitHub Enterprise Server, with a token or as a GitHub App. */
import { z } from 'zod';
import {
  ForgeError,
  type Forge,
  type ForgePr,
  type ForgeSettings,
  type NewPr,
  type PrDetails,
} from '../../ports/forge.ts';
import { connectApi, type Api, type Authority, type Connection } from './api.ts';
import { basic, tokenAuthority } from './credentials.ts';
import { forkOf, isSamePath, knownFork } from './fork.ts';
import { githubAccount } from './github-account.ts';
import { appApi, appAuthority, type AppTokens } from './github-app.ts';
import { openGithubFork } from './github-fork.ts';
import { githubReview } from './github-review.ts';
import { githubStatus } from './github-status.ts';
import { addParts, findOrCreate, pageUrl, prNumber } from './pull-requests.ts';
import { apiBaseOf, encodedPath, ownerAndName, parseRepository, type Repository } from './repository.ts';

/** Only GraphQL can convert an open pull request to a draft. */
const draftMutation =
  'mutation ($id: ID!) { convertPullRequestToDraft(input: { pullRequestId: $id }) { pullRequest { isDraft } } }';
const DraftMutationResult = z.object({
  data: z.object({
    convertPullRequestToDraft: z.object({ pullRequest: z.object({ isDraft: z.literal(true) }) }),
  }),
});

const PullRequest = z.object({
  number: prNumber,
  node_id: z.string(),
  html_url: pageUrl,
  state: z.enum(['open', 'closed']),
  draft: z.boolean().optional(),
  merged_at: z.string().nullish(),
  head: z.object({ ref: z.string(), repo: z.object({ full_name: z.string() }).nullish() }),
  base: z.object({ ref: z.string() }),
});

export function githubForge(connection: Connection, settings: ForgeSettings, tokens: AppTokens): Forge {
  const repository = parseRepository(settings.repository);
  const { owner, name } = ownerAndName(repository);
  const options = {
    name: 'GitHub',
    base: apiBaseOf(settings, defaultBase(repository)),
    headers: { accept: 'application/vnd.github+json', 'x-github-api-version': '2022-11-28' },
    errorText,
    isDuplicate: (status: number, details: string) =>
      status === 422 && /pull request already exists/i.test(details),
  };
  const { credential } = settings;
  const app =
    credential?.type === 'app'
      ? { connection, options, repository: { owner, name }, app: credential, tokens }
      : null;
  const authority: Authority = app === null ? tokenAuthority(credential) : appAuthority(app);
  const api = connectApi(connection, { ...options, authority });
  const graphql = connectApi(connection, { ...options, base: graphqlBase(options.base), authority });
  const checksApi =
    app && connectApi(connection, { ...options, authority: appAuthority(app, { checks: 'write' }) });
  const path = `/repos${encodedPath(owner, name)}`;
  const fork = forkOf(settings, repository);
  if (fork !== null && credential?.type === 'app') {
    throw new ForgeError('rejected', 'A GitHub App cannot open pull requests from a fork.', {
      hint: 'Use a token of an account that can push to the fork.',
    });
  }
  const source = () => ownerAndName(knownFork(fork) ?? repository);

  const create = ({ head, base, title, body, draft }: NewPr, signal: AbortSignal) => {
    const from = source();
    const ofFork = {
      head: `${from.owner}:${head}`,
      // Required if the organization owns both.
      ...(from.owner === owner ? { head_repo: from.name } : {}),
      maintainer_can_modify: true,
    };
    return api.post({
      path: `${path}/pulls`,
      body: { head, base, title, body, draft, ...(fork === null ? {} : ofFork) },
      answer: PullRequest,
      signal,
    });
  };

  /** False if the plan has no drafts or the token cannot create them. */
  const convertToDraft = async (number: number, signal: AbortSignal): Promise<boolean> => {
    const { node_id: id, ...pr } = await api.get({
      path: `${path}/pulls/${number}`,
      answer: PullRequest,
      signal,
    });
    if (pr.draft === true) return true;
    const conversion = graphql.post({
      path: '',
      body: { query: draftMutation, variables: { id } },
      answer: DraftMutationResult,
      signal,
    });
    return conversion.then(
      () => true,
      (error: unknown) => {
        if (error instanceof ForgeError) return false;
        throw error;
      },
    );
  };

  return {
    kind: 'github',
    openFork: (signal) => openGithubFork(api, { repository, fork }, signal),
    ...findOrCreate(
      {
        listOpen: async (head, signal) => {
          const from = source();
          const query = { state: 'open', head: `${from.owner}:${head}`, per_page: '20' };
          const answer = z.array(PullRequest);
          const found = await api.get({ path: `${path}/pulls`, query, answer, signal });
          // GitHub ignores filters that it does not understand.
          return found
            .filter((one) => one.head.ref === head && (fork === null || isFrom(one, from)))
            .map(toPr);
        },
        create: async (wanted, signal) => {
          try {
            return toPr(await create(wanted, signal));
          } catch (error) {
            if (!wanted.draft || !isDraftRefusal(error)) throw error;
            // Private repositories of some plans have no drafts.
            return toPr(await create({ ...wanted, draft: false, title: draftTitle(wanted.title) }, signal));
          }
        },
      },
      connection,
    ),
    updatePr: async (number, { title, body, draft }, signal) => {
      const isMarked = draft !== true || (await convertToDraft(number, signal));
      const wanted = { title: isMarked ? title : draftTitle(title), body };
      return toPr(
        await api.patch({ path: `${path}/pulls/${number}`, body: wanted, answer: PullRequest, signal }),
      );
    },
    prState: async (number, signal) =>
      toPr(await api.get({ path: `${path}/pulls/${number}`, answer: PullRequest, signal })),
    addDetails: (number, details, signal) => addDetails(api, { path, number, signal }, details),
    ...githubReview({ api, path, ownAccount: githubAccount(api, app && appApi(app)) }),
    ...githubStatus({ api, checksApi, path }),
    defaultBranch: async (signal) => {
      const answer = z.object({ default_branch: z.string().min(1) });
      return (await api.get({ path, answer, signal })).default_branch;
    },
    gitCredential: async (signal) => {
      const current = await authority.current(signal);
      return current === null ? null : basic('x-access-token', current.secret);
    },
  };
}

const Assigned = z.object({ assignees: z.array(z.object({ login: z.string() })) });

/** One request for each user, because GitHub refuses the whole request for one unknown user. */
function addDetails(
  api: Api,
  { path, number, signal }: { path: string; number: number; signal: AbortSignal },
  { labels, reviewers, teams, assignees }: PrDetails,
): Promise<string[]> {
  const repeatable = { isRepeatable: true, signal };
  const issue = `${path}/issues/${number}`;
  const post = (to: string, body: object) => api.post({ path: to, body, answer: z.unknown(), ...repeatable });
  const requestReview = (body: object) => post(`${path}/pulls/${number}/requested_reviewers`, body);
  const assign = async (name: string) => {
    const body = { assignees: [name] };
    const answer = await api.post({ path: `${issue}/assignees`, body, answer: Assigned, ...repeatable });
    // GitHub ignores users without access.
    const isAssigned = answer.assignees.some(({ login }) => login.toLowerCase() === name.toLowerCase());
    if (!isAssigned) throw new ForgeError('rejected', 'GitHub ignores users without access.');
  };
  return addParts([
    ...(labels.length === 0 ? [] : [{ name: 'the labels', add: () => post(`${issue}/labels`, { labels }) }]),
    ...reviewers.map((name) => ({
      name: `the reviewer ${name}`,
      add: () => requestReview({ reviewers: [name] }),
    })),
    ...teams.map((name) => ({
      name: `the team ${name}`,
      add: () => requestReview({ team_reviewers: [name] }),
    })),
    ...assignees.map((name) => ({ name: `the assignee ${name}`, add: () => assign(name) })),
  ]);
}

/** The repository is null if it was deleted. */
function isFrom({ head }: z.infer<typeof PullRequest>, fork: { owner: string; name: string }): boolean {
  return isSamePath(head.repo?.full_name, `${fork.owner}/${fork.name}`);
}

function defaultBase({ url }: Repository): string {
  if (url.host === 'github.com' || url.host === 'www.github.com') return 'https://api.github.com';
  if (url.host.endsWith('.ghe.com')) return `https://api.${url.host}`;
  return `${url.origin}/api/v3`;
}

/** `/graphql`, on GitHub Enterprise Server `/api/graphql` next to `/api/v3`. */
function graphqlBase(base: URL): URL {
  return new URL(`${base.href.replace(/(\/v3)?\/?$/, '')}/graphql`);
}

/** For plans without drafts. */
function draftTitle(title: string): string {
  return `[Draft] ${title}`;
}

function toPr(pr: z.infer<typeof PullRequest>): ForgePr {
  return {
    number: pr.number,
    url: pr.html_url,
    state: pr.merged_at == null ? pr.state : 'merged',
    draft: pr.draft ?? false,
    head: pr.head.ref,
    base: pr.base.ref,
  };
}

function isDraftRefusal(error: unknown): boolean {
  return (
    error instanceof ForgeError &&
    error.problem === 'rejected' &&
    /draft pull requests are not supported/i.test(error.message)
  );
}

const Detail = z.union([
  z.string(),
  z.object({ message: z.string() }).transform(({ message }) => message),
  z.object({ field: z.string(), code: z.string() }).transform(({ field, code }) => `${field} ${code}`),
]);
const Failure = z.object({
  message: z.string().optional().catch(undefined),
  errors: z.array(Detail.catch('')).optional().catch(undefined),
});

function errorText(body: unknown): string | undefined {
  const { message, errors = [] } = Failure.safeParse(body).data ?? {};
  return [message, ...errors].filter(Boolean).join(' ');
}
