/**
 * A fake of GitHub's API at the path of GitHub Enterprise Server. Requests and responses are validated against GitHub's OpenAPI
 * description (github-openapi.json).
 */
import { createPublicKey, generateKeyPairSync, verify, type KeyObject } from 'node:crypto';
import { absolute, described, description, documentId, ref, sample } from './github-description.ts';
import { reviewOperations, userBody } from './github-review.ts';
import {
  duplicateOf,
  fakeTeam,
  fakeUsers,
  joined,
  forkInto,
  isFinished,
  openPull,
  sourceOf,
  startFake,
  type Answer,
  type FakeForge,
  type FakeOptions,
  type FakePull,
  type FakeState,
  type HandledCall,
  type Operation,
} from './server.ts';

const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });

export interface FakeGithub extends FakeForge {
  app: { appId: string; installationId: string; privateKey: string };
  /** Tokens issued to the App, oldest first. */
  appTokens: string[];
  /** Those that GitHub refuses although they have not expired. */
  revokedTokens: Set<string>;
  /** What the installation allows the App. */
  appPermissions: Record<string, string>;
  /** Milliseconds since 1970. */
  now: () => number;
  hasDrafts: boolean;
}

export async function startFakeGithub(options: FakeOptions = {}): Promise<FakeGithub> {
  const settings: GithubSettings = {
    now: () => Date.now(),
    hasDrafts: true,
    appTokens: [],
    revokedTokens: new Set(),
    appPermissions: { contents: 'write', pull_requests: 'write', checks: 'write' },
    tokenPermissions: new Map(),
  };
  const app = {
    appId: '4711',
    installationId: '815',
    privateKey: keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
  const token = 'github_pat_only_for_tests';
  const publicKey = createPublicKey(keys.privateKey);
  const fake = await startFake(
    {
      base: '/api/v3',
      token,
      clonePath: (path) => `${path}.git`,
      document: { id: documentId, schema: description },
      operations: operations(settings),
      failure: (status, message) => ({
        message,
        documentation_url: 'https://docs.github.com/rest',
        status: String(status),
      }),
      isAuthorized: ({ authorization = '' }, path) => {
        const given = authorization.replace(/^Bearer /, '');
        const isForApp = path === '/app' || path.startsWith('/app/') || path.endsWith('/installation');
        if (isForApp) return isProof(given, publicKey, app.appId, settings.now() / 1000);
        if (given === token) return true;
        return settings.appTokens.includes(given) && !settings.revokedTokens.has(given);
      },
    },
    options,
  );
  return Object.assign(settings, fake, { app });
}

type GithubSettings = Pick<
  FakeGithub,
  'now' | 'hasDrafts' | 'appTokens' | 'revokedTokens' | 'appPermissions'
> & { tokenPermissions: Map<string, Record<string, string>> };

function operations(settings: GithubSettings): Operation[] {
  return [
    described('GET', '/repos/{owner}/{repo}', ({ state, parameters: { owner, repo } }) => {
      const path = `${owner}/${repo}`;
      const isKnown = path === state.path || state.forking.forks.some((fork) => fork.path === path);
      return isKnown ? { status: 200, body: repositoryBody(state, path) } : notFound;
    }),
    {
      method: 'POST',
      path: '/repos/{owner}/{repo}/forks',
      body: {
        type: 'object',
        additionalProperties: false,
        properties: {
          organization: { type: 'string' },
          name: { type: 'string' },
          default_branch_only: { type: 'boolean' },
        },
      },
      answers: { 202: absolute(ref('full-repository')) },
      handle: ({ state }) => ({ status: 202, body: repositoryBody(state, forkInto(state).path) }),
    },
    {
      method: 'GET',
      path: '/repos/{owner}/{repo}/branches/{branch}',
      answers: { 200: { type: 'object', required: ['name'] }, 404: absolute(ref('basic-error')) },
      handle: ({ state, parameters: { owner, repo, branch } }) => {
        const fork = state.forking.forks.find(({ path }) => path === `${owner}/${repo}`);
        return fork !== undefined && isFinished(fork) ? { status: 200, body: { name: branch } } : notFound;
      },
    },
    described('GET', '/repos/{owner}/{repo}/pulls', ({ state, query }) => {
      const [owner, head] = (query.get('head') ?? '').split(':');
      const found = state.pulls.filter(
        (pull) =>
          pull.head === head &&
          sourceOf(state, pull).split('/')[0] === owner &&
          (pull.state === 'open') === (query.get('state') === 'open'),
      );
      return {
        status: 200,
        body: found.toReversed().map((pull) => pullBody(state, pull, 'pull-request-simple')),
      };
    }),
    described('POST', '/repos/{owner}/{repo}/pulls', (call) => createPull(call, settings.hasDrafts)),
    described(
      'GET',
      '/repos/{owner}/{repo}/pulls/{pull_number}',
      withPull(() => undefined),
    ),
    described(
      'PATCH',
      '/repos/{owner}/{repo}/pulls/{pull_number}',
      withPull((pull, { body }) => void Object.assign(pull, body)),
    ),
    ...detailOperations,
    {
      method: 'POST',
      base: '/api',
      path: '/graphql',
      ...graphqlSchemas,
      handle: (call) => makeDraft(call, settings.hasDrafts),
    },
    described('GET', '/repos/{owner}/{repo}/installation', () => ({
      status: 200,
      body: { ...(sample(ref('installation')) as object), id: 815 },
    })),
    ...reviewOperations(settings),
    described('POST', '/app/installations/{installation_id}/access_tokens', ({ body }) => {
      const wanted = body['permissions'] as Record<string, string>;
      if (Object.keys(wanted).some((name) => settings.appPermissions[name] !== 'write')) {
        const message = 'The permissions requested are not granted to this installation.';
        return { status: 422, body: { message, documentation_url: 'https://docs.github.com/rest' } };
      }
      const token = `ghs_only_for_tests_${settings.appTokens.length + 1}`;
      settings.appTokens.push(token);
      settings.tokenPermissions.set(token, wanted);
      const expires = new Date(settings.now() + 3_600_000).toISOString();
      return {
        status: 201,
        body: { token, expires_at: expires, permissions: {} },
      };
    }),
  ];
}

function createPull({ state, body }: HandledCall, hasDrafts: boolean): Answer {
  const refused = (message: string): Answer => ({
    status: 422,
    body: {
      message: 'Validation Failed',
      errors: [{ resource: 'PullRequest', code: 'custom', message }],
      documentation_url: 'https://docs.github.com/rest/pulls/pulls#create-a-pull-request',
    },
  });
  const {
    base,
    title,
    body: text,
    draft,
    ...more
  } = body as Record<'head' | 'base' | 'title' | 'body', string> & { draft: boolean };
  const parts = more.head.includes(':') ? more.head.split(':') : ['', more.head];
  const [owner = '', head = ''] = parts;
  const fork = state.forking.forks.find(({ path }) => path.split('/')[0] === owner);
  if (owner !== '' && fork === undefined) return refused(`The head ${more.head} is invalid.`);
  const from = fork?.path ?? null;
  if (!state.hasBranch(head)) return refused(`The branch ${head} is not there.`);
  if (!state.hasBranch(base)) {
    const errors = [{ resource: 'PullRequest', field: 'base', code: 'invalid' }];
    return {
      status: 422,
      body: { message: 'Validation Failed', errors, documentation_url: 'https://docs.github.com' },
    };
  }
  if (draft && !hasDrafts) return refused('Draft pull requests are not supported in this repository.');
  if (duplicateOf(state, head, base, from)) {
    return refused(`A pull request already exists for ${(from ?? state.path).split('/')[0]}:${head}.`);
  }
  const maintainersMayEdit = body['maintainer_can_modify'] === true;
  const pull = openPull(state, { title, body: text, draft, head, base, from, maintainersMayEdit });
  return { status: 201, body: pullBody(state, pull, 'pull-request') };
}

const names = { type: 'array', minItems: 1, items: { type: 'string' } };
const listOf = (name: string) => ({
  type: 'object',
  additionalProperties: false,
  required: [name],
  properties: { [name]: names },
});
const failures = { 404: { type: 'object' }, 422: { type: 'object', required: ['message'] } };

/**
 * https://docs.github.com/rest/issues/labels https://docs.github.com/rest/issues/assignees
 * https://docs.github.com/rest/pulls/review-requests
 */
const detailOperations: Operation[] = [
  {
    method: 'POST',
    path: '/repos/{owner}/{repo}/issues/{pull_number}/labels',
    body: listOf('labels'),
    answers: { 200: { type: 'array' }, ...failures },
    handle: withPull((pull, { body }) => {
      pull.labels = joined(pull.labels, body['labels'] as string[]);
      return { status: 200, body: pull.labels.map((name) => ({ id: 1, name })) };
    }),
  },
  {
    method: 'POST',
    path: '/repos/{owner}/{repo}/issues/{pull_number}/assignees',
    body: listOf('assignees'),
    answers: { 201: { type: 'object', required: ['assignees'] }, ...failures },
    handle: withPull((pull, { body }) => {
      const known = (body['assignees'] as string[]).filter((name) => fakeUsers.has(name));
      pull.assignees = joined(pull.assignees, known);
      return { status: 201, body: { assignees: pull.assignees.map((login) => ({ login })) } };
    }),
  },
  {
    method: 'POST',
    path: '/repos/{owner}/{repo}/pulls/{pull_number}/requested_reviewers',
    body: {
      type: 'object',
      additionalProperties: false,
      minProperties: 1,
      properties: { reviewers: names, team_reviewers: names },
    },
    answers: { 201: absolute(ref('pull-request-simple')), ...failures },
    handle: withPull((pull, { body, state }) => {
      const { reviewers = [], team_reviewers: teams = [] } = body as Record<string, string[]>;
      const isKnown =
        reviewers.every((name) => fakeUsers.has(name)) && teams.every((one) => one === fakeTeam);
      const message = 'Reviews may only be requested from collaborators.';
      if (!isKnown) return { status: 422, body: { message } };
      pull.reviewers = joined(pull.reviewers, reviewers);
      pull.teams = joined(pull.teams, teams);
      return { status: 201, body: pullBody(state, pull, 'pull-request-simple') };
    }),
  },
];

/** A GraphQL error is a response with status 200. */
const graphqlSchemas = {
  body: {
    type: 'object',
    additionalProperties: false,
    required: ['query', 'variables'],
    properties: {
      query: {
        type: 'string',
        pattern: String.raw`convertPullRequestToDraft\(input: \{ pullRequestId: \$id \}\)`,
      },
      variables: {
        type: 'object',
        required: ['id'],
        properties: { id: { type: 'string', pattern: '^PR_' } },
      },
    },
  },
  answers: { 200: { type: 'object', minProperties: 1 } },
};

function makeDraft({ state, body }: HandledCall, hasDrafts: boolean): Answer {
  const { id } = body['variables'] as { id: string };
  const pull = state.pulls.find(({ number }) => `PR_${number}` === id);
  if (pull === undefined || !hasDrafts)
    return { status: 200, body: { data: null, errors: [{ message: 'Not possible.' }] } };
  pull.draft = true;
  return { status: 200, body: { data: { convertPullRequestToDraft: { pullRequest: { isDraft: true } } } } };
}

function withPull(change: (pull: FakePull, call: HandledCall) => Answer | undefined) {
  return (call: HandledCall): Answer => {
    const pull = call.state.pulls.find(({ number }) => String(number) === call.parameters['pull_number']);
    if (pull === undefined) return { status: 404, body: { message: 'Not Found' } };
    return change(pull, call) ?? { status: 200, body: pullBody(call.state, pull, 'pull-request') };
  };
}

const notFound: Answer = { status: 404, body: { message: 'Not Found' } };

function repositoryBody(state: FakeState, path: string): object {
  const isFork = path !== state.path;
  return {
    ...(sample(ref('full-repository')) as object),
    full_name: path,
    default_branch: state.defaultBranch,
    fork: isFork,
    ...(isFork ? { parent: { ...(sample(ref('repository')) as object), full_name: state.path } } : {}),
  };
}

function innerRepository(state: FakeState, path: string): object {
  const clone_url = `${state.origin}/${path}.git`;
  return { ...(sample(ref('repository')) as object), full_name: path, clone_url };
}

function pullBody(state: FakeState, pull: FakePull, schema: string): object {
  const whole = sample(ref(schema)) as { head: object; base: object };
  const source = sourceOf(state, pull);
  const { number, title, body, draft } = pull;
  return {
    ...whole,
    number,
    node_id: `PR_${number}`,
    title,
    body,
    draft,
    html_url: `${state.origin}/${state.path}/pull/${number}`,
    state: pull.state === 'open' ? 'open' : 'closed',
    merged_at: pull.state === 'merged' ? '2026-03-01T12:00:00Z' : null,
    ...(schema === 'pull-request' ? { mergeable: pull.isMergeable } : {}),
    user: userBody(pull.author),
    head: {
      ...whole.head,
      ref: pull.head,
      sha: pull.headCommit,
      label: `${source.split('/')[0]}:${pull.head}`,
      repo: pull.isHeadDeleted ? null : innerRepository(state, source),
    },
    base: { ...whole.base, ref: pull.base, sha: pull.baseCommit, repo: innerRepository(state, state.path) },
  };
}

/** A JSON Web Token of the App: signed with its key, valid for at most ten minutes, not from the future. */
function isProof(text: string, key: KeyObject, appId: string, nowSeconds: number): boolean {
  const [header = '', claims = '', signature = ''] = text.split('.');
  const signed = Buffer.from(`${header}.${claims}`);
  if (!verify('RSA-SHA256', signed, key, Buffer.from(signature, 'base64url'))) return false;
  const { iat, exp, iss } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as Record<
    string,
    number | string
  >;
  const isTimely = Number(iat) <= nowSeconds && Number(exp) > nowSeconds && Number(exp) - nowSeconds <= 600;
  return isTimely && iss === appId;
}
