/** What is answered past the app is what the app would have answered, and only where there is nothing to decide. */
import {
  request as send,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeader,
} from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, test, vi } from 'vitest';
import { claimJob, reportProgress } from '../jobs/store.ts';
import { createKey, keyChanges } from '../keys/keys.ts';
import { Problem } from '../problem.ts';
import {
  cleanUp,
  composeForTest,
  createExport,
  createTenant,
  createTestProject,
  present,
  type TestContext,
} from '../testing.ts';
import { buildApp } from './app.ts';
import { listen } from './server.ts';

type Headers = Record<string, OutgoingHttpHeader>;

interface Answer {
  status: number | undefined;
  headers: IncomingHttpHeaders;
  body: string;
  isPastTheApp: boolean;
}

async function setUp(context?: TestContext) {
  context ??= await composeForTest();
  const tenant = await createTenant(context);
  const job = await createExport(context, tenant, await createTestProject(context, tenant));
  const app = buildApp(context, new AbortController().signal);
  const { answerPoll } = app;
  let isPastTheApp = false;
  app.answerPoll = (incoming, outgoing) => {
    isPastTheApp = false;
    return answerPoll?.(incoming, outgoing)?.then((isAnswered) => (isPastTheApp = isAnswered));
  };
  const server = await listen(app, { host: '127.0.0.1', port: 0 });
  cleanUp(() => server.close(0));
  const ask = async (headers: Headers = {}, { method = 'GET', query = '' } = {}): Promise<Answer> => {
    const path = `/v1/static-export/jobs/${job.id}${query}`;
    const wanted = { authorization: `Bearer ${tenant.key.key}`, ...headers };
    const options = { host: '127.0.0.1', port: server.port, path, method, headers: wanted };
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      send(options, resolve).once('error', reject).end();
    });
    const body = await text(answer);
    return { status: answer.statusCode, headers: answer.headers, body, isPastTheApp };
  };
  return { context, tenant, job, ask };
}

/** Without what is another one each time. */
function lasting({ 'x-request-id': _id, date: _date, ratelimit: _rate, ...rest }: IncomingHttpHeaders) {
  return rest;
}

function readsLeft({ headers }: Answer): number {
  return Number(/;r=(\d+)/.exec(String(headers['ratelimit']))?.[1]);
}

test('whoever has just called is answered as the app has answered', async () => {
  const { ask } = await setUp();
  const [first, again] = [await ask(), await ask()];
  expect([first, again].map(({ isPastTheApp }) => isPastTheApp)).toEqual([false, true]);
  expect(again.status).toBe(200);
  expect(again.body).toBe(first.body);
  expect(lasting(again.headers)).toEqual(lasting(first.headers));
  expect(again.headers['x-request-id']).toMatch(/^req_/);
  expect(readsLeft(again)).toBe(readsLeft(first) - 1);
});

test('so is one who knows the answer already, for free', async () => {
  const { ask } = await setUp();
  const first = await ask({ prefer: 'wait=0' });
  const known = { 'if-none-match': first.headers.etag ?? '' };
  const answers = [await ask({ ...known, 'content-length': 0 }), await ask(known), await ask(known)];
  expect(answers.map(({ isPastTheApp }) => isPastTheApp)).toEqual([false, true, true]);
  expect(answers.map(({ status }) => status)).toEqual([304, 304, 304]);
  expect(answers.map(readsLeft)).toEqual(answers.map(() => readsLeft(first)));
  expect(lasting(answers[2]?.headers ?? {})).toEqual(lasting(answers[0]?.headers ?? {}));
});

test('what has changed meanwhile is read past the app, too', async () => {
  const { ask, context, job } = await setUp();
  await ask();
  const claimed = present(await claimJob(context, job.id));
  for (const progress of [10, 20]) {
    await reportProgress(context, claimed, { progress });
    const answer = await ask();
    expect(answer.isPastTheApp).toBe(true);
    expect(JSON.parse(answer.body)).toMatchObject({ status: 'running', progress });
  }
});

test('the id of the request is the one that the caller gave, if it is one', async () => {
  const { ask } = await setUp();
  await ask();
  expect((await ask({ 'x-request-id': 'mine-1' })).headers['x-request-id']).toBe('mine-1');
  expect((await ask({ 'x-request-id': 'not this' })).headers['x-request-id']).toMatch(/^req_/);
});

describe('left to the app is', () => {
  const odd: [string, Headers, { method?: string; query?: string }][] = [
    ['another method', {}, { method: 'HEAD' }],
    ['a query', {}, { query: '?a=b' }],
    ['a wait', { prefer: 'wait=0' }, {}],
    ['a body', { 'content-length': 0 }, {}],
    ['a host that is none', { host: 'a b' }, {}],
    ['no key', { authorization: 'Basic abc' }, {}],
  ];
  test.each(odd)('%s', async (_name, headers, how) => {
    const { ask } = await setUp();
    await ask();
    expect((await ask(headers, how)).isPastTheApp).toBe(false);
  });

  test('a key that comes twice', async () => {
    const { ask, tenant } = await setUp();
    await ask();
    const both = await ask({ authorization: [`Bearer ${tenant.key.key}`, 'Bearer another'] });
    expect(both).toMatchObject({ status: 401, isPastTheApp: false });
  });

  test('a caller who may not', async () => {
    const { ask, context, tenant } = await setUp();
    await ask();
    const { key } = await createKey(context, { name: 'Other', scopes: ['agent:read'], actor: tenant.actor });
    for (let time = 0; time < 2; time += 1) {
      expect(await ask({ authorization: `Bearer ${key}` })).toMatchObject({
        status: 403,
        isPastTheApp: false,
      });
    }
  });

  test('a key whose address has to be looked at', async () => {
    const { ask, context, tenant } = await setUp();
    const near = { name: 'Near', allowedAddresses: ['127.0.0.1'], actor: tenant.actor };
    const { key } = await createKey(context, near);
    for (let time = 0; time < 2; time += 1) {
      expect(await ask({ authorization: `Bearer ${key}` })).toMatchObject({
        status: 200,
        isPastTheApp: false,
      });
    }
  });

  test('a job that is gone, which is counted once', async () => {
    const { ask, context, job } = await setUp();
    const first = await ask();
    await context.database.deleteFrom('jobs').where('id', '=', job.id).execute();
    context.changes.notify(job.id);
    const gone = await ask();
    expect(gone).toMatchObject({ status: 404, isPastTheApp: false });
    expect(readsLeft(gone)).toBe(readsLeft(first) - 1);
  });

  test('everything while changes cannot be heard', async () => {
    const { ask, context } = await setUp();
    await ask();
    Object.defineProperty(context.changes, 'isLive', { value: false });
    expect(await ask()).toMatchObject({ status: 200, isPastTheApp: false });
  });

  test('a caller who cannot be looked up at the moment', async () => {
    const { ask, context } = await setUp();
    await ask();
    context.changes.notify(keyChanges);
    const away = new Problem('storage_unavailable', 'Away.');
    vi.spyOn(context.database.getExecutor(), 'executeQuery').mockRejectedValue(away);
    expect(await ask()).toMatchObject({ status: 503, isPastTheApp: false });
    vi.restoreAllMocks();
    expect(await ask()).toMatchObject({ status: 200, isPastTheApp: true });
  });

  test('a caller who has used everything up', async () => {
    const context = await composeForTest({ LIMIT_READS_PER_MINUTE: '3' });
    const { ask } = await setUp(context);
    const answers = [await ask(), await ask(), await ask(), await ask()];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
    expect(answers[3]?.isPastTheApp).toBe(false);
  });
});
