/**
 * A fake of the Bitbucket Cloud API, version 2.0. https://developer.atlassian.com/cloud/bitbucket/rest/api-group-pullrequests/
 */
import { reviewOperations, userBody } from './bitbucket-review.ts';
import {
  fakeUsers,
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

const text = { type: 'string' };
const description = { type: 'string', maxLength: 32_768 };
const object = (properties: Record<string, object>, ...optional: string[]) => ({
  type: 'object',
  additionalProperties: false,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  properties,
});
const End = object({
  branch: object({ name: text }),
  /** The first twelve characters. */
  commit: object({ hash: { type: 'string', pattern: '^[0-9a-f]{12}$' } }),
  repository: { oneOf: [object({ full_name: text }), { type: 'null' }] },
});
const PullRequest = object({
  type: { const: 'pullrequest' },
  id: { type: 'integer', minimum: 1 },
  title: text,
  description,
  state: { enum: ['OPEN', 'MERGED', 'DECLINED', 'SUPERSEDED'] },
  draft: { type: 'boolean' },
  links: object({ html: object({ href: { type: 'string', format: 'uri' } }) }),
  source: End,
  destination: End,
  reviewers: { type: 'array', items: object({ uuid: text, account_id: text }) },
  author: { type: 'object', required: ['type', 'uuid'] },
});
const Reviewers = {
  type: 'array',
  items: { oneOf: [object({ uuid: text }), object({ account_id: text })] },
};
const Failure = object({
  type: { const: 'error' },
  error: { type: 'object', required: ['message'], properties: { message: text } },
});
const answers = (status: number, schema: object) => ({ [status]: schema, 400: Failure, 404: Failure });
const branch = object({ branch: object({ name: text }) });
const source = object(
  { branch: object({ name: text }), repository: object({ full_name: text }) },
  'repository',
);

const repository = '/repositories/{workspace}/{slug}';
const operations: Operation[] = [
  {
    method: 'GET',
    path: repository,
    answers: answers(200, { type: 'object', required: ['mainbranch'] }),
    handle: ({ state, parameters: { workspace, slug } }) => {
      const path = `${workspace}/${slug}`;
      if (path === state.path) return { status: 200, body: repositoryBody(state, path, true) };
      const fork = state.forking.forks.find((one) => one.path === path);
      if (fork === undefined) return failure(404, `Repository ${path} not found`);
      return { status: 200, body: repositoryBody(state, path, isFinished(fork)) };
    },
  },
  {
    method: 'GET',
    path: `${repository}/forks`,
    query: {
      role: { enum: ['admin', 'contributor', 'member', 'owner'] },
      pagelen: { type: 'integer', minimum: 1 },
    },
    answers: answers(200, { type: 'object', required: ['values'] }),
    handle: ({ state }) => ({
      status: 200,
      body: { values: state.forking.forks.map(({ path }) => repositoryBody(state, path, true)) },
    }),
  },
  {
    method: 'POST',
    path: `${repository}/forks`,
    body: object({ name: text, workspace: object({ slug: text }) }, 'name', 'workspace'),
    answers: answers(201, { type: 'object', required: ['full_name'] }),
    handle: ({ state }) => ({
      status: 201,
      body: repositoryBody(state, forkInto(state).path, false),
    }),
  },
  {
    method: 'GET',
    path: `${repository}/pullrequests`,
    query: { q: text, pagelen: { type: 'integer', minimum: 1, maximum: 50 } },
    answers: answers(200, {
      type: 'object',
      required: ['values'],
      properties: { values: { type: 'array', items: PullRequest } },
    }),
    handle: ({ state, query }) => {
      const [, head] =
        /^source\.branch\.name = "([^"]+)" AND state = "OPEN"$/.exec(query.get('q') ?? '') ?? [];
      if (head === undefined) return failure(400, 'Invalid query.');
      const found = state.pulls.filter((pull) => pull.state === 'open' && pull.head === head);
      return { status: 200, body: { values: found.toReversed().map((pull) => bodyOf(state, pull)) } };
    },
  },
  {
    method: 'POST',
    path: `${repository}/pullrequests`,
    body: object(
      { title: text, description, source, destination: branch, draft: { type: 'boolean' } },
      'draft',
    ),
    answers: answers(201, PullRequest),
    handle: create,
  },
  {
    method: 'GET',
    path: `${repository}/pullrequests/{id}`,
    answers: answers(200, PullRequest),
    handle: withPull(() => undefined),
  },
  {
    method: 'PUT',
    path: `${repository}/pullrequests/{id}`,
    body: object(
      { title: text, description, draft: { type: 'boolean' }, reviewers: Reviewers },
      'draft',
      'reviewers',
    ),
    answers: answers(200, PullRequest),
    handle: withPull(update),
  },
  ...reviewOperations,
];

