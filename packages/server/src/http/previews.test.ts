/** The pages of an export behind a signed path: complete, without any right of this host, and gone with their export. */
import { existsSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import type { Preview } from '@docyard/api';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { packBundle } from '../../../bundle/test/support/deltas.ts';
import { sweepPreviews } from '../exports/previews.ts';
import { deleteJob, markPurged, type Job } from '../jobs/store.ts';
import {
  composeForTest,
  createCompletedExport,
  createTenant,
  createTestProject,
  serveForTest,
  type Tenant,
  type TestContext,
  type TestService,
} from '../../test/support/test-context.ts';

let context: TestContext;
let service: TestService;
let tenant: Tenant;
let job: Job;
let root: string;

const site = {
  'index.html': '<h1>Home</h1>',
  'guides/start.html': '<h1>Start</h1>',
  'deep/index.html': '<h1>Deep</h1>',
  'app.js': 'run()',
  'font.woff2': 'font',
  'tour.mp4': '0123456789',
  '404.html': '<h1>Not here</h1>',
};

beforeAll(async () => {
  context = await composeForTest();
  service = await serveForTest(context);
  tenant = await createTenant(context);
});

beforeEach(async () => {
  const project = await createTestProject(context, tenant);
  job = await createCompletedExport(context, tenant, project, await packBundle(site));
  root = (await create(job)).body.previewUrl;
});

async function create(of: Job, key = tenant.key.key): Promise<{ status: number; body: Preview }> {
  const path = `/v1/static-export/jobs/${of.id}/preview`;
  const answer = await service.request(path, { method: 'POST', key });
  return { status: answer.status, body: (await answer.json()) as Preview };
}

const unpacked = () => readdirSync(join(context.config.dataDir, 'cache', 'previews'));

describe('a page', () => {
  test.each([
    ['', '<h1>Home</h1>'],
    ['index.html', '<h1>Home</h1>'],
    ['guides/start.html', '<h1>Start</h1>'],
    ['guides/start', '<h1>Start</h1>'],
    ['deep/', '<h1>Deep</h1>'],
    ['guides/start.html?theme=dark', '<h1>Start</h1>'],
  ])('is found at %j', async (path, html) => {
    const answer = await service.request(root + path);
    expect(answer.status).toBe(200);
    expect(await answer.text()).toBe(html);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
  });

  test('has no right of this host, and no other site may frame it', async () => {
    const { headers } = await service.request(root);
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(/^sandbox /);
    expect(policy).not.toContain('allow-same-origin');
    expect(policy).not.toContain('allow-top-navigation');
    expect(policy).toContain("frame-ancestors 'self'");
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('set-cookie')).toBeNull();
  });

  test('without a host of its own it opens no window and leaves the top window alone', async () => {
    const policy = (await service.request(root)).headers.get('content-security-policy');
    expect(policy).toBe("sandbox allow-scripts; frame-ancestors 'self'");
  });

  test('that is missing is answered with that of the site', async () => {
    const answer = await service.request(`${root}nowhere`);
    expect([answer.status, await answer.text()]).toEqual([404, '<h1>Not here</h1>']);
  });

  test('of a folder is sent to the slash, where its links are right', async () => {
    const answer = await service.request(`${root}deep`);
    expect([answer.status, answer.headers.get('location')]).toEqual([307, `${root}deep/`]);
    const bare = await service.request(root.slice(0, -1));
    expect([bare.status, bare.headers.get('location')]).toEqual([307, root]);
  });

  test('is not sent again when the browser has it', async () => {
    const etag = (await service.request(root)).headers.get('etag') ?? '';
    const again = await service.request(root, { headers: { 'if-none-match': etag } });
    expect(again.status).toBe(304);
  });
});

test('a font may be fetched by the nameless origin of the sandbox', async () => {
  const { headers } = await service.request(`${root}font.woff2`, { headers: { origin: 'null' } });
  expect(headers.get('access-control-allow-origin')).toBe('*');
  expect(headers.get('content-type')).toBe('font/woff2');
});

