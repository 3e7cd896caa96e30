/**
 * Comments, build statuses, reports and permissions of the fake of Bitbucket Cloud.
 * https://developer.atlassian.com/cloud/bitbucket/rest/api-group-reports/
 */
import { addComment, uuidOf, type FakeComment, type FakeStatus } from './conversation.ts';
import type { Answer, FakeState, HandledCall, Operation } from './server.ts';

const text = { type: 'string' };
const count = { type: 'integer', minimum: 1 };
const object = (properties: Record<string, object>, ...optional: string[]) => ({
  type: 'object',
  additionalProperties: false,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  properties,
});
const User = object(
  { type: { enum: ['user', 'app_user'] }, uuid: text, display_name: text, nickname: text },
  'nickname',
);
const Comment = object(
  {
    type: { const: 'pullrequest_comment' },
    id: count,
    content: {
      type: 'object',
      required: ['raw'],
      properties: { raw: { type: 'string', maxLength: 32_768 } },
    },
    user: User,
    deleted: { type: 'boolean' },
    parent: { type: 'object', required: ['id'] },
    links: object({ html: object({ href: { type: 'string', format: 'uri' } }) }),
  },
  'parent',
);
const Failure = object({
  type: { const: 'error' },
  error: { type: 'object', required: ['message'], properties: { message: text } },
});
const answers = (status: number, schema: object) => ({
  [status]: schema,
  400: Failure,
  403: Failure,
  404: Failure,
});
const listOf = (item: object) =>
  object({ values: { type: 'array', items: item }, page: count, pagelen: count, next: text }, 'next');
const WrittenComment = object(
  {
    content: object({ raw: { type: 'string', minLength: 1, maxLength: 32_768 } }),
    parent: object({ id: count }),
  },
  'parent',
);
const Annotation = object({
  external_id: text,
  annotation_type: { enum: ['VULNERABILITY', 'CODE_SMELL', 'BUG'] },
  path: text,
  line: count,
  summary: { type: 'string', maxLength: 450 },
  severity: { enum: ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW'] },
});
const url = { type: 'string', format: 'uri' };

const repository = '/repositories/{workspace}/{slug}';
const comments = `${repository}/pullrequests/{id}/comments`;
const commit = `${repository}/commit/{hash}`;
const report = `${commit}/reports/{report}`;

export const reviewOperations: Operation[] = [
  {
    method: 'GET',
    path: '/user',
    answers: answers(200, User),
    handle: (call) =>
      isUser(call)
        ? { status: 200, body: userBody('docs-bot', 'user') }
        : failure(403, 'This API is not accessible by this authentication mechanism.'),
  },
  {
    method: 'GET',
    path: '/workspaces/{workspace}/permissions/repositories/{slug}',
    query: { q: text },
    answers: answers(200, { type: 'object', required: ['values'] }),
    handle: ({ state, query }) => {
      const [, uuid] = /^user\.uuid="(\{[0-9a-f-]+\})"$/.exec(query.get('q') ?? '') ?? [];
      const names = ['ada', 'grace', 'mallory'].filter((name) => uuidOf(name) === uuid);
      const values = names.map((name) => ({
        type: 'repository_permission',
        permission: state.conversation.writers.includes(name) ? 'write' : 'read',
        user: userBody(name, 'user'),
      }));
      return { status: 200, body: { values } };
    },
  },
  {
    method: 'GET',
    path: commit,
    answers: answers(200, { type: 'object', required: ['hash'] }),
    handle: ({ state, parameters: { hash = '' } }) => {
      const known = state.pulls.flatMap(({ headCommit, baseCommit }) => [headCommit, baseCommit]);
      const found = known.find((one) => one.startsWith(hash));
      return found === undefined ? failure(404, 'Commit not found') : { status: 200, body: { hash: found } };
    },
  },
  {
    method: 'GET',
    path: `${repository}/pullrequests/{id}/diffstat`,
    query: { page: count, pagelen: { ...count, maximum: 5000 } },
    answers: answers(200, listOf({ type: 'object', required: ['status', 'old', 'new'] })),
    handle: ({ state, query, parameters }) => {
      const pull = state.pulls.find(({ number }) => String(number) === parameters['id']);
      if (pull === undefined) return failure(404, 'No such pull request.');
      const values = pull.changes.map(({ path, from }) => ({
        status: from === undefined ? 'modified' : 'renamed',
        old: { path: from ?? path },
        new: { path },
      }));
      return { status: 200, body: pageOf(values, query) };
    },
  },
  {
    method: 'GET',
    path: comments,
    query: { page: count, pagelen: { ...count, maximum: 100 }, sort: text },
    answers: answers(200, listOf(Comment)),
    handle: ({ state, query, parameters }) => {
      const found = state.conversation.comments.filter(({ pull }) => String(pull) === parameters['id']);
      const values = found.map((comment) => commentBody(state, comment));
      return { status: 200, body: pageOf(values, query) };
    },
  },
  {
    method: 'GET',
    path: `${comments}/{comment}`,
    answers: answers(200, Comment),
    handle: (call) => {
      const found = findComment(call);
      if (found === undefined) return failure(404, 'Comment not found');
      return { status: 200, body: commentBody(call.state, found) };
    },
  },
  {
    method: 'POST',
    path: comments,
    body: WrittenComment,
    answers: answers(201, Comment),
    handle: (call) => {
      const { content, parent } = call.body as { content: { raw: string }; parent?: { id: number } };
      const comment = addComment(call.state.conversation, {
        pull: Number(call.parameters['id']),
        body: content.raw,
        author: call.state.forking.account,
        parent: parent?.id ?? null,
      });
      return { status: 201, body: commentBody(call.state, comment) };
    },
  },
  {
    method: 'PUT',
    path: `${comments}/{comment}`,
    body: WrittenComment,
    answers: answers(200, Comment),
    handle: (call) => {
      const found = findComment(call);
      if (found === undefined) return failure(404, 'Comment not found');
      if (found.author !== call.state.forking.account) return failure(403, 'You cannot edit this comment.');
      found.body = (call.body as { content: { raw: string } }).content.raw;
      return { status: 200, body: commentBody(call.state, found) };
    },
  },
  {
    method: 'POST',
    path: `${commit}/statuses/build`,
    body: object(
      {
        key: { type: 'string', maxLength: 40 },
        state: { enum: ['INPROGRESS', 'SUCCESSFUL', 'FAILED', 'STOPPED'] },
        name: text,
        description: { type: 'string', maxLength: 255 },
        url,
      },
      'name',
      'description',
    ),
    answers: answers(201, { type: 'object', required: ['key', 'state', 'url'] }),
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
      return { status: 201, body };
    },
  },
  {
    method: 'DELETE',
    path: report,
    answers: { 204: { type: 'null' }, 404: Failure },
    handle: ({ state, parameters }) => {
      const { conversation } = state;
      conversation.annotations = conversation.annotations.filter(
        ({ commit: on, key }) => on !== parameters['hash'] || key !== parameters['report'],
      );
      return { status: 204, body: null };
    },
  },
  {
    method: 'PUT',
    path: report,
    body: object(
      {
        title: text,
        details: text,
        report_type: { enum: ['SECURITY', 'COVERAGE', 'TEST', 'BUG'] },
        reporter: text,
        result: { enum: ['PASSED', 'FAILED', 'PENDING'] },
        link: url,
      },
      'link',
    ),
    answers: answers(200, { type: 'object' }),
    handle: ({ body }) => ({ status: 200, body }),
  },
  {
    method: 'POST',
    path: `${report}/annotations`,
    body: { type: 'array', minItems: 1, maxItems: 100, items: Annotation },
    answers: answers(200, { type: 'array' }),
    handle: ({ state, body, parameters: { hash = '', report: key = '' } }) => {
      for (const { path, line, summary } of body as unknown as Record<'path' | 'summary', string>[] &
        { line: number }[])
        state.conversation.annotations.push({ commit: hash, key, path, line, message: summary });
      return { status: 200, body };
    },
  },
];

