/**
 * A fake of the Bitbucket Data Center API, version 1.0. An update names the version it is based on and removes fields that it
 * omits.
 */
import { reviewOperations, userBody } from './bitbucket-data-center-review.ts';
import {
  duplicateOf,
  fakeUsers,
  joined,
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
const Reviewers = {
  type: 'array',
  items: { type: 'object', required: ['user'], properties: { user: { type: 'object', required: ['name'] } } },
};
const End = {
  type: 'object',
  required: ['id', 'displayId', 'latestCommit', 'repository'],
  properties: { id: { type: 'string', pattern: '^refs/heads/' } },
};
const PullRequest = {
  type: 'object',
  required: ['id', 'version', 'title', 'state', 'open', 'closed', 'fromRef', 'toRef', 'reviewers', 'links'],
  properties: {
    id: { type: 'integer', minimum: 1 },
    version: { type: 'integer', minimum: 0 },
    state: { enum: ['OPEN', 'MERGED', 'DECLINED'] },
    fromRef: End,
    toRef: End,
    reviewers: Reviewers,
    links: { type: 'object', required: ['self'] },
  },
};
const Failure = {
  type: 'object',
  required: ['errors'],
  properties: { errors: { type: 'array', minItems: 1 } },
};
const answers = (status: number, schema: object) => ({
  [status]: schema,
  400: Failure,
  404: Failure,
  409: Failure,
});
const WantedEnd = {
  type: 'object',
  additionalProperties: false,
  required: ['id', 'repository'],
  properties: {
    id: { type: 'string', pattern: '^refs/heads/' },
    repository: {
      type: 'object',
      required: ['slug', 'project'],
      properties: { slug: text, project: { type: 'object', required: ['key'] } },
    },
  },
};

const repository = '/projects/{project}/repos/{slug}';
const operations: Operation[] = [
  {
    method: 'GET',
    path: `${repository}/default-branch`,
    answers: answers(200, { type: 'object', required: ['id', 'displayId'] }),
    handle: ({ state }) => ({
      status: 200,
      body: { id: `refs/heads/${state.defaultBranch}`, displayId: state.defaultBranch, type: 'BRANCH' },
    }),
  },
  {
    method: 'GET',
    path: repository,
    answers: answers(200, { type: 'object', required: ['slug', 'id', 'project'] }),
    handle: ({ state, parameters: { project, slug } }) => {
      const path = `${project}/${slug}`;
      const isKnown = path === state.path || state.forking.forks.some((fork) => fork.path === path);
      if (!isKnown) return failure(404, 'No such repository.', 'repository.NoSuchRepositoryException');
      return { status: 200, body: repositoryBody(state, path) };
    },
  },
  {
    method: 'GET',
    path: `${repository}/pull-requests`,
    query: {
      state: { enum: ['ALL', 'OPEN', 'DECLINED', 'MERGED'] },
      direction: { enum: ['INCOMING', 'OUTGOING'] },
      at: { type: 'string', pattern: '^refs/heads/' },
      limit: { type: 'integer', minimum: 1 },
    },
    answers: answers(200, {
      type: 'object',
      required: ['values'],
      properties: { values: { type: 'array', items: PullRequest } },
    }),
    handle: ({ state, query, parameters: { project, slug } }) => {
      const isFork = `${project}/${slug}` !== state.path;
      const found = state.pulls.filter(
        (pull) =>
          pull.state === 'open' &&
          `refs/heads/${pull.head}` === query.get('at') &&
          (pull.from !== null) === isFork,
      );
      return {
        status: 200,
        body: {
          size: found.length,
          isLastPage: true,
          values: found.toReversed().map((pull) => bodyOf(state, pull)),
        },
      };
    },
  },
  {
    method: 'POST',
    path: `${repository}/pull-requests`,
    body: {
      type: 'object',
      additionalProperties: false,
      required: ['title', 'fromRef', 'toRef'],
      properties: {
        title: text,
        description,
        fromRef: WantedEnd,
        toRef: WantedEnd,
        draft: { type: 'boolean' },
      },
    },
    answers: answers(201, PullRequest),
    handle: create,
  },
  {
    method: 'GET',
    path: `${repository}/pull-requests/{id}`,
    answers: answers(200, PullRequest),
    handle: withPull(() => undefined),
  },
  {
    method: 'PUT',
    path: `${repository}/pull-requests/{id}`,
    body: {
      type: 'object',
      additionalProperties: false,
      required: ['version', 'title'],
      properties: {
        version: { type: 'integer' },
        title: text,
        description,
        reviewers: Reviewers,
        draft: { type: 'boolean' },
      },
    },
    answers: answers(200, PullRequest),
    handle: withPull(update),
  },
  {
    method: 'POST',
    path: `${repository}/pull-requests/{id}/participants`,
    body: {
      type: 'object',
      additionalProperties: false,
      required: ['user', 'role'],
      properties: {
        user: { type: 'object', required: ['name'], properties: { name: text } },
        role: { enum: ['AUTHOR', 'REVIEWER', 'PARTICIPANT'] },
      },
    },
    answers: answers(200, { type: 'object', required: ['user', 'role'] }),
    handle: withPull((pull, { body }) => {
      const { name } = body['user'] as { name: string };
      if (!fakeUsers.has(name))
        return failure(404, `The user ${name} does not exist.`, 'user.NoSuchUserException');
      pull.reviewers = joined(pull.reviewers, [name]);
      return { status: 200, body: { user: { name }, role: 'REVIEWER' } };
    }),
  },
  ...reviewOperations,
];

export function startFakeBitbucketDataCenter(options: FakeOptions = {}): Promise<FakeForge> {
  const token = 'data-center-only-for-tests';
  return startFake(
    {
      base: '/rest/api/1.0',
      token,
      clonePath: (path) => `scm/${path}.git`,
      operations,
      failure: (_, message) => ({ errors: [{ context: null, message, exceptionName: null }] }),
      isAuthorized: ({ authorization }) => authorization === `Bearer ${token}`,
    },
    options,
  );
}

function create({ state, body }: HandledCall): Answer {
  const wanted = body as {
    title: string;
    description: string;
    draft?: boolean;
    fromRef: { id: string; repository: { slug: string; project: { key: string } } };
    toRef: { id: string };
  };
  const head = wanted.fromRef.id.replace('refs/heads/', '');
  const base = wanted.toRef.id.replace('refs/heads/', '');
  for (const name of [head, base]) {
    if (!state.hasBranch(name))
      return failure(404, `The branch ${name} is not there.`, 'commit.NoSuchCommitException');
  }
  const { slug, project } = wanted.fromRef.repository;
  const path = `${project.key}/${slug}`;
  const from = path === state.path ? null : path;
  if (duplicateOf(state, head, base, from)) {
    const message = 'Only one pull request may be open for a given source and target branch';
    return failure(409, message, 'pull.DuplicatePullRequestException');
  }
  const { title, description, draft = false } = wanted;
  return {
    status: 201,
    body: bodyOf(state, openPull(state, { title, body: description, draft, head, base, from })),
  };
}

interface Change {
  title: string;
  description?: string;
  draft?: boolean;
  reviewers?: { user: { name: string } }[];
}

function update(pull: FakePull, { body }: HandledCall): Answer | undefined {
  if (body['version'] !== pull.version) {
    const message = 'You are attempting to modify a pull request based on out-of-date information.';
    return failure(409, message, 'pull.PullRequestOutOfDateException');
  }
  const { title, description = '', reviewers = [], draft = pull.draft } = body as unknown as Change;
  pull.title = title;
  pull.body = description;
  pull.draft = draft;
  pull.reviewers = reviewers.map(({ user }) => user.name);
  pull.version += 1;
  return undefined;
}

function failure(status: number, message: string, exception: string): Answer {
  return {
    status,
    body: { errors: [{ context: null, message, exceptionName: `com.atlassian.bitbucket.${exception}` }] },
  };
}

function withPull(change: (pull: FakePull, call: HandledCall) => Answer | undefined) {
  return (call: HandledCall): Answer => {
    const pull = call.state.pulls.find(({ number }) => String(number) === call.parameters['id']);
    if (pull === undefined) return failure(404, 'No such pull request.', 'pull.NoSuchPullRequestException');
    return change(pull, call) ?? { status: 200, body: bodyOf(call.state, pull) };
  };
}

function repositoryBody(state: FakeState, path: string): object {
  const [key, slug] = path.split('/');
  return { id: path === state.path ? 3 : 4, slug, project: { key } };
}

function bodyOf(state: FakeState, pull: FakePull): object {
  const states = { open: 'OPEN', closed: 'DECLINED', merged: 'MERGED' };
  const end = (branch: string, path: string, latestCommit: string) => ({
    id: `refs/heads/${branch}`,
    displayId: branch,
    latestCommit,
    repository: repositoryBody(state, path),
  });
  const [project, slug] = state.path.split('/');
  return {
    id: pull.number,
    version: pull.version,
    title: pull.title,
    description: pull.body,
    state: states[pull.state],
    open: pull.state === 'open',
    closed: pull.state !== 'open',
    draft: pull.draft,
    fromRef: end(pull.head, sourceOf(state, pull), pull.headCommit),
    toRef: end(pull.base, state.path, pull.baseCommit),
    author: { user: userBody(pull.author), role: 'AUTHOR', approved: false },
    reviewers: pull.reviewers.map((name) => ({ user: { name }, role: 'REVIEWER', approved: false })),
    links: {
      self: [{ href: `${state.origin}/projects/${project}/repos/${slug}/pull-requests/${pull.number}` }],
    },
  };
}
