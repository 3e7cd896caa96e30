/**
 * Notes, members and commit statuses of the fake of GitLab. https://docs.gitlab.com/api/notes/
 * https://docs.gitlab.com/api/discussions/ https://docs.gitlab.com/api/members/ https://docs.gitlab.com/api/commits/
 */
import {
  addComment,
  fakeAccounts,
  idOf,
  linkedPage,
  type FakeComment,
  type FakeStatus,
} from './conversation.ts';
import type { Answer, FakeState, HandledCall, Operation } from './server.ts';

const text = { type: 'string' };
const count = { type: 'integer', minimum: 1 };
const User = { type: 'object', required: ['id', 'username'], properties: { id: count, username: text } };
const Note = {
  type: 'object',
  required: ['id', 'body', 'author', 'system', 'noteable_type', 'noteable_iid', 'created_at'],
  properties: {
    id: count,
    body: text,
    author: User,
    system: { type: 'boolean' },
    noteable_type: { const: 'MergeRequest' },
    noteable_iid: count,
    created_at: { type: 'string', format: 'date-time' },
  },
};
const Discussion = {
  type: 'object',
  required: ['id', 'individual_note', 'notes'],
  properties: { id: text, notes: { type: 'array', minItems: 1, items: Note } },
};
const Status = {
  type: 'object',
  required: ['id', 'sha', 'name', 'status', 'description', 'target_url'],
  properties: { status: { enum: ['pending', 'running', 'success', 'failed', 'canceled'] } },
};
const Failure = {
  type: 'object',
  minProperties: 1,
  properties: { message: { type: ['string', 'array', 'object'] }, error: text },
};
const answers = (status: number, schema: object) => ({
  [status]: schema,
  400: Failure,
  403: Failure,
  404: Failure,
});
const body = {
  type: 'object',
  required: ['body'],
  additionalProperties: false,
  properties: { body: { type: 'string', minLength: 1, maxLength: 1_000_000 } },
};
const pages = { page: count, per_page: { ...count, maximum: 100 } };
const request = '/projects/{id}/merge_requests/{iid}';
const notFound: Answer = { status: 404, body: { message: '404 Not found' } };

export const reviewOperations: Operation[] = [
  {
    method: 'GET',
    path: '/user',
    answers: answers(200, User),
    handle: ({ state }) => ({ status: 200, body: userBody(state.forking.account) }),
  },
  {
    method: 'GET',
    path: '/projects/{id}/members/all/{user_id}',
    answers: answers(200, {
      type: 'object',
      required: ['id', 'username', 'state', 'access_level'],
      properties: { access_level: { enum: [0, 5, 10, 15, 20, 30, 40, 50] } },
    }),
    handle: ({ state, parameters }) => {
      const name = [...fakeAccounts].find(([, id]) => String(id) === parameters['user_id'])?.[0];
      if (name === undefined || name === 'mallory') return notFound;
      const level = state.conversation.writers.includes(name) ? 30 : 20;
      return { status: 200, body: { ...userBody(name), state: 'active', access_level: level } };
    },
  },
  {
    method: 'GET',
    path: `${request}/diffs`,
    query: pages,
    answers: answers(200, {
      type: 'array',
      items: { type: 'object', required: ['old_path', 'new_path', 'diff'] },
    }),
    handle: ({ state, query, parameters }) => {
      const pull = state.pulls.find(({ number }) => String(number) === parameters['iid']);
      if (pull === undefined) return notFound;
      const { items, headers } = linkedPage(pull.changes, query, { size: 'per_page' });
      const diffs = items.map(({ path, from }) => ({ old_path: from ?? path, new_path: path, diff: '' }));
      return { status: 200, body: diffs, headers };
    },
  },
  {
    method: 'GET',
    path: `${request}/notes`,
    query: { ...pages, sort: { enum: ['asc', 'desc'] }, order_by: { enum: ['created_at', 'updated_at'] } },
    answers: answers(200, { type: 'array', items: Note }),
    handle: ({ state, query, parameters }) => {
      const all = state.conversation.comments.filter(({ pull }) => String(pull) === parameters['iid']);
      const sorted = query.get('sort') === 'asc' ? all : all.toReversed();
      const { items, headers } = linkedPage(sorted, query, { size: 'per_page' });
      return { status: 200, body: items.map(noteBody), headers };
    },
  },
  {
    method: 'POST',
    path: `${request}/notes`,
    body,
    answers: answers(201, Note),
    handle: (call) => create(call, null),
  },
  {
    method: 'PUT',
    path: `${request}/notes/{note_id}`,
    body,
    answers: answers(200, Note),
    handle: ({ state, body: sent, parameters }) => {
      const note = state.conversation.comments.find(({ id }) => String(id) === parameters['note_id']);
      if (note === undefined) return notFound;
      if (note.author !== state.forking.account) return { status: 403, body: { message: '403 Forbidden' } };
      note.body = String(sent['body']);
      return { status: 200, body: noteBody(note) };
    },
  },
  {
    method: 'GET',
    path: `${request}/discussions/{discussion_id}`,
    answers: answers(200, Discussion),
    handle: ({ state, parameters }) => {
      const [first, ...more] = notesOf(state, parameters['discussion_id'] ?? '');
      if (first === undefined) return notFound;
      const notes = [first, ...more].map(noteBody);
      const id = discussionOf(first.id);
      return { status: 200, body: { id, individual_note: more.length === 0, notes } };
    },
  },
  {
    method: 'POST',
    path: `${request}/discussions/{discussion_id}/notes`,
    body,
    answers: answers(201, Note),
    handle: (call) => {
      const [first] = notesOf(call.state, call.parameters['discussion_id'] ?? '');
      return first === undefined ? notFound : create(call, first.id);
    },
  },
  {
    method: 'GET',
    path: '/projects/{id}/repository/commits/{sha}/statuses',
    query: { ...pages, name: text },
    answers: answers(200, { type: 'array', items: Status }),
    handle: ({ state, query, parameters }) => ({
      status: 200,
      body: statusesOf(state, parameters['sha'], query.get('name')).map(statusBody),
    }),
  },
  {
    method: 'POST',
    path: '/projects/{id}/statuses/{sha}',
    body: {
      type: 'object',
      required: ['state'],
      additionalProperties: false,
      properties: {
        state: { enum: ['pending', 'running', 'success', 'failed', 'canceled', 'skipped'] },
        name: text,
        description: { type: 'string', maxLength: 255 },
        target_url: { type: 'string', format: 'uri', maxLength: 255 },
      },
    },
    answers: answers(201, Status),
    handle: setStatus,
  },
];

