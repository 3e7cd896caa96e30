import { execFileSync } from 'node:child_process';
import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { cleanUp } from '../../../../test/cleanups.ts';
import { temporaryFolder } from '../../../../test/temporary-resources.ts';
import { makeSite, requestFor, startServer, type TestServer } from '../../test/support/served-releases.ts';
import { AccessGate } from '../access/access-gate.ts';
import { PasswordSignIn } from '../access/password-sign-in.ts';
import { CookieSigner } from '../access/signed-cookies.ts';
import { mcpEndpoint } from '../mcp/mcp-endpoint.ts';
import { sessionKey } from '../../test/support/private-site.ts';
import { Analytics } from './analytics.ts';
import { AnalyticsDatabase, analyticsFile } from './analytics-database.ts';
import { analyticsEndpoints } from './endpoints.ts';
import { csvOfReadings } from './readings-csv.ts';

const log = pino({ level: 'silent' });
const browser = { 'User-Agent': 'Mozilla/5.0 (X11; Linux) Firefox/140.0', Accept: 'text/html,*/*;q=0.8' };
const id = 'aaaaaaaaaaaaaaaa';

interface Counting extends TestServer {
  analytics: Analytics;
  dataDir: string;
  post(target: string, body: unknown, headers?: Record<string, string>): Promise<number>;
}

interface StartOptions {
  basePath?: string;
  days?: string[];
  gate?: AccessGate;
}

async function start({
  basePath = '',
  days = ['2026-07-01'],
  ...options
}: StartOptions = {}): Promise<Counting> {
  const dataDir = temporaryFolder('analytics');
  let asked = 0;
  const now = () => new Date(`${days[Math.min(asked++, days.length - 1)]}T12:00:00Z`);
  const analytics = new Analytics({ dataDir, retentionDays: 30, log, now });
  const site = await makeSite({
    'index.html': 'home',
    'index.md': '# home',
    'guides/start.html': 'start',
    'guides/start.md': '# start',
    'guides/index.html': 'guides',
    'guides.md': '# guides',
    'notes.md': 'a file without a page',
    '404.html': 'missing',
    'picture.svg': '<svg/>',
    '_docyard/frame.html': 'a part',
  });
  const server = await startServer(site, { basePath, ...options });
  for (const endpoint of analyticsEndpoints(analytics, { url: null, trustedProxies: [] }))
    server.hosted.add(endpoint);
  server.hosted.observe(analytics);
  const post: Counting['post'] = async (target, body, headers = {}) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const own = { 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(text)) };
    const head = requestFor(target, { ...browser, ...own, ...headers }, 'POST');
    return (await server.ask(head + text)).status;
  };
  return { ...server, analytics, dataDir, post };
}

function countsOf({ analytics }: Counting): string[] {
  analytics.flush();
  return [...analytics.database.counts('2000-01-01')].map(
    ({ metric, name, reader, count }) => `${metric} ${name} ${reader} ${count}`,
  );
}

test('page views are counted by page, for humans and agents apart', async () => {
  const site = await start({ basePath: '/docs' });
  for (const path of ['/docs/', '/docs/guides/start', '/docs/guides/start?x=1', '/docs/guides/'])
    expect((await site.get(path, browser)).status).toBe(200);
  for (const [path, headers] of [
    ['/docs/guides/start.md', browser],
    ['/docs/guides/start', { ...browser, Accept: 'text/markdown' }],
    ['/docs/guides.md', browser],
    ['/docs/', { 'User-Agent': 'Mozilla/5.0 (compatible; GPTBot/1.2)' }],
    ['/docs/', {}],
    ['/docs/', { 'User-Agent': 'curl/8.5.0' }],
  ] as const)
    expect((await site.get(path, headers)).status).toBe(200);
  expect(countsOf(site)).toEqual([
    'views / agent 3',
    'views / human 1',
    'views /guides agent 1',
    'views /guides human 1',
    'views /guides/start agent 2',
    'views /guides/start human 2',
  ]);
});

test('a page that the browser has in its cache is counted, other files, parts and HEAD are not', async () => {
  const site = await start();
  const etag = (await site.get('/', browser)).headers['etag'] ?? '';
  expect((await site.get('/', { ...browser, 'If-None-Match': etag })).status).toBe(304);
  await site.get('/', { ...browser, Range: 'bytes=0-1' });
  await site.ask(requestFor('/', browser, 'HEAD'));
  for (const path of ['/picture.svg', '/notes.md', '/404.html', '/_docyard/frame.html', '/guides'])
    await site.get(path, browser);
  expect(countsOf(site)).toEqual(['views / human 2']);
});

