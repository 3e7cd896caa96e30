/** Comments, statuses, check runs and permissions of the fake of GitHub, described by its OpenAPI description. */
import { addComment, idOf, linkedPage, type FakeComment, type FakeStatus } from './conversation.ts';
import { described, sampleObject } from './github-description.ts';
import type { Answer, FakeState, HandledCall, Operation } from './server.ts';

interface ReviewSettings {
  /** Of each token of the App. */
  tokenPermissions: ReadonlyMap<string, Record<string, string>>;
}

const appId = 4711;
const slug = 'docyard-app';
const repository = '/repos/{owner}/{repo}';
const time = '2026-03-01T12:00:00Z';
const notFound: Answer = { status: 404, body: { message: 'Not Found' } };

export function reviewOperations(settings: ReviewSettings): Operation[] {
  const permissionsOf = ({ authorization = '' }: HandledCall) =>
    settings.tokenPermissions.get(authorization.replace(/^Bearer /, ''));
  const authorOf = (call: HandledCall) =>
    permissionsOf(call) === undefined ? call.state.forking.account : `${slug}[bot]`;
  const withChecks =
    (work: (call: HandledCall) => Answer) =>
    (call: HandledCall): Answer => {
      if (permissionsOf(call)?.['checks'] === 'write') return work(call);
      return { status: 403, body: { message: 'Resource not accessible by integration' } };
    };
  return [
    described('GET', '/app', () => ({
      status: 200,
      body: { ...sampleObject('integration'), id: appId, slug },
    })),
    described('GET', '/user', (call) => ({
      status: 200,
      body: { ...sampleObject('private-user'), ...nameOf(authorOf(call)) },
    })),
    described('GET', '/users/{username}', ({ parameters: { username = '' } }) =>
      idOf(username) === 0
        ? notFound
        : { status: 200, body: { ...sampleObject('public-user'), ...nameOf(username) } },
    ),
    described('GET', `${repository}/collaborators/{username}/permission`, ({ state, parameters }) => {
      const { username = '' } = parameters;
      if (idOf(username) === 0) return notFound;
      const permission = state.conversation.writers.includes(username) ? 'write' : 'read';
      const user = { ...sampleObject('nullable-collaborator'), ...nameOf(username) };
      return { status: 200, body: { permission, role_name: permission, user } };
    }),
    ...commentOperations(authorOf),
    described('GET', `${repository}/pulls/{pull_number}/files`, ({ state, query, parameters }) => {
      const pull = state.pulls.find(({ number }) => String(number) === parameters['pull_number']);
      if (pull === undefined) return notFound;
      const { items, headers } = linkedPage(pull.changes, query, { size: 'per_page' });
      const body = items.map(({ path, from }) => ({
        ...sampleObject('diff-entry'),
        filename: path,
        status: from === undefined ? 'modified' : 'renamed',
        ...(from === undefined ? {} : { previous_filename: from }),
      }));
      return { status: 200, body, headers };
    }),
    described('GET', `${repository}/commits/{ref}/statuses`, ({ state, query, parameters }) => {
      const found = state.conversation.statuses.filter(({ commit }) => commit === parameters['ref']);
      const { items, headers } = linkedPage(found.toReversed(), query, { size: 'per_page' });
      return { status: 200, body: items.map(statusBody), headers };
    }),
    described('POST', `${repository}/statuses/{sha}`, ({ state, body, parameters }) => {
      const {
        context,
        description,
        state: given,
        target_url: targetUrl = null,
      } = body as Record<string, string>;
      if ((description ?? '').length > 140) {
        return {
          status: 422,
          body: { message: 'Validation Failed', documentation_url: 'https://docs.github.com' },
        };
      }
      const status: FakeStatus = {
        commit: parameters['sha'] ?? '',
        key: context ?? 'default',
        state: given ?? '',
        title: '',
        description: description ?? '',
        targetUrl,
        externalId: null,
      };
      state.conversation.statuses.push(status);
      return { status: 201, body: statusBody(status) };
    }),
    described(
      'GET',
      `${repository}/commits/{ref}/check-runs`,
      withChecks(({ state, query, parameters }) => {
        const { statuses } = state.conversation;
        const found = statuses.filter(
          ({ commit, key }) => commit === parameters['ref'] && key === query.get('check_name'),
        );
        const runs = found.slice(-1).map((status) => checkRunBody(state, statuses.indexOf(status) + 1));
        return { status: 200, body: { total_count: runs.length, check_runs: runs } };
      }),
    ),
    described(
      'POST',
      `${repository}/check-runs`,
      withChecks(({ state, body }) => {
        const { statuses } = state.conversation;
        const status = { commit: String(body['head_sha']), key: String(body['name']) };
        statuses.push({
          ...status,
          state: '',
          title: '',
          description: '',
          targetUrl: null,
          externalId: null,
        });
        updateCheckRun(state, statuses.length, body);
        return { status: 201, body: checkRunBody(state, statuses.length) };
      }),
    ),
    described(
      'PATCH',
      `${repository}/check-runs/{check_run_id}`,
      withChecks(({ state, body, parameters }) => {
        const id = Number(parameters['check_run_id']);
        if (state.conversation.statuses[id - 1] === undefined) return notFound;
        updateCheckRun(state, id, body);
        return { status: 200, body: checkRunBody(state, id) };
      }),
    ),
  ];
}

