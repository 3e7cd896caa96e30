/** Comments, commit statuses and assignees of the fake of Gitea and Forgejo. */
import {
  addComment,
  fakeAccounts,
  idOf,
  linkedPage,
  type FakeComment,
  type FakeStatus,
} from './conversation.ts';
import type { Answer, FakeState, Operation } from './server.ts';

const text = { type: 'string' };
const count = { type: 'integer', minimum: 1 };
const User = { type: 'object', required: ['id', 'login'], properties: { id: count, login: text } };
const Comment = {
  type: 'object',
  required: ['id', 'html_url', 'body', 'user', 'created_at'],
  properties: {
    id: count,
    html_url: { type: 'string', format: 'uri' },
    body: text,
    user: User,
    created_at: { type: 'string', format: 'date-time' },
  },
};
const Status = {
  type: 'object',
  required: ['id', 'context', 'status', 'description', 'target_url'],
  properties: { status: { enum: ['pending', 'success', 'error', 'failure', 'warning', 'skipped'] } },
};
const Failure = { type: 'object', required: ['message'], properties: { message: text, url: text } };
const answers = (status: number, schema: object) => ({
  [status]: schema,
  403: Failure,
  404: Failure,
  422: Failure,
});
const body = {
  type: 'object',
  required: ['body'],
  additionalProperties: false,
  properties: { body: text },
};
const pages = { page: count, limit: count };
const repository = '/repos/{owner}/{repo}';
/** The largest page of an installation with the default settings. */
const maxSize = 50;
const notFound: Answer = { status: 404, body: { message: 'The target couldn’t be found.' } };

export const reviewOperations: Operation[] = [
  {
    method: 'GET',
    path: `${repository}/assignees`,
    answers: answers(200, { type: 'array', items: User }),
    handle: ({ state }) => ({ status: 200, body: state.conversation.writers.map(userBody) }),
  },
  {
    method: 'GET',
    path: `${repository}/pulls/{index}/files`,
    query: pages,
    answers: answers(200, { type: 'array', items: { type: 'object', required: ['filename', 'status'] } }),
    handle: ({ state, query, parameters }) => {
      const pull = state.pulls.find(({ number }) => String(number) === parameters['index']);
      if (pull === undefined) return notFound;
      const { items, headers } = linkedPage(pull.changes, query, { size: 'limit', maxSize });
      const files = items.map(({ path, from = '' }) => ({
        filename: path,
        previous_filename: from,
        status: from === '' ? 'changed' : 'renamed',
      }));
      return { status: 200, body: files, headers };
    },
  },
  {
    method: 'GET',
    path: `${repository}/issues/{index}/comments`,
    query: { since: text, before: text },
    answers: answers(200, { type: 'array', items: Comment }),
    handle: ({ state, parameters }) => {
      const found = state.conversation.comments.filter(({ pull }) => String(pull) === parameters['index']);
      return { status: 200, body: found.map((comment) => commentBody(state, comment)) };
    },
  },
  {
    method: 'POST',
    path: `${repository}/issues/{index}/comments`,
    body,
    answers: answers(201, Comment),
    handle: ({ state, body: sent, parameters }) => {
      const pull = Number(parameters['index']);
      const author = state.forking.account;
      const comment = addComment(state.conversation, { pull, body: String(sent['body']), author });
      return { status: 201, body: commentBody(state, comment) };
    },
  },
  {
    method: 'PATCH',
    path: `${repository}/issues/comments/{id}`,
    body,
    answers: answers(200, Comment),
    handle: ({ state, body: sent, parameters }) => {
      const comment = state.conversation.comments.find(({ id }) => String(id) === parameters['id']);
      if (comment === undefined) return notFound;
      if (comment.author !== state.forking.account) return { status: 403, body: { message: 'Forbidden' } };
      comment.body = String(sent['body']);
      return { status: 200, body: commentBody(state, comment) };
    },
  },
  {
    method: 'GET',
    path: `${repository}/commits/{ref}/statuses`,
    query: {
      ...pages,
      sort: { enum: ['oldest', 'recentupdate', 'leastupdate', 'leastindex', 'highestindex'] },
      state: text,
    },
    answers: answers(200, { type: 'array', items: Status }),
    handle: ({ state, query, parameters }) => {
      const found = state.conversation.statuses.filter(({ commit }) => commit === parameters['ref']);
      const { items, headers } = linkedPage(found.toReversed(), query, { size: 'limit', maxSize });
      return { status: 200, body: items.map(statusBody), headers };
    },
  },
  {
    method: 'POST',
    path: `${repository}/statuses/{sha}`,
    body: {
      type: 'object',
      required: ['state'],
      additionalProperties: false,
      properties: {
        context: text,
        description: text,
        state: { enum: ['pending', 'success', 'error', 'failure', 'warning', 'skipped'] },
        target_url: text,
      },
    },
    answers: answers(201, Status),
    handle: ({ state, body: sent, parameters }) => {
      const {
        context = '',
        description = '',
        state: given = '',
        target_url: url = '',
      } = sent as Record<string, string>;
      const status: FakeStatus = {
        commit: parameters['sha'] ?? '',
        key: context,
        state: given,
        title: '',
        description,
        targetUrl: url === '' ? null : url,
        externalId: null,
      };
      state.conversation.statuses.push(status);
      return { status: 201, body: statusBody(status) };
    },
  },
];

export function userBody(login: string): object {
  return { id: fakeAccounts.has(login) ? idOf(login) : 1, login };
}

function commentBody({ origin, path }: FakeState, { id, pull, body: written, author }: FakeComment): object {
  return {
    id,
    html_url: `${origin}/${path}/pulls/${pull}#issuecomment-${id}`,
    body: written,
    user: userBody(author),
    created_at: '2026-03-01T12:00:00Z',
  };
}

function statusBody({ key, state, description, targetUrl }: FakeStatus): object {
  return { id: 1, context: key, status: state, description, target_url: targetUrl ?? '' };
}