test('pages that agents fetch over the MCP server are counted, other calls and further parts are not', async () => {
  const site = await start({ basePath: '/docs' });
  site.hosted.add(mcpEndpoint({ hosts: [] }));
  const client = new Client({ name: 'test', version: '1' });
  const url = new URL(`http://127.0.0.1:${site.port}/docs/mcp`);
  await client.connect(new StreamableHTTPClientTransport(url));
  cleanUp(() => client.close());
  const fetchPage = (page: string, offset = 0) =>
    client.callTool({ name: 'fetch_page', arguments: { page, offset } });
  for (const page of ['/guides/start', 'guides/start.md', '/docs/', 'guides', 'notes', 'gone', '../secret'])
    await fetchPage(page);
  await fetchPage('/guides/start', 3);
  await client.callTool({ name: 'list_navigation', arguments: {} });
  expect(countsOf(site)).toEqual(['views / agent 1', 'views /guides agent 1', 'views /guides/start agent 2']);
});

test('a reader without a session of a private site is asked to sign in, and nothing is counted', async () => {
  const gate = new AccessGate({
    signIn: new PasswordSignIn([]),
    cookies: new CookieSigner(sessionKey, 'docs'),
    sessionHours: 12,
    url: null,
    trustedProxies: [],
    isSignInOptional: false,
    siteName: 'Tides',
  });
  const site = await start({ gate });
  for (const path of ['/', '/gone', '/_docyard/feedback', '/_docyard/events']) {
    const { status, headers, text } = await site.get(path, browser);
    expect([status, headers['location'], text]).toEqual([
      303,
      `/_docyard/access/sign-in?to=${encodeURIComponent(path)}`,
      '',
    ]);
  }
  expect(await site.post('/_docyard/feedback', { id, path: '/', helpful: true })).toBe(401);
  expect(await site.post('/_docyard/feedback', { id, path: '/gone', helpful: true })).toBe(401);
  expect(await site.post('/_docyard/events', { search: 'quay', results: 0 })).toBe(401);
  expect(countsOf(site)).toEqual([]);
  expect([...site.analytics.database.feedback('2000-01-01')]).toEqual([]);
});

test('missing pages are counted for browsers, and their number per day is limited', async () => {
  const site = await start();
  for (const path of ['/gone', '/gone', '/%00', `/${'x'.repeat(2000)}`]) await site.get(path, browser);
  await site.get('/wp-login.php', { 'User-Agent': 'curl/8' });
  await site.get('/favicon.ico', { ...browser, Accept: 'image/*' });
  const client = await site.connect();
  for (let each = 0; each < 300; each += 1) await client.ask(requestFor(`/flood/${each}`, browser));
  const counts = countsOf(site);
  expect(counts).toHaveLength(201);
  expect(counts).toContain('missing /gone human 2');
  expect(counts).toContain(`missing /${'x'.repeat(299)} human 1`);
  expect(counts.find((each) => each.startsWith('missing (other)'))).toBe('missing (other) human 102');
});

test('feedback is stored once for each form, with its comment', async () => {
  const site = await start();
  expect((await site.get('/_docyard/feedback')).text).toBe('{"enabled":true}');
  const vote = { id, path: '/guides/start', helpful: false };
  expect(await site.post('/_docyard/feedback', vote)).toBe(204);
  expect(await site.post('/_docyard/feedback', vote)).toBe(204);
  site.analytics.flush();
  expect(await site.post('/_docyard/feedback', { ...vote, comment: ' Where is\u0000 the quay?\r\n ' })).toBe(
    204,
  );
  expect(await site.post('/_docyard/feedback', { ...vote, comment: 'another' })).toBe(204);
  site.analytics.flush();
  expect([...site.analytics.database.feedback('2000-01-01')]).toEqual([
    { id, day: '2026-07-01', path: '/guides/start', isHelpful: false, comment: 'Where is the quay?' },
  ]);
});

test('hostile requests are refused and leave nothing behind', async () => {
  const site = await start();
  const vote = { id, path: '/', helpful: true };
  const refused: [number, unknown, Record<string, string>?][] = [
    [403, vote, { Origin: 'https://evil.example' }],
    [403, vote, { Origin: 'null' }],
    [403, vote, { 'Sec-Fetch-Site': 'cross-site' }],
    [400, vote, { 'Content-Type': 'text/plain' }],
    [400, '{'],
    [400, { ...vote, id: 'x' }],
    [400, { ...vote, visitor: 'me' }],
    [400, { ...vote, helpful: 'yes' }],
    [413, { ...vote, comment: 'x'.repeat(20_000) }],
    [404, { ...vote, path: '/none' }],
    [404, { ...vote, path: '/../guides/start' }],
    [404, { ...vote, path: '/picture.svg' }],
    [404, { ...vote, path: '/guides/' }],
    [404, { ...vote, path: 'guides/start' }],
    [404, { ...vote, path: '/_docyard/frame' }],
  ];
  for (const [status, body, headers] of refused)
    expect([body, await site.post('/_docyard/feedback', body, headers)]).toEqual([body, status]);
  expect((await site.ask(requestFor('/_docyard/feedback', {}, 'DELETE'))).status).toBe(405);
  site.analytics.flush();
  expect([...site.analytics.database.feedback('2000-01-01')]).toEqual([]);
});