export function startFakeBitbucket(options: FakeOptions = {}): Promise<FakeForge> {
  const token = 'bitbucket-only-for-tests';
  return startFake(
    {
      base: '/2.0',
      token,
      clonePath: (path) => `${path}.git`,
      operations,
      failure: (_, message) => ({ type: 'error', error: { message } }),
      isAuthorized: ({ authorization }) =>
        authorization === `Bearer ${token}` ||
        authorization === `Basic ${Buffer.from(`ada@example.com:${token}`).toString('base64')}`,
    },
    options,
  );
}

/** The API allows a second pull request for the same branches, so the caller must look first. */
function create({ state, body }: HandledCall): Answer {
  const wanted = body as {
    title: string;
    description: string;
    source: Branch & { repository?: { full_name: string } };
    destination: Branch;
    draft?: boolean;
  };
  const head = wanted.source.branch.name;
  const base = wanted.destination.branch.name;
  for (const name of [head, base])
    if (!state.hasBranch(name)) return failure(400, `The branch ${name} is not there.`);
  const from = wanted.source.repository?.full_name ?? null;
  if (from !== null && !state.forking.forks.some(({ path }) => path === from))
    return failure(400, `${from} is not a fork.`);
  const { title, description, draft = false } = wanted;
  return {
    status: 201,
    body: bodyOf(state, openPull(state, { title, body: description, draft, head, base, from })),
  };
}

/** Omitted reviewers are removed. */
function update(pull: FakePull, { body }: HandledCall): Answer | undefined {
  const { title, description, draft = pull.draft, reviewers = [] } = body as unknown as Change;
  const names = reviewers.map(({ uuid, account_id: id }) => id ?? uuid?.slice(1, -1) ?? '');
  const unknown = names.find((name) => !fakeUsers.has(name));
  if (unknown !== undefined) return failure(400, `reviewers: ${unknown} is not a valid user.`);
  Object.assign(pull, { title, body: description, draft, reviewers: names });
  return undefined;
}

interface Change {
  title: string;
  description: string;
  draft?: boolean;
  reviewers?: { uuid?: string; account_id?: string }[];
}

function repositoryBody(state: FakeState, path: string, hasBranch: boolean): object {
  const mainbranch = hasBranch ? { type: 'branch', name: state.defaultBranch } : null;
  return { full_name: path, mainbranch };
}

interface Branch {
  branch: { name: string };
}

function failure(status: number, message: string): Answer {
  return { status, body: { type: 'error', error: { message } } };
}

function withPull(change: (pull: FakePull, call: HandledCall) => Answer | undefined) {
  return (call: HandledCall): Answer => {
    const pull = call.state.pulls.find(({ number }) => String(number) === call.parameters['id']);
    if (pull === undefined) return failure(404, 'No such pull request.');
    return change(pull, call) ?? { status: 200, body: bodyOf(call.state, pull) };
  };
}

function bodyOf(state: FakeState, pull: FakePull): object {
  const states = { open: 'OPEN', closed: 'DECLINED', merged: 'MERGED' };
  const home = { full_name: state.path };
  return {
    type: 'pullrequest',
    id: pull.number,
    title: pull.title,
    description: pull.body,
    state: states[pull.state],
    draft: pull.draft,
    links: { html: { href: `${state.origin}/${state.path}/pull-requests/${pull.number}` } },
    source: {
      branch: { name: pull.head },
      commit: { hash: pull.headCommit.slice(0, 12) },
      repository: pull.isHeadDeleted ? null : { full_name: sourceOf(state, pull) },
    },
    destination: {
      branch: { name: pull.base },
      commit: { hash: pull.baseCommit.slice(0, 12) },
      repository: home,
    },
    author: userBody(pull.author, pull.author === state.forking.account ? 'app_user' : 'user'),
    reviewers: pull.reviewers.map((name) => ({ uuid: `{${name}}`, account_id: name })),
  };
}
