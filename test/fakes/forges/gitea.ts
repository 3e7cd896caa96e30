/**
 * A fake of the API of Gitea and Forgejo, version 1: the list has no filter by branch, the title marks a draft, and an update
 * is answered with 201.
 */
import {
  duplicateOf,
  openPull,
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
    handle: ({ state }) => ({
      status: 200,
      body: { id: 3, full_name: state.path, default_branch: state.defaultBranch },
    }),
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
    body: { type: 'object', additionalProperties: false, properties: { title: text, body: text } },
    answers: answers(201, PullRequest),
    handle: withPull(201, (pull, { body }) => {
      Object.assign(pull, titled(String(body['title'])), { body: body['body'] });
    }),
  },
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

function create({ state, body }: HandledCall): Answer {
  const { head = '', base = '', title = '', body: description = '' } = body as Record<string, string>;
  const refused = (status: number, message: string): Answer => ({
    status,
    body: { message, url: 'https://gitea.test/api/swagger' },
  });
  if (!state.hasBranch(head) || !state.hasBranch(base)) {
    return refused(404, `The branch ${state.hasBranch(head) ? base : head} couldn't be found.`);
  }
  const known = duplicateOf(state, head, base);
  if (known) {
    const targets = `id: ${known.number}, issue_id: ${known.number}, head_branch: ${head}, base_branch: ${base}`;
    return refused(409, `pull request already exists for these targets [${targets}]`);
  }
  return {
    status: 201,
    body: bodyOf(state, openPull(state, { ...titled(title), body: description, head, base })),
  };
}

function titled(title: string): { title: string; draft: boolean } {
  return { title, draft: /^(?:wip:|\[wip\])/i.test(title) };
}

function withPull(status: number, change: (pull: FakePull, call: HandledCall) => void) {
  return (call: HandledCall): Answer => {
    const pull = call.state.pulls.find(({ number }) => String(number) === call.parameters['index']);
    if (pull === undefined) return { status: 404, body: { message: 'The target couldn’t be found.' } };
    change(pull, call);
    return { status, body: bodyOf(call.state, pull) };
  };
}

function bodyOf(state: FakeState, pull: FakePull): object {
  const sha = '0'.repeat(40);
  return {
    id: 1000 + pull.number,
    number: pull.number,
    title: pull.title,
    body: pull.body,
    state: pull.state === 'open' ? 'open' : 'closed',
    draft: pull.draft,
    merged: pull.state === 'merged',
    html_url: `${state.origin}/${state.path}/pulls/${pull.number}`,
    head: { label: pull.head, ref: pull.head, sha, repo_id: pull.isFork ? 4 : 3 },
    base: { label: pull.base, ref: pull.base, sha, repo_id: 3 },
  };
}