test('an address may send a limited number of requests', async () => {
  const site = await start();
  const statuses = new Set<number>();
  for (let each = 0; each < 32; each += 1)
    statuses.add(
      await site.post('/_docyard/feedback', { id: `form-${each}-aaaaaaaaaa`, path: '/', helpful: true }),
    );
  expect([...statuses]).toEqual([204, 429]);
  expect(await site.post('/_docyard/events', { search: 'tide', results: 0 })).toBe(204);
});

test('a day accepts a limited number of votes', async () => {
  const { analytics } = await start();
  const vote = (each: number) =>
    analytics.rated({ id: `form-${each}`, path: '/', isHelpful: true, comment: null });
  for (let each = 0; each < 1000; each += 1) expect(vote(each)).toBe(true);
  expect([vote(1000), vote(5)]).toEqual([false, true]);
  analytics.flush();
  expect(vote(1001)).toBe(false);
});

test('searches are counted, and those without results with their words unless these could identify someone', async () => {
  const site = await start();
  const search = (text: string, results: number, headers = {}) =>
    site.post('/_docyard/events', { search: text, results }, headers);
  await search('tides', 3);
  await search('  Tide   TABLE ', 0);
  await search('tide table', 0);
  await search('jane@example.com', 0);
  await search('+49 170 123-4567', 0);
  await search('sk_live_9f8e7d6c5b4a3f2e', 0);
  await search('my own words', 0, { 'Sec-GPC': '1' });
  expect(countsOf(site)).toEqual([
    'empty_searches (other) human 4',
    'empty_searches tide table human 2',
    'searches  human 7',
  ]);
});

test('the file holds no address, no user agent and no time of day', async () => {
  const site = await start();
  await site.get('/', browser);
  await site.post('/_docyard/feedback', { id, path: '/', helpful: true });
  site.analytics.stop();
  const database = new DatabaseSync(join(site.dataDir, analyticsFile));
  const tables = database.prepare("select name from sqlite_schema where type = 'table'").all();
  const content = tables.map(({ name }) => database.prepare(`select * from ${String(name)}`).all());
  expect(JSON.stringify(content)).not.toMatch(/127\.0\.0\.1|Firefox|12:00/);
  database.close();
});

test('counts older than the retention are removed', async () => {
  const site = await start({ days: ['2026-07-01', '2026-07-01', '2026-07-01', '2026-09-01'] });
  await site.get('/', browser);
  site.analytics.flush();
  expect(countsOf(site)).toEqual([]);
});

test('a locked or broken file fails no request, and the counts are written later', async () => {
  const site = await start();
  const other = new DatabaseSync(join(site.dataDir, analyticsFile));
  other.exec('begin immediate');
  expect((await site.get('/', browser)).status).toBe(200);
  site.analytics.flush();
  expect(await site.post('/_docyard/feedback', { id, path: '/', helpful: true })).toBe(204);
  other.exec('rollback');
  other.close();
  expect(countsOf(site)).toEqual(['views / human 1']);
});

test('a process that is killed between a write and the mark sends the same totals again', () => {
  const dataDir = temporaryFolder('killed');
  const script = `
    import { AnalyticsDatabase } from ${JSON.stringify(import.meta.resolve('./analytics-database.ts'))};
    const database = AnalyticsDatabase.open(${JSON.stringify(dataDir)});
    const count = { day: '2026-07-01', metric: 'views', name: '/', reader: 'human', count: 3 };
    database.add([count], []);
    database.markSent(database.unsent(10));
    database.add([count], []);
    database.unsent(10);
    process.kill(process.pid, 'SIGKILL');`;
  expect(() =>
    execFileSync(process.execPath, ['--input-type=module', '--eval', script], { stdio: 'ignore' }),
  ).toThrow('Command failed');
  const database = AnalyticsDatabase.open(dataDir);
  expect(database.unsent(10).counts.map(({ count }) => count)).toEqual([6]);
  database.markSent(database.unsent(10));
  expect(database.unsent(10).counts).toEqual([]);
  database.close();
});

test('cells of the CSV that a spreadsheet would run start with an apostrophe', () => {
  const day = '2026-07-01';
  const feedback = { id, day, path: '/', isHelpful: false, comment: '=HYPERLINK("https://evil.example")' };
  const count = { day, metric: 'empty_searches', name: '+cmd', reader: 'human', count: 2 } as const;
  expect([...csvOfReadings([count], [feedback])].join('')).toBe(
    'day,metric,name,reader,count,comment\r\n' +
      `2026-07-01,empty_searches,"'+cmd",human,2\r\n` +
      `2026-07-01,not_helpful,/,human,1,"'=HYPERLINK(""https://evil.example"")"\r\n`,
  );
});