describe('a film', () => {
  const ask = async (range: string, more: Record<string, string> = {}) => {
    const answer = await service.request(`${root}tour.mp4`, { headers: { range, ...more } });
    const part = answer.headers.get('content-range');
    return [answer.status, part, answer.status === 416 ? '' : await answer.text()];
  };

  test('is sent in the parts that a browser asks for', async () => {
    const { headers } = await service.request(`${root}tour.mp4`);
    expect([headers.get('accept-ranges'), headers.get('content-type')]).toEqual(['bytes', 'video/mp4']);
    expect(await ask('bytes=0-')).toEqual([206, 'bytes 0-9/10', '0123456789']);
    expect(await ask('bytes=3-5')).toEqual([206, 'bytes 3-5/10', '345']);
    expect(await ask('bytes=-2')).toEqual([206, 'bytes 8-9/10', '89']);
    expect(await ask('bytes=10-')).toEqual([416, 'bytes */10', '']);
  });

  test('is sent whole when it is another than the one that the browser has begun with', async () => {
    expect(await ask('bytes=3-5', { 'if-range': '"before"' })).toEqual([200, null, '0123456789']);
    const etag = (await service.request(`${root}tour.mp4`)).headers.get('etag') ?? '';
    expect(await ask('bytes=3-5', { 'if-range': etag })).toEqual([206, 'bytes 3-5/10', '345']);
  });

  test('that is missing has no parts', async () => {
    const answer = await service.request(`${root}nowhere.mp4`, { headers: { range: 'bytes=0-1' } });
    expect([answer.status, await answer.text()]).toEqual([404, '<h1>Not here</h1>']);
  });
});

test.each(['%2e%2e/%2e%2e/docyard.db', '..%2f..%2fdocyard.db', 'manifest.json%00', '%'])(
  '%s leads to no file outside',
  async (path) => {
    expect((await service.request(root + path)).status).toBe(404);
  },
);

describe('the path', () => {
  test('lives for an hour', async () => {
    const { body } = await create(job);
    expect(Date.parse(body.expiresAt) - context.clock.now().getTime()).toBe(3_600_000);
    context.clock.advance(3601);
    expect((await service.request(body.previewUrl)).status).toBe(410);
  });

  test('opens nothing once it was changed', async () => {
    const other = root.replace(/\.\d{10}\./, '.9999999999.');
    expect((await service.request(other)).status).toBe(403);
  });

  test.each([
    ['purged', () => markPurged(context, job.id)],
    ['deleted', () => deleteJob(context, job.id)],
  ])('opens nothing once the export was %s, though the files may still lie there', async (_what, remove) => {
    await remove();
    expect((await service.request(root)).status).toBe(410);
  });

  test('is not given to another organization', async () => {
    const other = await createTenant(context, { name: 'Elsewhere' });
    expect((await create(job, other.key.key)).status).toBe(404);
  });
});

describe('the unpacked files', () => {
  test('are made again when they are gone, as behind another process', async () => {
    await sweepPreviews(context, 0);
    expect(unpacked()).toEqual([]);
    expect(await (await service.request(root)).text()).toBe('<h1>Home</h1>');
  });

  test('that somebody has removed by hand cost one answer', async () => {
    rmSync(join(context.config.dataDir, 'cache', 'previews', `${job.id}-1`), { recursive: true });
    expect((await service.request(root)).status).toBe(503);
    expect((await service.request(root)).status).toBe(200);
  });

  test('go when nobody has looked for two hours', async () => {
    const folder = join(context.config.dataDir, 'cache', 'previews', `${job.id}-1`);
    const before = new Date(Date.now() - 3 * 3_600_000);
    utimesSync(folder, before, before);
    await sweepPreviews(context);
    expect(existsSync(folder)).toBe(false);
  });

  test('are of no more than ten exports', async () => {
    const bundle = await packBundle(site);
    const project = await createTestProject(context, tenant);
    for (let count = 0; count < 12; count += 1)
      await create(await createCompletedExport(context, tenant, project, bundle));
    expect(unpacked().length).toBeLessThanOrEqual(10);
  });

  test('of something that is no bundle are refused, and nothing is left', async () => {
    const broken = await createCompletedExport(context, tenant, await createTestProject(context, tenant));
    expect((await create(broken)).status).toBe(500);
    expect(unpacked().filter((name) => name.startsWith(broken.id))).toEqual([]);
  });
});
