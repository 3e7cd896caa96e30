/** What is answered past the app is what the app would have answered, and only where there is nothing to decide. */
import {
  request as send,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeader,
} from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { createKey } from '../keys/keys.ts';
import {
  cleanUp,
  composeForTest,
  createExport,
  createTenant,
  createTestProject,
  type TestContext,
} from '../testing.ts';
import { buildApp } from './app.ts';
import { listen } from './server.ts';

type Headers = Record<string, OutgoingHttpHeader>;

interface Answer {
  status: number | undefined;
  headers: IncomingHttpHeaders;
  body: string;
  /** Whether it came past the app. */
  isRepeated: boolean;
}

async function setUp(context?: TestContext) {
  context ??= await composeForTest();
  const tenant = await createTenant(context);
  const job = await createExport(context, tenant, await createTestProject(context, tenant));
  const app = buildApp(context, new AbortController().signal);
  const { answerAgain = () => false } = app;
  let isRepeated = false;
  app.answerAgain = (incoming, outgoing) => (isRepeated = answerAgain(incoming, outgoing));
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
    return { status: answer.statusCode, headers: answer.headers, body, isRepeated };
  };
  /** What is remembered lasts for a second; a machine may be busy for longer. */
  const askAgain = async (headers: Headers = {}): Promise<Answer> => {
    for (let tries = 0; tries < 30; tries += 1) {
      const answer = await ask(headers);
      if (answer.isRepeated) return answer;
    }
    throw new Error('No answer came past the app.');
  };
  return { context, tenant, job, ask, askAgain };
}

/** Without what is another one each time. */
function lasting({ 'x-request-id': _id, date: _date, ratelimit: _rate, ...rest }: IncomingHttpHeaders) {
  return rest;
}

function readsLeft({ headers }: Answer): number {
  return Number(/;r=(\d+)/.exec(String(headers['ratelimit']))?.[1]);
}

test('the same status is answered as the app has answered it', async () => {
  const { ask, askAgain } = await setUp();
  const [first, again] = [await ask(), await askAgain()];
  expect(first.isRepeated).toBe(false);
  expect(again.status).toBe(200);
  expect(again.body).toBe(first.body);
  expect(lasting(again.headers)).toEqual(lasting(first.headers));
  expect(again.headers['x-request-id']).toMatch(/^req_/);
  expect(readsLeft(again)).toBeLessThan(readsLeft(first));
});

test('so is one that the caller knows already, for free', async () => {
  const { ask, askAgain } = await setUp();
  const first = await ask();
  const known = { 'if-none-match': first.headers.etag ?? '' };
  const answers = [await ask(known), await askAgain(known), await askAgain(known)];
  expect(answers.map(({ status }) => status)).toEqual([304, 304, 304]);
  expect(answers.map(readsLeft)).toEqual(answers.map(() => readsLeft(first)));
  expect(lasting(answers[2]?.headers ?? {})).toEqual(lasting(answers[0]?.headers ?? {}));
});

test('the id of the request is the one that the caller gave, if it is one', async () => {
  const { askAgain } = await setUp();
  expect((await askAgain({ 'x-request-id': 'mine-1' })).headers['x-request-id']).toBe('mine-1');
  expect((await askAgain({ 'x-request-id': 'not this' })).headers['x-request-id']).toMatch(/^req_/);
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
    expect((await ask(headers, how)).isRepeated).toBe(false);
  });

  test('a key that comes twice', async () => {
    const { ask, tenant } = await setUp();
    await ask();
    const both = await ask({ authorization: [`Bearer ${tenant.key.key}`, 'Bearer another'] });
    expect(both).toMatchObject({ status: 401, isRepeated: false });
  });

  test('a caller who may not', async () => {
    const { ask, context, tenant } = await setUp();
    await ask();
    const { key } = await createKey(context, { name: 'Other', scopes: ['agent:read'], actor: tenant.actor });
    for (let time = 0; time < 2; time += 1) {
      expect(await ask({ authorization: `Bearer ${key}` })).toMatchObject({ status: 403, isRepeated: false });
    }
  });

  test('a key whose address has to be looked at', async () => {
    const { ask, context, tenant } = await setUp();
    const near = { name: 'Near', allowedAddresses: ['127.0.0.1'], actor: tenant.actor };
    const { key } = await createKey(context, near);
    for (let time = 0; time < 2; time += 1) {
      expect(await ask({ authorization: `Bearer ${key}` })).toMatchObject({ status: 200, isRepeated: false });
    }
  });

  test('a caller who has used everything up', async () => {
    const context = await composeForTest({ LIMIT_READS_PER_MINUTE: '3' });
    const { ask } = await setUp(context);
    const answers = [await ask(), await ask(), await ask(), await ask()];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
    expect(answers[3]?.isRepeated).toBe(false);
  });
});
