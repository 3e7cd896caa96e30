import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { cleanUp } from '../../../../test/cleanups.ts';
import { startModelServer } from '../../../../test/fakes/model-server.ts';
import { type Page, searchableFiles } from '../../test/support/searchable-site.ts';
import { makeSite, startServer } from '../../test/support/served-releases.ts';
import type { Passage } from '../search/site-search.ts';
import type { AnswerSettings, EndpointSettings, ModelSettings } from './answer-settings.ts';
import { AskEndpoint } from './ask-endpoint.ts';
import { Reranker } from './embeddings.ts';
import type { Source } from './question.ts';

const question = 'Which berth price applies in January?';
const page = (title: string, text: string): Page => ({
  title,
  html: `<p>${text}</p>`,
  markdown: `# ${title}\n\n${text}\n`,
});
/** The search prefers the first, the vectors prefer the second. */
const pages = [
  page('Berth price', 'The berth price applies to every boat.'),
  page('Winter', 'From January on, a berth costs nothing.'),
];

/** Texts about the winter and the question have the same direction. */
const vectorOf = (input: string) =>
  input.startsWith('Winter') || input === question ? [3, 0.1, 0] : [0, 2, 0];
const listed = (input: readonly string[]) => ({
  data: input.map((each, index) => ({ object: 'embedding', index, embedding: vectorOf(each) })),
});

interface Received {
  input: string[];
  model: string;
  path: string | undefined;
  headers: IncomingHttpHeaders;
}

type Respond = (response: ServerResponse, input: string[]) => unknown;
const respondWith = (body: unknown): Respond => {
  return (response) => response.end(typeof body === 'string' ? body : JSON.stringify(body));
};
const respondNormally: Respond = (response, input) => response.end(JSON.stringify(listed(input)));