/** Lines such as `/close` are quick actions, which GitLab removes and runs. */
function create({ state, body: sent, parameters }: HandledCall, parent: number | null): Answer {
  const pull = state.pulls.find(({ number }) => String(number) === parameters['iid']);
  if (pull === undefined) return notFound;
  if (/^\/close\b/m.test(String(sent['body']))) pull.state = 'closed';
  const note = addComment(state.conversation, {
    pull: pull.number,
    parent,
    body: String(sent['body']),
    author: state.forking.account,
  });
  return { status: 201, body: noteBody(note) };
}

/** A pending status stays as it is; one that ended is followed by another. */
function setStatus({ state, body: sent, parameters }: HandledCall): Answer {
  const {
    state: wanted = '',
    name = 'default',
    description = '',
    target_url: targetUrl = null,
  } = sent as Record<string, string>;
  const sha = parameters['sha'] ?? '';
  const status: FakeStatus = {
    commit: sha,
    key: name,
    state: wanted,
    title: '',
    description,
    targetUrl,
    externalId: null,
  };
  const active = statusesOf(state, sha, name).find((one) => one.state === 'pending');
  if (active !== undefined && wanted === 'pending') {
    const message = 'Cannot transition status via :enqueue from :pending';
    return { status: 400, body: { message } };
  }
  if (active === undefined) state.conversation.statuses.push(status);
  else Object.assign(active, status);
  return { status: 201, body: statusBody(status) };
}

function statusesOf({ conversation }: FakeState, sha: string | undefined, name: string | null): FakeStatus[] {
  const found = conversation.statuses.filter(({ commit, key }) => commit === sha && key === name);
  // Older ones are listed only with `all`.
  return found.slice(-1);
}

function statusBody({ commit, key, state, description, targetUrl }: FakeStatus): object {
  return { id: 1, sha: commit, name: key, status: state, description, target_url: targetUrl };
}

/** The id of the thread that begins with the note. */
export function discussionOf(note: number): string {
  return note.toString(16).padStart(40, '0');
}

function notesOf({ conversation }: FakeState, discussion: string): FakeComment[] {
  return conversation.comments.filter(({ id, parent }) => discussionOf(parent ?? id) === discussion);
}

function userBody(username: string): { id: number; username: string } {
  return { id: idOf(username), username };
}

function noteBody({ id, pull, body: written, author }: FakeComment): object {
  return {
    id,
    body: written,
    author: userBody(author),
    system: false,
    noteable_type: 'MergeRequest',
    noteable_iid: pull,
    created_at: '2026-03-01T12:00:00Z',
  };
}