function commentOperations(authorOf: (call: HandledCall) => string): Operation[] {
  const list =
    (kind: FakeComment['kind'], parameter: string) =>
    ({ state, query, parameters }: HandledCall): Answer => {
      const found = state.conversation.comments.filter(
        (comment) => String(comment.pull) === parameters[parameter] && comment.kind === kind,
      );
      const { items, headers } = linkedPage(found, query, { size: 'per_page' });
      return { status: 200, body: items.map((comment) => commentBody(state, comment)), headers };
    };
  const create = (
    call: HandledCall,
    kind: FakeComment['kind'],
    pull: number,
    parent: number | null,
  ): Answer => {
    const body = String(call.body['body']);
    if (body.length > 65_536) {
      const message = 'Body is too long (maximum is 65536 characters)';
      return { status: 422, body: { message, documentation_url: 'https://docs.github.com' } };
    }
    const author = authorOf(call);
    const comment = addComment(call.state.conversation, { kind, pull, parent, body, author });
    return { status: 201, body: commentBody(call.state, comment) };
  };
  const edit = (call: HandledCall): Answer => {
    const comment = findComment(call);
    if (comment === undefined) return notFound;
    if (comment.author !== authorOf(call)) return { status: 403, body: { message: 'Forbidden' } };
    comment.body = String(call.body['body']);
    return { status: 200, body: commentBody(call.state, comment) };
  };
  return [
    described('GET', `${repository}/issues/{issue_number}/comments`, list('comment', 'issue_number')),
    described('POST', `${repository}/issues/{issue_number}/comments`, (call) =>
      create(call, 'comment', Number(call.parameters['issue_number']), null),
    ),
    described('PATCH', `${repository}/issues/comments/{comment_id}`, edit),
    described('GET', `${repository}/pulls/{pull_number}/comments`, list('line', 'pull_number')),
    described('GET', `${repository}/pulls/comments/{comment_id}`, (call) => {
      const comment = findComment(call);
      return comment?.kind === 'line' ? { status: 200, body: commentBody(call.state, comment) } : notFound;
    }),
    described('PATCH', `${repository}/pulls/comments/{comment_id}`, edit),
    described('POST', `${repository}/pulls/{pull_number}/comments/{comment_id}/replies`, (call) => {
      const parent = findComment(call);
      // Replies to replies are not supported.
      if (parent?.kind !== 'line' || parent.parent !== null) return notFound;
      return create(call, 'line', parent.pull, parent.id);
    }),
  ];
}

function findComment({ state, parameters }: HandledCall): FakeComment | undefined {
  return state.conversation.comments.find(({ id }) => String(id) === parameters['comment_id']);
}

function nameOf(login: string): { id: number; login: string } {
  return { id: idOf(login), login };
}

export function userBody(login: string): object {
  return { ...sampleObject('simple-user'), ...nameOf(login) };
}

function commentBody(state: FakeState, comment: FakeComment): object {
  const { id, pull, kind, body, author, parent } = comment;
  const schema = kind === 'line' ? 'pull-request-review-comment' : 'issue-comment';
  const page = `${state.origin}/${state.path}/pull/${pull}`;
  return {
    ...sampleObject(schema),
    id,
    body,
    html_url: kind === 'line' ? `${page}#discussion_r${id}` : `${page}#issuecomment-${id}`,
    user: userBody(author),
    ...(parent === null ? {} : { in_reply_to_id: parent }),
  };
}

function statusBody({ key, state, description, targetUrl }: FakeStatus): object {
  return { ...sampleObject('status'), context: key, state, description, target_url: targetUrl };
}

interface CheckRunFields {
  status?: string;
  conclusion?: string;
  external_id?: string;
  details_url?: string;
  output?: {
    title: string;
    summary: string;
    annotations?: { path: string; start_line: number; message: string }[];
  };
}

/** Annotations are added to those that the check run has. */
function updateCheckRun({ conversation }: FakeState, id: number, body: object): void {
  const run = conversation.statuses[id - 1];
  if (run === undefined) return;
  const {
    status,
    conclusion,
    external_id: externalId,
    details_url: targetUrl,
    output,
  } = body as CheckRunFields;
  Object.assign(run, {
    state: conclusion ?? status ?? run.state,
    externalId: externalId ?? run.externalId,
    targetUrl: targetUrl ?? run.targetUrl,
    title: output?.title ?? run.title,
    description: output?.summary ?? run.description,
  });
  for (const { path, start_line: line, message } of output?.annotations ?? []) {
    conversation.annotations.push({ commit: run.commit, key: `${run.key} ${id}`, path, line, message });
  }
}

function checkRunBody({ conversation }: FakeState, id: number): object {
  const run = conversation.statuses[id - 1];
  const isDone = run?.state !== 'in_progress';
  const count = conversation.annotations.filter(({ key }) => key === `${run?.key} ${id}`).length;
  return {
    ...sampleObject('check-run'),
    id,
    head_sha: run?.commit,
    name: run?.key,
    external_id: run?.externalId,
    details_url: run?.targetUrl,
    status: isDone ? 'completed' : 'in_progress',
    conclusion: isDone ? run?.state : null,
    completed_at: isDone ? time : null,
    output: {
      title: run?.title,
      summary: run?.description,
      text: null,
      annotations_count: count,
      annotations_url: 'https://github.test/',
    },
  };
}