function isUser({ authorization = '' }: HandledCall): boolean {
  return authorization.startsWith('Basic ');
}

export function userBody(login: string, type: 'user' | 'app_user'): object {
  return { type, uuid: uuidOf(login), display_name: login, nickname: login };
}

function isAppUser({ forking, conversation }: FakeState, login: string): boolean {
  return login === forking.account || conversation.appUsers.includes(login);
}

function commentBody(state: FakeState, { id, pull, body: raw, author, parent }: FakeComment): object {
  const href = `${state.origin}/${state.path}/pull-requests/${pull}#comment-${id}`;
  return {
    type: 'pullrequest_comment',
    id,
    content: { type: 'rendered', raw, markup: 'markdown', html: '' },
    user: userBody(author, isAppUser(state, author) ? 'app_user' : 'user'),
    deleted: false,
    ...(parent === null ? {} : { parent: { id: parent } }),
    links: { html: { href } },
  };
}

function findComment({ state, parameters }: HandledCall): FakeComment | undefined {
  return state.conversation.comments.find(({ id }) => String(id) === parameters['comment']);
}

function pageOf(values: readonly object[], query: URLSearchParams): object {
  const page = Number(query.get('page') ?? 1);
  const pagelen = Number(query.get('pagelen') ?? 10);
  const next = values.length > page * pagelen ? { next: 'https://evil.example/?page=2' } : {};
  return { values: values.slice((page - 1) * pagelen, page * pagelen), page, pagelen, ...next };
}

function failure(status: number, message: string): Answer {
  return { status, body: { type: 'error', error: { message } } };
}