async function startEmbeddings(respond: Respond = respondNormally) {
  const requests: Received[] = [];
  const behavior = { respond };
  const server = createServer((request, response) => {
    void textOf(request).then((text) => {
      const body = JSON.parse(text) as { input: string[]; model: string };
      requests.push({ ...body, path: request.url, headers: request.headers });
      return behavior.respond(response, body.input);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUp(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const endpoint: EndpointSettings = { url, name: 'bge-m3', key: 'sk-secret-key' };
  return { endpoint, requests, behavior };
}

const settings: AnswerSettings = {
  model: null,
  embeddings: null,
  maxQuestionsPerHour: 100,
  maxTokensPerDay: 1_000_000,
  maxAnswerTokens: 200,
  timeoutSeconds: 20,
  instructions: '',
  site: { url: null, trustedProxies: [] },
};

function collectedLog() {
  const lines: string[] = [];
  return { lines, log: pino({ level: 'trace' }, { write: (line) => void lines.push(line) }) };
}

interface Options extends Partial<AnswerSettings> {
  sitePages?: readonly Page[];
  offline?: boolean;
}

async function startSite({ sitePages = pages, offline = false, ...given }: Options) {
  const { lines, log } = collectedLog();
  const { hosted, port } = await startServer(await makeSite(searchableFiles(sitePages)));
  hosted.add(new AskEndpoint({ ...settings, ...given }, { offline, log }));
  const ask = async (asked = question) => {
    const response = await fetch(`http://127.0.0.1:${port}/_docyard/ask`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ question: asked }),
    });
    const whole = (await response.json()) as { reason: string; passages: Source[]; citations: Source[] };
    return { ...whole, titles: whole.passages.map(({ title }) => title) };
  };
  return { ask, lines };
}

test('an embeddings endpoint changes the order of passages, also without a model', async () => {
  const { endpoint, requests } = await startEmbeddings();
  const searched = await startSite({});
  expect((await searched.ask()).titles).toEqual(['Berth price', 'Winter']);
  const { ask, lines } = await startSite({ embeddings: endpoint });
  expect(await ask()).toMatchObject({ reason: 'passages', titles: ['Winter', 'Berth price'] });
  expect(requests).toHaveLength(1);
  expect(requests[0]).toMatchObject({
    path: '/v1/embeddings',
    model: 'bge-m3',
    headers: { authorization: 'Bearer sk-secret-key' },
  });
  expect(requests[0]?.input).toHaveLength(3);
  expect(requests[0]?.input[0]).toBe(question);
  expect(lines).toEqual([]);
});

test('citations of a model name the passages in their new order', async () => {
  const { endpoint } = await startEmbeddings();
  const server = await startModelServer(() => ({ text: 'A berth costs nothing [1].' }));
  cleanUp(() => server.close());
  const model: ModelSettings = { provider: 'openai-compatible', url: server.url, name: 'small', key: null };
  const { ask } = await startSite({ model, embeddings: endpoint });
  const { citations } = await ask();
  expect(citations.map(({ title }) => title)).toEqual(['Winter']);
});

test('more passages are ranked than readers get', async () => {
  const { endpoint, requests } = await startEmbeddings();
  const many = Array.from({ length: 15 }, (_, at) =>
    page(`Berth ${at}`, `In January, the berth price is ${at} crowns.`),
  );
  const { ask } = await startSite({ embeddings: endpoint, sitePages: many });
  expect((await ask()).titles).toHaveLength(8);
  expect(requests[0]?.input).toHaveLength(16);
});

test('a passage is sent once, and every question', async () => {
  const { endpoint, requests } = await startEmbeddings();
  const { ask } = await startSite({ embeddings: endpoint });
  await ask();
  expect((await ask()).titles).toEqual(['Winter', 'Berth price']);
  expect(requests.map(({ input }) => input.length)).toEqual([3, 1]);
});

test('a question that no passage covers is not sent', async () => {
  const { endpoint, requests } = await startEmbeddings();
  const { ask } = await startSite({ embeddings: endpoint });
  expect(await ask('Who won the football world cup?')).toMatchObject({ reason: 'not_found' });
  expect(requests).toEqual([]);
});

const vectors = (...embeddings: unknown[]) => ({ data: embeddings.map((embedding) => ({ embedding })) });

test.each<[string, Respond, number?]>([
  ['refuses the key', (response) => response.writeHead(401).end(`sk-secret-key: ${question}`)],
  ['is overloaded', (response) => response.writeHead(503).end()],
  ['redirects', (response) => response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end(), 1],
  ['breaks off', (response) => response.write('{"data": [', () => response.destroy()), 1],
  ['never responds', () => {}, 1],
  ['sends no JSON', respondWith(question)],
  ['has no vectors', respondWith({ error: question })],
  ['sends too few vectors', respondWith(vectors([1, 0]))],
  ['sends vectors of different lengths', respondWith(vectors([1, 0], [1, 0], [1]))],
  ['sends empty vectors', respondWith(vectors([], [], []))],
  ['sends texts as vectors', respondWith(vectors(['1'], ['0'], ['1']))],
  ['sends infinite numbers', respondWith('{"data": [{"embedding": [1e999]}]}')],
  ['sends too much', respondWith(' '.repeat(5 * 1024 * 1024))],
])(
  'an endpoint that %s leaves the order of the search, with one warning',
  async (name, respond, requestCount = 3) => {
    const { endpoint, requests } = await startEmbeddings(respond);
    const timeoutSeconds = name === 'never responds' ? 1 : 20;
    const { ask, lines } = await startSite({ embeddings: endpoint, timeoutSeconds });
    for (let at = 0; at < 3; at += 1) expect((await ask()).titles).toEqual(['Berth price', 'Winter']);
    expect([lines.length, requests.length]).toEqual([1, requestCount]);
    expect(lines[0]).toContain(`the embeddings endpoint ${endpoint.url} failed: `);
    expect(lines[0]).not.toMatch(/january|berth|sk-secret-key/i);
  },
);

test('vectors of zeros and of huge numbers leave all passages', async () => {
  const { endpoint } = await startEmbeddings(respondWith(vectors([1e300, 1e300], [0, 0], [1e300, -1e300])));
  const { ask } = await startSite({ embeddings: endpoint });
  expect((await ask()).titles.toSorted()).toEqual(['Berth price', 'Winter']);
});

test('vectors in another order are assigned by their index', async () => {
  const { endpoint } = await startEmbeddings((response, input) => {
    const { data } = listed(input);
    response.end(JSON.stringify({ data: [...data.slice(-1), ...data.slice(0, -1)] }));
  });
  const { ask } = await startSite({ embeddings: endpoint });
  expect((await ask()).titles).toEqual(['Winter', 'Berth price']);
});

test('offline, an endpoint on another machine is not contacted', async () => {
  const endpoint = { url: 'http://192.0.2.1/v1', name: 'bge-m3', key: null };
  const { ask, lines } = await startSite({ embeddings: endpoint, offline: true });
  expect((await ask()).titles).toEqual(['Berth price', 'Winter']);
  expect(lines.join('')).toContain('OFFLINE is on: 192.0.2.1');
});

const passage = (text: string): Passage => ({
  path: 'a.html',
  url: '/a.html',
  title: 'A',
  heading: '',
  id: '',
  text,
  score: 1,
  coverage: 1,
});

function startReranker(endpoint: EndpointSettings) {
  const clock = { ms: 0 };
  const { lines, log } = collectedLog();
  const reranker = new Reranker(endpoint, { timeoutSeconds: 20, offline: false, log, now: () => clock.ms });
  const rerank = async (...texts: string[]) =>
    reranker.rerank(question, texts.map(passage), new AbortController().signal);
  return { rerank, clock, lines };
}

test('a minute after a broken connection the endpoint is asked again', async () => {
  const { endpoint, requests, behavior } = await startEmbeddings((response) => response.destroy());
  const { rerank, clock, lines } = startReranker(endpoint);
  clock.ms = 1000;
  await Promise.all([rerank('one'), rerank('two')]);
  behavior.respond = respondNormally;
  clock.ms = 60_999;
  await rerank('one');
  expect(requests).toHaveLength(2);
  clock.ms = 61_000;
  await rerank('one');
  expect([requests.length, lines.length]).toEqual([3, 1]);
});

test('a failure that lasts is logged once a minute', async () => {
  const { endpoint } = await startEmbeddings(respondWith('no'));
  const { rerank, clock, lines } = startReranker(endpoint);
  for (const ms of [100_000, 130_000, 159_999, 160_000]) {
    clock.ms = ms;
    await rerank('one');
  }
  expect(lines).toHaveLength(2);
});

test('another model behind the endpoint replaces the vectors', async () => {
  const { endpoint, requests, behavior } = await startEmbeddings();
  const { rerank, lines } = startReranker(endpoint);
  await rerank('one', 'two');
  behavior.respond = (response, input) =>
    response.end(JSON.stringify(vectors(...input.map(() => [1, 0, 0, 0]))));
  await rerank('one', 'two');
  expect(lines.join('')).toContain('its vectors have different lengths');
  await rerank('one', 'two');
  expect(requests.map(({ input }) => input.length)).toEqual([3, 1, 3]);
  expect(lines).toHaveLength(1);
});

test('vectors that were not used for the longest time are removed first', async () => {
  const { endpoint, requests } = await startEmbeddings();
  const { rerank } = startReranker(endpoint);
  await rerank('used', 'unused');
  const others = Array.from({ length: 3999 }, (_, at) => `text ${at}`);
  await rerank('used', ...others);
  await rerank('used', 'unused');
  expect(requests.at(-1)?.input).toEqual([question, 'A\n\nunused']);
});

test('a long passage is shortened without half of a character', async () => {
  const { endpoint, requests } = await startEmbeddings();
  const { rerank } = startReranker(endpoint);
  await rerank(`${'a'.repeat(1496)}😀 and more`);
  expect(requests[0]?.input[1]).toBe(`A\n\n${'a'.repeat(1496)}\u{fffd}`);
});

test('a canceled question gives no warning', async () => {
  const { endpoint } = await startEmbeddings(() => {});
  const { lines, log } = collectedLog();
  const reranker = new Reranker(endpoint, { timeoutSeconds: 20, offline: false, log });
  const canceling = new AbortController();
  const ranked = reranker.rerank(question, [passage('one')], canceling.signal);
  canceling.abort();
  expect(await ranked).toHaveLength(1);
  expect(lines).toEqual([]);
});
