/** A fake of GitLab's API, version 4. https://docs.gitlab.com/api/merge_requests/ */
import { idOf as accountId } from './conversation.ts';
import { reviewOperations } from './gitlab-review.ts';
import {
  duplicateOf,
  fakeUsers,
  forkInto,
  isFinished,
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
const count = { type: 'integer', minimum: 1 };
const users = { type: 'array', items: { type: 'object', required: ['id', 'username'] } };
const ids = { type: 'array', items: count };
const MergeRequest = {
  type: 'object',
  required: [
    'id',
    'iid',
    'project_id',
    'title',
    'description',
    'state',
    'draft',
    'web_url',
    'source_branch',
    'target_branch',
    'source_project_id',
    'target_project_id',
    'merged_at',
  ],
  properties: {
    id: count,
    iid: count,
    project_id: count,
    title: { type: 'string', maxLength: 255 },
    description: { type: ['string', 'null'], maxLength: 1_048_576 },
    state: { enum: ['opened', 'closed', 'locked', 'merged'] },
    draft: { type: 'boolean' },
    web_url: { type: 'string', format: 'uri' },
    source_branch: text,
    target_branch: text,
    source_project_id: { type: ['integer', 'null'] },
    target_project_id: count,
    reviewers: users,
    assignees: users,
    merged_at: { type: ['string', 'null'], format: 'date-time' },
    sha: text,
    has_conflicts: { type: 'boolean' },
    detailed_merge_status: { enum: ['mergeable', 'conflict', 'checking'] },
  },
};
const Failure = {
  type: 'object',
  minProperties: 1,
  properties: { message: { type: ['string', 'array', 'object'] }, error: text },
};
const answers = (status: number, schema: object) => ({
  [status]: schema,
  400: Failure,
  404: Failure,
  409: Failure,
});

const project = '/projects/{id}';
const operations: Operation[] = [
  {
    method: 'GET',
    path: project,
    answers: answers(200, {
      type: 'object',
      required: ['id', 'default_branch'],
      properties: { default_branch: text },
    }),
    handle: ({ state, parameters: { id = '' } }) => {
      if (id === state.path) return { status: 200, body: projectBody(state, state.path, 'none') };
      if (id === '4') return { status: 200, body: projectBody(state, 'stranger/docs', 'finished') };
      const fork = state.forking.forks.find(({ path }) => path === id || String(idOf(state, path)) === id);
      if (fork === undefined) return { status: 404, body: { message: '404 Project Not Found' } };
      return {
        status: 200,
        body: projectBody(state, fork.path, isFinished(fork) ? 'finished' : 'started'),
      };
    },
  },
  {
    method: 'GET',
    path: `${project}/forks`,
    query: { owned: { enum: ['true', 'false'] }, per_page: { ...count, maximum: 100 } },
    answers: answers(200, { type: 'array' }),
    handle: ({ state }) => ({
      status: 200,
      body: state.forking.forks.map(({ path }) => projectBody(state, path, 'finished')),
    }),
  },
  {
    method: 'POST',
    path: `${project}/fork`,
    body: { type: 'object', additionalProperties: false, properties: { namespace_path: text } },
    answers: answers(201, { type: 'object', required: ['id', 'path_with_namespace', 'import_status'] }),
    handle: ({ state }) => ({
      status: 201,
      body: projectBody(state, forkInto(state).path, 'scheduled'),
    }),
  },
  {
    method: 'GET',
    path: `${project}/merge_requests`,
    query: {
      state: { enum: ['opened', 'closed', 'locked', 'merged', 'all'] },
      source_branch: text,
      per_page: { ...count, maximum: 100 },
    },
    answers: answers(200, { type: 'array', items: MergeRequest }),
    handle: ({ state, query }) => {
      const found = state.pulls.filter(
        (pull) => pull.state === 'open' && pull.head === query.get('source_branch'),
      );
      return { status: 200, body: found.toReversed().map((pull) => bodyOf(state, pull)) };
    },
  },
  {
    method: 'POST',
    path: `${project}/merge_requests`,
    body: {
      type: 'object',
      required: ['source_branch', 'target_branch', 'title'],
      additionalProperties: false,
      properties: {
        source_branch: text,
        target_branch: text,
        title: text,
        description: { type: 'string', maxLength: 1_048_576 },
        target_project_id: count,
        allow_collaboration: { type: 'boolean' },
      },
    },
    answers: answers(201, MergeRequest),
    handle: create,
  },
  {
    method: 'GET',
    path: `${project}/merge_requests/{iid}`,
    answers: answers(200, MergeRequest),
    handle: withPull(() => undefined),
  },
  {
    method: 'PUT',
    path: `${project}/merge_requests/{iid}`,
    body: {
      type: 'object',
      additionalProperties: false,
      minProperties: 1,
      properties: {
        title: text,
        description: text,
        add_labels: text,
        reviewer_ids: ids,
        assignee_ids: ids,
      },
    },
    answers: answers(200, MergeRequest),
    handle: withPull(update),
  },
  {
    method: 'GET',
    path: '/users',
    query: { username: text },
    answers: answers(200, users),
    handle: ({ query }) => ({ status: 200, body: viewUsers([query.get('username') ?? '']) }),
  },
  ...reviewOperations,
];

export function startFakeGitlab(options: FakeOptions = {}): Promise<FakeForge> {
  const token = 'glpat-only-for-tests';
  return startFake(
    {
      base: '/api/v4',
      token,
      clonePath: (path) => `${path}.git`,
      operations,
      failure: (status, sentence) => ({ message: `${status} ${sentence}` }),
      isAuthorized: ({ authorization }) => authorization === `Bearer ${token}`,
    },
    options,
  );
}

/** The repository, the fork of a stranger, then those of the account. */
function idOf(state: FakeState, path: string): number {
  if (path === state.path) return 3;
  return 4 + 1 + state.forking.forks.findIndex((fork) => fork.path === path);
}

function projectBody(state: FakeState, path: string, status: string): object {
  const id = path === 'stranger/docs' ? 4 : idOf(state, path);
  return {
    id,
    path_with_namespace: path,
    default_branch: state.defaultBranch,
    import_status: status,
    http_url_to_repo: `${state.origin}/${path}.git`,
  };
}

function create({ state, body, parameters }: HandledCall): Answer {
  const from = parameters['id'] === state.path ? null : (parameters['id'] ?? null);
  if (from !== null && body['target_project_id'] !== 3) {
    return { status: 400, body: { message: { target_project: ['is not the parent'] } } };
  }
  const {
    source_branch: head = '',
    target_branch: base = '',
    title = '',
    description = '',
  } = body as Record<string, string>;
  if (!state.hasBranch(head))
    return { status: 400, body: { message: { source_branch: ['does not exist'] } } };
  // Real installations accept a missing target branch and show an empty request; this fake is stricter.
  if (!state.hasBranch(base))
    return { status: 400, body: { message: { target_branch: ['does not exist'] } } };
  const known = duplicateOf(state, head, base, from);
  if (known) {
    const message = [`Another open merge request already exists for this source branch: !${known.number}`];
    return { status: 409, body: { message } };
  }
  return {
    status: 201,
    body: bodyOf(
      state,
      openPull(state, {
        ...titled(title),
        body: description,
        head,
        base,
        from,
        maintainersMayEdit: body['allow_collaboration'] === true,
      }),
    ),
  };
}

function update(pull: FakePull, { body }: HandledCall): void {
  const { title, description = pull.body, add_labels: labels } = body as Record<string, string>;
  if (title !== undefined) Object.assign(pull, titled(title));
  pull.body = description;
  if (labels !== undefined) pull.labels = joined(pull.labels, labels.split(','));
  const { reviewer_ids: reviewers, assignee_ids: assignees } = body as Record<string, number[]>;
  if (reviewers !== undefined) pull.reviewers = namesOf(reviewers);
  if (assignees !== undefined) pull.assignees = namesOf(assignees);
}

function namesOf(ids: readonly number[]): string[] {
  return ids.flatMap((id) => [...fakeUsers].flatMap(([name, known]) => (known === id ? [name] : [])));
}

function viewUsers(names: readonly string[]): object[] {
  return names.flatMap((username) => {
    const id = fakeUsers.get(username);
    return id === undefined ? [] : [{ id, username }];
  });
}

/** The title marks a draft and keeps its prefix. */
function titled(title: string): { title: string; draft: boolean } {
  return { title, draft: /^\s*(?:draft:|\[draft\]|\(draft\))/i.test(title) };
}

function withPull(change: (pull: FakePull, call: HandledCall) => void) {
  return (call: HandledCall): Answer => {
    const pull = call.state.pulls.find(({ number }) => String(number) === call.parameters['iid']);
    if (pull === undefined) return { status: 404, body: { message: '404 Not found' } };
    change(pull, call);
    return { status: 200, body: bodyOf(call.state, pull) };
  };
}

/** Null after the fork was deleted. */
function sourceId(state: FakeState, pull: FakePull): number | null {
  if (pull.isHeadDeleted) return null;
  return pull.isFork ? 4 : idOf(state, sourceOf(state, pull));
}

function bodyOf(state: FakeState, pull: FakePull): object {
  return {
    id: 1000 + pull.number,
    iid: pull.number,
    project_id: 3,
    title: pull.title,
    description: pull.body,
    state: pull.state === 'open' ? 'opened' : pull.state,
    draft: pull.draft,
    web_url: `${state.origin}/${state.path}/-/merge_requests/${pull.number}`,
    source_branch: pull.head,
    target_branch: pull.base,
    source_project_id: sourceId(state, pull),
    target_project_id: 3,
    sha: pull.headCommit,
    diff_refs: { base_sha: pull.baseCommit, head_sha: pull.headCommit, start_sha: pull.baseCommit },
    has_conflicts: pull.isMergeable === false,
    detailed_merge_status:
      pull.isMergeable === null ? 'checking' : pull.isMergeable ? 'mergeable' : 'conflict',
    author: { id: accountId(pull.author), username: pull.author },
    reviewers: viewUsers(pull.reviewers),
    assignees: viewUsers(pull.assignees),
    merged_at: pull.state === 'merged' ? '2026-03-01T12:00:00Z' : null,
  };
}
