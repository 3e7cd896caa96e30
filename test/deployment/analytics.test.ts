/** Analytics of the real `docyard site`, read with its command. */
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { ReportReadings } from '@docyard/api';
import { expect, test } from 'vitest';
import { cleanUp } from '../cleanups.ts';
import { temporaryFolder } from '../temporary-resources.ts';
import { bundle, docyard, startSite, siteOf, type Site } from './site.ts';

const browser = { 'user-agent': 'Mozilla/5.0 Firefox/140.0', accept: 'text/html' };

async function start(environment: Record<string, string>, dataDir?: string): Promise<Site> {
  const folder = temporaryFolder('bundles');
  writeFileSync(join(folder, 'first.tar.gz'), await bundle(siteOf('first')));
  const site = await startSite({
    staticExport: { bundleUrl: folder },
    environment,
    ...(dataDir === undefined ? {} : { dataDir }),
  });
  while ((await site.readiness()).release === null) await pause(50);
  return site;
}

test('the command shows and exports what a stopped site has counted', async () => {
  const site = await start({ ANALYTICS_ENABLED: 'on' });
  await fetch(`${site.origin}/guides/page-1`, { headers: browser });
  await fetch(`${site.origin}/guides/page-1`, { headers: { 'user-agent': 'GPTBot' } });
  await fetch(`${site.origin}/gone`, { headers: browser });
  const feedback = await fetch(`${site.origin}/_docyard/feedback`, {
    method: 'POST',
    headers: { ...browser, 'content-type': 'application/json' },
    body: JSON.stringify({ id: 'a'.repeat(16), path: '/guides/page-1', helpful: false, comment: 'Unclear.' }),
  });
  expect(feedback.status).toBe(204);
  await site.stop();

  const shown = docyard(['site', 'analytics', '--data', site.dataDir]);
  expect(shown.stdout).toContain('Page views  1 by humans, 1 by agents\n');
  expect(shown.stdout).toMatch(/\/guides\/page-1 +1 +1\n/);
  expect(shown.stdout).toContain('Unclear.');
  const csv = docyard(['site', 'analytics', '--data', site.dataDir, '--csv']).stdout.split('\r\n');
  expect(csv[0]).toBe('day,metric,name,reader,count,comment');
  expect(csv.slice(1).map((line) => line.slice('2026-07-01,'.length))).toEqual([
    'missing,/gone,human,1',
    'views,/guides/page-1,agent,1',
    'views,/guides/page-1,human,1',
    'not_helpful,/guides/page-1,human,1,Unclear.',
    '',
  ]);
  const json: unknown = JSON.parse(docyard(['site', 'analytics', '--data', site.dataDir, '--json']).stdout);
  expect(json).toMatchObject({ counts: [{ name: '/gone' }, {}, {}], feedback: [{ comment: 'Unclear.' }] });
});

test('a site without the setting has no endpoints and no file', async () => {
  const site = await start({});
  expect((await fetch(`${site.origin}/_docyard/feedback`)).status).toBe(404);
  const vote = await fetch(`${site.origin}/_docyard/feedback`, { method: 'POST', body: '{}' });
  expect(vote.status).toBe(405);
  await site.stop();
  const run = docyard(['site', 'analytics', '--data', site.dataDir]);
  expect([run.status, run.stderr]).toEqual([4, expect.stringContaining('Set analytics.enabled to on')]);
  expect(docyard(['site', 'analytics', '--days', 'x']).status).toBe(2);
});

test('counts are sent to the configured service, and nothing connects to another host', async () => {
  const service = await startReceiver();
  const connections = recordedConnections();
  const environment = { ANALYTICS_ENABLED: 'on', NODE_OPTIONS: connections.nodeOptions };
  const first = await start(environment);
  await fetch(`${first.origin}/guides/page-1`, { headers: browser });
  await fetch(`${first.origin}/_docyard/events`, {
    method: 'POST',
    headers: { ...browser, 'content-type': 'application/json' },
    body: JSON.stringify({ search: 'quay', results: 0 }),
  });
  await first.stop();
  expect(connections.list()).toEqual([]);

  const reporting = { REPORT_URL: service.origin, REPORT_KEY: 'docyard_key', REPORT_NAME: 'docs' };
  const second = await start({ ...environment, ...reporting }, first.dataDir);
  await expect.poll(() => service.readings, { timeout: 30_000 }).toHaveLength(1);
  await second.stop();
  expect(new Set(connections.list())).toEqual(new Set([new URL(service.origin).host]));
  const [{ counts, feedback } = { counts: [], feedback: [] }] = service.readings;
  expect(counts.map(({ metric, name }) => `${metric} ${name}`).toSorted()).toEqual([
    'empty_searches quay',
    'searches ',
    'views /guides/page-1',
  ]);
  expect(feedback).toEqual([]);
});

/** Accepts reports and keeps the readings. */
async function startReceiver(): Promise<{ origin: string; readings: ReportReadings[] }> {
  const readings: ReportReadings[] = [];
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await jsonOf(request);
    if (request.url === '/v1/deployments/readings') {
      readings.push(body as ReportReadings);
      response.writeHead(204).end();
      return;
    }
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ deploymentId: 'dp_0000000000000000', instruction: null }));
  };
  const server = createServer((request, response) => void respond(request, response));
  cleanUp(() => {
    server.close();
    server.closeAllConnections();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, readings };
}

async function jsonOf(request: IncomingMessage): Promise<unknown> {
  const pieces: Buffer[] = [];
  for await (const piece of request as AsyncIterable<Buffer>) pieces.push(piece);
  return JSON.parse(Buffer.concat(pieces).toString()) as unknown;
}

/** Makes a process write the address of every connection that it opens to a file. */
function recordedConnections(): { nodeOptions: string; list(): string[] } {
  const folder = temporaryFolder('connections');
  const file = join(folder, 'connections');
  const recorder = join(folder, 'recorder.mjs');
  writeFileSync(
    recorder,
    `import { appendFileSync } from 'node:fs';
    import { Socket } from 'node:net';
    const { connect } = Socket.prototype;
    Socket.prototype.connect = function (...args) {
      const [{ host, port, path }] = Array.isArray(args[0]) ? args[0] : args;
      appendFileSync(${JSON.stringify(file)}, (path ?? host + ':' + port) + '\\n');
      return connect.apply(this, args);
    };`,
  );
  return {
    nodeOptions: `--import=${recorder}`,
    list: () => (existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []),
  };
}
