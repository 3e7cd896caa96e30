/**
 * Comments, builds, reports and permissions of the fake of Bitbucket Data Center.
 * https://developer.atlassian.com/server/bitbucket/rest/v906/
 */
import { addComment, idOf, type FakeComment, type FakeStatus } from './conversation.ts';
import type { Answer, FakeState, HandledCall, Operation } from './server.ts';

const text = { type: 'string' };
const count = { type: 'integer', minimum: 0 };
const User = { type: 'object', required: ['id', 'name', 'slug', 'active'] };
const Comment = {
  type: 'object',
  required: ['id', 'version', 'text', 'author', 'comments'],
  properties: { id: count, version: count, text, author: User, comments: { type: 'array' } },
};
const Failure = {
  type: 'object',
  required: ['errors'],
  properties: { errors: { type: 'array', minItems: 1 } },
};
const answers = (status: number, schema: object) => ({
  [status]: schema,
  400: Failure,
  403: Failure,
  404: Failure,
  409: Failure,
});
const listOf = (item: object) => ({
  type: 'object',
  required: ['values', 'size', 'isLastPage'],
  properties: { values: { type: 'array', items: item } },
});
const object = (properties: Record<string, object>, ...optional: string[]) => ({
  type: 'object',
  additionalProperties: false,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  properties,
});
const pages = { start: count, limit: count };
const written = { type: 'string', minLength: 1, maxLength: 32_768 };
const url = { type: 'string', format: 'uri' };

const repository = '/projects/{project}/repos/{slug}';
const pullRequest = `${repository}/pull-requests/{id}`;
const report = `${repository}/commits/{hash}/reports/{report}`;
const insights = '/rest/insights/1.0';
const none = failure(404, 'Not there.', 'NoSuchObjectException');

