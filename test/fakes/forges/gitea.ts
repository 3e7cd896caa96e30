/**
 * A fake of the API of Gitea and Forgejo, version 1: the list has no filter by branch, the title marks a draft, and an update
 * is answered with 201.
 */
import { reviewOperations, userBody } from './gitea-review.ts';
import {
  duplicateOf,
  fakeLabels,
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

const text = { type: 'string' };
const End = {
  type: 'object',
  required: ['label', 'ref', 'sha', 'repo_id'],
  properties: { label: text, ref: text, sha: text, repo_id: { type: 'integer' } },
};
const PullRequest = {
  type: 'object',
  required: ['id', 'number', 'title', 'body', 'state', 'draft', 'merged', 'html_url', 'head', 'base'],
  properties: {
    id: { type: 'integer' },
    number: { type: 'integer', minimum: 1 },
    title: text,
    body: text,
    state: { enum: ['open', 'closed'] },
    draft: { type: 'boolean' },
    merged: { type: 'boolean' },
    html_url: { type: 'string', format: 'uri' },
    head: End,
    base: End,
  },
};
const Failure = { type: 'object', required: ['message'], properties: { message: text, url: text } };
const answers = (status: number, schema: object) => ({
  [status]: schema,
  404: Failure,
  409: Failure,
  422: Failure,
});

const repository = '/repos/{owner}/{repo}';
const names = { type: 'array', items: text };
const Labels = { type: 'array', items: { type: 'object', required: ['id', 'name'] } };
const pages = { page: { type: 'integer', minimum: 1 }, limit: { type: 'integer', minimum: 0 } };
const labelNames = [fakeLabels.repository, fakeLabels.organization];
const viewLabel = (name: string) => ({ id: labelNames.indexOf(name), name });
/** Smaller than the requested page size, as an installation may configure it. */
const maxOnPage = 3;

const operations: Operation[] = [
  {
    method: 'GET',
    path: repository,
    answers: answers(200, {
      type: 'object',
      required: ['default_branch'],
      properties: { default_branch: text },
    }),
    handle: ({ state, parameters: { owner, repo } }) => {
      const path = `${owner}/${repo}`;
      const isKnown = path === state.path || state.forking.forks.some((fork) => fork.path === path);
      return isKnown ? { status: 200, body: repositoryBody(state, path) } : notFound;
    },
  },
  {
    method: 'GET',
    path: '/user',
    answers: answers(200, { type: 'object', required: ['id', 'login'] }),
    handle: ({ state }) => ({ status: 200, body: userBody(state.forking.account) }),
  },
  {
    method: 'POST',
    path: `${repository}/forks`,
    body: {
      type: 'object',
      additionalProperties: false,
      properties: { organization: text, name: text },
    },
    answers: answers(202, { type: 'object', required: ['full_name', 'parent'] }),
    handle: ({ state }) => ({ status: 202, body: repositoryBody(state, forkInto(state).path) }),
  },
  {
    method: 'GET',
    path: `${repository}/branches/{branch}`,
    answers: answers(200, { type: 'object', required: ['name'] }),
    handle: ({ state, parameters: { owner, repo, branch } }) => {
      const fork = state.forking.forks.find(({ path }) => path === `${owner}/${repo}`);
      return fork !== undefined && isFinished(fork) ? { status: 200, body: { name: branch } } : notFound;
    },
  },
  {
    method: 'GET',
    path: `${repository}/pulls`,
    query: {
      state: { enum: ['open', 'closed', 'all'] },
      sort: { enum: ['oldest', 'recentupdate', 'leastupdate', 'mostcomment', 'leastcomment', 'priority'] },
      page: { type: 'integer', minimum: 1 },
      limit: { type: 'integer', minimum: 0 },
    },
    answers: answers(200, { type: 'array', items: PullRequest }),
    handle: ({ state, query }) => {
      const open = state.pulls.filter((pull) => pull.state === 'open').toReversed();
      const start = (Number(query.get('page')) - 1) * maxOnPage;
      return { status: 200, body: open.slice(start, start + maxOnPage).map((pull) => bodyOf(state, pull)) };
    },
  },
  {
    method: 'POST',
    path: `${repository}/pulls`,
    body: {
      type: 'object',
      additionalProperties: false,
      required: ['head', 'base', 'title'],
      properties: { head: text, base: text, title: text, body: text },
    },
    answers: answers(201, PullRequest),
    handle: create,
  },
  {
    method: 'GET',
    path: `${repository}/pulls/{index}`,
    answers: answers(200, PullRequest),
    handle: withPull(200, () => undefined),
  },
  {
    method: 'PATCH',
    path: `${repository}/pulls/{index}`,
    body: {
      type: 'object',
      additionalProperties: false,
      properties: { title: text, body: text, assignees: names, allow_maintainer_edit: { type: 'boolean' } },
    },
    answers: answers(201, PullRequest),
    handle: withPull(201, update),
  },
  {
    method: 'GET',
    path: `${repository}/labels`,
    query: pages,
    answers: answers(200, Labels),
    handle: ({ query }) => listLabels(query, fakeLabels.repository),
  },
  {
    method: 'GET',
    path: '/orgs/{org}/labels',
    query: pages,
    answers: answers(200, Labels),
    handle: ({ query }) => listLabels(query, fakeLabels.organization),
  },
  {
    method: 'POST',
    path: `${repository}/issues/{index}/labels`,
    body: {
      type: 'object',
      additionalProperties: false,
      required: ['labels'],
      properties: { labels: { type: 'array', items: { type: 'integer' } } },
    },
    answers: answers(200, Labels),
    handle: withPull(200, (pull, { body }) => {
      const added = (body['labels'] as number[]).map((id) => labelNames[id] ?? '');
      pull.labels = joined(pull.labels, added);
      return { status: 200, body: pull.labels.map(viewLabel) };
    }),
  },
  {
    method: 'POST',
    path: `${repository}/pulls/{index}/requested_reviewers`,
    body: {
      type: 'object',
      additionalProperties: false,
      properties: { reviewers: names, team_reviewers: names },
    },
    answers: answers(201, { type: 'array' }),
    handle: withPull(201, requestReview),
  },
  ...reviewOperations,
];

export function startFakeGitea(options: FakeOptions = {}): Promise<FakeForge> {
  const token = 'gitea-only-for-tests';
  return startFake(
    {
      base: '/api/v1',
      token,
      clonePath: (path) => `${path}.git`,
      operations,
      failure: (_, message) => ({ message, url: 'https://gitea.test/api/swagger' }),
      isAuthorized: ({ authorization }) => authorization === `token ${token}`,
    },
    options,
  );
}

const notFound: Answer = { status: 404, body: { message: 'The target couldn’t be found.' } };

function repositoryBody(state: FakeState, path: string): object {
  const parent = path === state.path ? null : { full_name: state.path };
  return { id: 3, full_name: path, default_branch: state.defaultBranch, parent };
}

function create({ state, body }: HandledCall): Answer {
  const { base = '', title = '', body: description = '', ...more } = body as Record<string, string>;
  const [head = '', owner] = (more['head'] ?? '').split(':').toReversed();
  if (!state.hasBranch(head) || !state.hasBranch(base)) {
    return refused(404, `The branch ${state.hasBranch(head) ? base : head} couldn't be found.`);
  }
  const fork = state.forking.forks.find(({ path }) => path.split('/')[0] === owner);
  if (owner !== undefined && fork === undefined)
    return refused(404, `The fork of ${owner} couldn't be found.`);
  const from = fork?.path ?? null;
  const known = duplicateOf(state, head, base, from);
  if (known) {
    const targets = `id: ${known.number}, issue_id: ${known.number}, head_branch: ${head}, base_branch: ${base}`;
    return refused(409, `pull request already exists for these targets [${targets}]`);
  }
  return {
    status: 201,
    body: bodyOf(state, openPull(state, { ...titled(title), body: description, head, base, from })),
  };
}

function update(pull: FakePull, { body }: HandledCall): Answer | undefined {
  const { title, body: description = pull.body } = body as Record<string, string>;
  if (title !== undefined) Object.assign(pull, titled(title));
  pull.body = description;
  const { allow_maintainer_edit: mayEdit = pull.maintainersMayEdit } = body as {
    allow_maintainer_edit?: boolean;
  };
  pull.maintainersMayEdit = mayEdit;
  const { assignees = pull.assignees } = body as { assignees?: string[] };
  const unknown = assignees.find((name) => !fakeUsers.has(name));
  if (unknown !== undefined) return refused(422, `Assignee does not exist: [name: ${unknown}]`);
  pull.assignees = assignees;
  return undefined;
}

function requestReview(pull: FakePull, { body }: HandledCall): Answer {
  const { reviewers = [], team_reviewers: teams = [] } = body as Record<string, string[]>;
  const unknown = reviewers.find((name) => !fakeUsers.has(name)) ?? teams.find((name) => name !== fakeTeam);
  if (unknown !== undefined) return refused(404, `user does not exist [uid: 0, name: ${unknown}]`);
  pull.reviewers = joined(pull.reviewers, reviewers);
  pull.teams = joined(pull.teams, teams);
  return { status: 201, body: [] };
}

function listLabels(query: URLSearchParams, name: string): Answer {
  return { status: 200, body: query.get('page') === '1' ? [viewLabel(name)] : [] };
}

function refused(status: number, message: string): Answer {
  return { status, body: { message, url: 'https://gitea.test/api/swagger' } };
}

function titled(title: string): { title: string; draft: boolean } {
  return { title, draft: /^(?:wip:|\[wip\])/i.test(title) };
}

function withPull(status: number, change: (pull: FakePull, call: HandledCall) => Answer | undefined) {
  return (call: HandledCall): Answer => {
    const pull = call.state.pulls.find(({ number }) => String(number) === call.parameters['index']);
    if (pull === undefined) return { status: 404, body: { message: 'The target couldn’t be found.' } };
    return change(pull, call) ?? { status, body: bodyOf(call.state, pull) };
  };
}

function bodyOf(state: FakeState, pull: FakePull): object {
  const source = sourceOf(state, pull);
  return {
    id: 1000 + pull.number,
    number: pull.number,
    title: pull.title,
    body: pull.body,
    state: pull.state === 'open' ? 'open' : 'closed',
    draft: pull.draft,
    merged: pull.state === 'merged',
    assignees: pull.assignees.length === 0 ? null : pull.assignees.map((login) => ({ login })),
    html_url: `${state.origin}/${state.path}/pulls/${pull.number}`,
    head: {
      label: pull.head,
      ref: pull.head,
      sha: pull.headCommit,
      repo_id: source === state.path ? 3 : 4,
      repo: pull.isHeadDeleted ? null : { full_name: source, clone_url: `${state.origin}/${source}.git` },
    },
    base: { label: pull.base, ref: pull.base, sha: pull.baseCommit, repo_id: 3 },
    user: userBody(pull.author),
    mergeable: pull.isMergeable === true,
  };
}
