/** The client in a browser bundle, in a real page against a real service. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { chromiumPath, launchChromium } from '../../scripts/measure/browser.ts';
import { startService } from '../service.ts';
import { installClient } from './install-client.ts';

const page = `
import { DocyardClient, runExport, verifyWebhook } from '@docyard/api';

globalThis.tryAll = async ({ baseUrl, apiKey, message }) => {
  const client = new DocyardClient({ baseUrl, apiKey });
  const domains = [];
  for await (const { domain } of client.each('listProjects', { query: { limit: 1 } })) domains.push(domain);
  const phases = [];
  const { job, bundle } = await runExport(client, { domain: domains[0] }, {
    onProgress: ({ phase }) => phases.push(phase),
  });
  const refused = await client.call('readExport', { params: { jobId: 'se_none' } }).catch(({ code }) => code);
  const event = await verifyWebhook(message);
  return { domains, phases, status: job.status, sizeBytes: bundle.sizeBytes, refused, event: event.type };
};
`;

let file: string;
const complaints: string[] = [];

beforeAll(async () => {
  const folder = await installClient();
  writeFileSync(join(folder, 'page.js'), page);
  file = join(folder, 'bundle.js');
  const bundle = await rolldown({
    input: join(folder, 'page.js'),
    cwd: folder,
    platform: 'browser',
    onLog: (_level, { message }) => complaints.push(message),
  });
  await bundle.write({ file, format: 'iife', minify: true });
  await bundle.close();
});

test('a bundler for browsers has nothing to complain about, and nothing of Node comes in', () => {
  expect(complaints).toEqual([]);
  const text = readFileSync(file, 'utf8');
  expect(text).not.toMatch(/node:|require\(/);
  const kilobytes = (bytes: number) => (bytes / 1000).toFixed(1);
  console.log(
    `The client in a bundle: ${kilobytes(text.length)} kB, ${kilobytes(gzipSync(text).length)} kB as gzip.`,
  );
});

describe.skipIf(chromiumPath === undefined)('in a page', () => {
  test('calls, lists, follows an export, and checks a signature', async () => {
    const service = await startService({ environment: { RENDER_PROCESSES: '1' } });
    const browser = await launchChromium();
    onTestFinished(async () => {
      await browser.close();
      await service.stop();
    });
    const tab = await browser.newPage();
    // The service allows only its own origin.
    const address = `${service.origin}/page-of-a-test`;
    await tab.route(address, (route) =>
      route.fulfill({ contentType: 'text/html', body: '<title>Test</title>' }),
    );
    await tab.goto(address);
    await tab.addScriptTag({ path: file });
    const secret = `whsec_${btoa('a secret of thirty-two letters !')}`;
    const given = { baseUrl: service.origin, apiKey: service.key, message: await signed(secret) };
    const done = await tab.evaluate((all) => {
      const { tryAll } = globalThis as unknown as { tryAll(given: unknown): Promise<object> };
      return tryAll(all);
    }, given);
    expect(done).toMatchObject({
      domains: ['handbook.example.com'],
      status: 'completed',
      sizeBytes: expect.any(Number) as number,
      refused: 'not_found',
      event: 'export.completed',
    });
    expect((done as { phases: string[] }).phases.at(-1)).toBe('done');
  });
});

async function signed(secret: string) {
  const { Webhook } = await import('standardwebhooks');
  const body = JSON.stringify({ type: 'export.completed', timestamp: new Date().toISOString(), data: {} });
  const at = new Date();
  const headers = {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign('msg_1', at, body),
  };
  return { body, headers, secret };
}