export const reviewOperations: Operation[] = [
  {
    method: 'GET',
    path: '/application-properties',
    answers: answers(200, { type: 'object', required: ['version', 'displayName'] }),
    handle: ({ state }) => ({
      status: 200,
      body: { version: '9.6.0', displayName: 'Bitbucket' },
      headers: { 'x-ausername': encodeURIComponent(state.forking.account) },
    }),
  },
  {
    method: 'GET',
    path: '/users/{user}',
    answers: answers(200, User),
    handle: ({ parameters: { user = '' } }) =>
      idOf(user) === 0 ? none : { status: 200, body: userBody(user) },
  },
  {
    method: 'GET',
    path: '/users',
    query: {
      ...pages,
      filter: text,
      'permission.1': { enum: ['REPO_READ', 'REPO_WRITE', 'REPO_ADMIN'] },
      'permission.1.projectKey': text,
      'permission.1.repositorySlug': text,
    },
    answers: answers(200, listOf(User)),
    handle: ({ state, query }) => {
      const filter = query.get('filter') ?? '';
      const found = state.conversation.writers.filter((name) => name.includes(filter));
      return { status: 200, body: pageOf(found.map(userBody), query) };
    },
  },
  {
    method: 'GET',
    path: `${pullRequest}/merge`,
    answers: answers(200, { type: 'object', required: ['canMerge', 'conflicted', 'outcome', 'vetoes'] }),
    handle: ({ state, parameters }) => {
      const mergeable = state.pulls.find(({ number }) => String(number) === parameters['id'])?.isMergeable;
      const outcome = mergeable === true ? 'CLEAN' : mergeable === false ? 'CONFLICTED' : 'UNKNOWN';
      const conflicted = outcome === 'CONFLICTED';
      return { status: 200, body: { canMerge: outcome === 'CLEAN', conflicted, outcome, vetoes: [] } };
    },
  },
  {
    method: 'GET',
    path: `${pullRequest}/changes`,
    query: pages,
    answers: answers(200, listOf({ type: 'object', required: ['path', 'type'] })),
    handle: ({ state, query, parameters }) => {
      const pull = state.pulls.find(({ number }) => String(number) === parameters['id']);
      if (pull === undefined) return none;
      const values = pull.changes.map(({ path, from }) => ({
        path: { toString: path },
        type: from === undefined ? 'MODIFY' : 'MOVE',
        ...(from === undefined ? {} : { srcPath: { toString: from } }),
      }));
      return { status: 200, body: pageOf(values, query) };
    },
  },
  {
    method: 'GET',
    path: `${pullRequest}/activities`,
    query: pages,
    answers: answers(200, listOf({ type: 'object', required: ['id', 'action'] })),
    handle: ({ state, query, parameters }) => {
      const found = state.conversation.comments.filter(
        ({ pull, parent }) => String(pull) === parameters['id'] && parent === null,
      );
      const values = found.map((comment) => ({
        id: comment.id,
        action: 'COMMENTED',
        commentAction: 'ADDED',
        comment: commentBody(state, comment),
      }));
      const all = [...values.toReversed(), { id: 1, action: 'OPENED' }];
      return { status: 200, body: pageOf(all, query) };
    },
  },
  {
    method: 'GET',
    path: `${pullRequest}/comments/{comment}`,
    answers: answers(200, Comment),
    handle: (call) => {
      const found = findComment(call);
      return found === undefined ? none : { status: 200, body: commentBody(call.state, found) };
    },
  },
  {
    method: 'POST',
    path: `${pullRequest}/comments`,
    body: object({ text: written, parent: object({ id: count }) }, 'parent'),
    answers: answers(201, Comment),
    handle: ({ state, body, parameters }) => {
      const { text: given, parent } = body as { text: string; parent?: { id: number } };
      const comment = addComment(state.conversation, {
        pull: Number(parameters['id']),
        body: given,
        author: state.forking.account,
        parent: parent?.id ?? null,
      });
      return { status: 201, body: commentBody(state, comment) };
    },
  },
  {
    method: 'PUT',
    path: `${pullRequest}/comments/{comment}`,
    body: object({ text: written, version: count }),
    answers: answers(200, Comment),
    handle: (call) => {
      const found = findComment(call);
      if (found === undefined) return none;
      if (found.author !== call.state.forking.account)
        return failure(403, 'Forbidden.', 'AuthorisationException');
      if (found.version !== call.body['version']) {
        return failure(409, 'The comment is out-of-date.', 'comment.CommentOutOfDateException');
      }
      found.body = String(call.body['text']);
      found.version += 1;
      return { status: 200, body: commentBody(call.state, found) };
    },
  },
  {
    method: 'POST',
    path: `${repository}/commits/{hash}/builds`,
    body: object(
      {
        key: { type: 'string', maxLength: 255 },
        state: { enum: ['INPROGRESS', 'SUCCESSFUL', 'FAILED', 'CANCELLED', 'UNKNOWN'] },
        name: { type: 'string', maxLength: 255 },
        description: { type: 'string', maxLength: 255 },
        url,
      },
      'name',
      'description',
    ),
    answers: { 204: { type: 'null' }, 400: Failure },
    handle: ({ state, body, parameters }) => {
      const {
        key = '',
        state: given = '',
        name = '',
        description = '',
        url: targetUrl = '',
      } = body as Record<string, string>;
      const { statuses } = state.conversation;
      const status: FakeStatus = {
        commit: parameters['hash'] ?? '',
        key,
        state: given,
        title: name,
        description,
        targetUrl,
        externalId: null,
      };
      const known = statuses.find((one) => one.commit === status.commit && one.key === key);
      if (known === undefined) statuses.push(status);
      else Object.assign(known, status);
      return { status: 204, body: null };
    },
  },
  {
    method: 'DELETE',
    base: insights,
    path: report,
    answers: { 204: { type: 'null' }, 404: Failure },
    handle: ({ state, parameters }) => {
      const { conversation } = state;
      conversation.annotations = conversation.annotations.filter(
        ({ commit, key }) => commit !== parameters['hash'] || key !== parameters['report'],
      );
      return { status: 204, body: null };
    },
  },
  {
    method: 'PUT',
    base: insights,
    path: report,
    body: object(
      {
        title: { type: 'string', maxLength: 450 },
        details: { type: 'string', maxLength: 2000 },
        reporter: { type: 'string', maxLength: 450 },
        result: { enum: ['PASS', 'FAIL'] },
        link: url,
      },
      'link',
    ),
    answers: answers(200, { type: 'object' }),
    handle: ({ body }) => ({ status: 200, body }),
  },
  {
    method: 'POST',
    base: insights,
    path: `${report}/annotations`,
    body: object({
      annotations: {
        type: 'array',
        minItems: 1,
        maxItems: 1000,
        items: object({
          externalId: { type: 'string', maxLength: 450 },
          path: text,
          line: count,
          message: { type: 'string', maxLength: 2000 },
          severity: { enum: ['LOW', 'MEDIUM', 'HIGH'] },
          type: { enum: ['VULNERABILITY', 'CODE_SMELL', 'BUG'] },
        }),
      },
    }),
    answers: { 204: { type: 'null' }, 400: Failure },
    handle: ({ state, body, parameters: { hash = '', report: key = '' } }) => {
      const { annotations } = body as { annotations: { path: string; line: number; message: string }[] };
      for (const { path, line, message } of annotations)
        state.conversation.annotations.push({ commit: hash, key, path, line, message });
      return { status: 204, body: null };
    },
  },
];

export function userBody(name: string): object {
  return { id: idOf(name), name, slug: name, displayName: name, active: true, type: 'NORMAL' };
}

/** Answers are nested. */
function commentBody(state: FakeState, { id, version, body, author }: FakeComment): object {
  const answers = state.conversation.comments.filter(({ parent }) => parent === id);
  return {
    id,
    version,
    text: body,
    author: userBody(author),
    comments: answers.map((answer) => commentBody(state, answer)),
  };
}

function findComment({ state, parameters }: HandledCall): FakeComment | undefined {
  return state.conversation.comments.find(({ id }) => String(id) === parameters['comment']);
}

function pageOf(values: readonly object[], query: URLSearchParams): object {
  const start = Number(query.get('start') ?? 0);
  const limit = Number(query.get('limit') ?? 25);
  const isLastPage = values.length <= start + limit;
  const page = values.slice(start, start + limit);
  return {
    values: page,
    size: page.length,
    start,
    limit,
    isLastPage,
    nextPageStart: isLastPage ? null : start + limit,
  };
}

function failure(status: number, message: string, exception: string): Answer {
  return {
    status,
    body: { errors: [{ context: null, message, exceptionName: `com.atlassian.bitbucket.${exception}` }] },
  };
}
