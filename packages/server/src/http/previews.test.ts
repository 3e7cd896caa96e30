/** Previews of exports behind signed paths: sandboxed pages that are removed with their export. */
import { existsSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import type { Preview } from '@docyard/api';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { packBundle } from '../../../bundle/test/support/deltas.ts';
import { sweepPreviews } from '../exports/unpacked-sites.ts';
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

describe('a page of a preview', () => {
  test.each([
    ['', '<h1>Home</h1>'],
    ['index.html', '<h1>Home</h1>'],
    ['guides/start.html', '<h1>Start</h1>'],
    ['guides/start', '<h1>Start</h1>'],
    ['deep/', '<h1>Deep</h1>'],
    ['guides/start.html?theme=dark', '<h1>Start</h1>'],
  ])('the path %j serves its page', async (path, html) => {
    const answer = await service.request(root + path);
    expect(answer.status).toBe(200);
    expect(await answer.text()).toBe(html);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
  });

  test('a page is sandboxed without the origin of the server, and no other site may frame it', async () => {
    const { headers } = await service.request(root);
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(/^sandbox /);
    expect(policy).not.toContain('allow-same-origin');
    expect(policy).not.toContain('allow-top-navigation');
    expect(policy).toContain("frame-ancestors 'self'");
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('set-cookie')).toBeNull();
  });

  test('a page without a preview host cannot open windows or navigate the top window', async () => {
    const policy = (await service.request(root)).headers.get('content-security-policy');
    expect(policy).toBe("sandbox allow-scripts; frame-ancestors 'self'");
  });

  test('a missing page is answered with the 404 page of the site', async () => {
    const answer = await service.request(`${root}nowhere`);
    expect([answer.status, await answer.text()]).toEqual([404, '<h1>Not here</h1>']);
  });

  test('the path of a folder redirects to the path with a slash, so that relative links resolve', async () => {
    const answer = await service.request(`${root}deep`);
    expect([answer.status, answer.headers.get('location')]).toEqual([307, `${root}deep/`]);
    const bare = await service.request(root.slice(0, -1));
    expect([bare.status, bare.headers.get('location')]).toEqual([307, root]);
  });

  test('a browser that already has the page is answered 304', async () => {
    const etag = (await service.request(root)).headers.get('etag') ?? '';
    const again = await service.request(root, { headers: { 'if-none-match': etag } });
    expect(again.status).toBe(304);
  });
});

test('a font may be fetched from the opaque origin of the sandbox', async () => {
  const { headers } = await service.request(`${root}font.woff2`, { headers: { origin: 'null' } });
  expect(headers.get('access-control-allow-origin')).toBe('*');
  expect(headers.get('content-type')).toBe('font/woff2');
});

describe('a video', () => {
  const ask = async (range: string, more: Record<string, string> = {}) => {
    const answer = await service.request(`${root}tour.mp4`, { headers: { range, ...more } });
    const part = answer.headers.get('content-range');
    return [answer.status, part, answer.status === 416 ? '' : await answer.text()];
  };

  test('a video is sent in the ranges that a browser requests', async () => {
    const { headers } = await service.request(`${root}tour.mp4`);
    expect([headers.get('accept-ranges'), headers.get('content-type')]).toEqual(['bytes', 'video/mp4']);
    expect(await ask('bytes=0-')).toEqual([206, 'bytes 0-9/10', '0123456789']);
    expect(await ask('bytes=3-5')).toEqual([206, 'bytes 3-5/10', '345']);
    expect(await ask('bytes=-2')).toEqual([206, 'bytes 8-9/10', '89']);
    expect(await ask('bytes=10-')).toEqual([416, 'bytes */10', '']);
  });

  test('a video that changed since the first range is sent completely', async () => {
    expect(await ask('bytes=3-5', { 'if-range': '"before"' })).toEqual([200, null, '0123456789']);
    const etag = (await service.request(`${root}tour.mp4`)).headers.get('etag') ?? '';
    expect(await ask('bytes=3-5', { 'if-range': etag })).toEqual([206, 'bytes 3-5/10', '345']);
  });

  test('a range of a missing video is answered 404', async () => {
    const answer = await service.request(`${root}nowhere.mp4`, { headers: { range: 'bytes=0-1' } });
    expect([answer.status, await answer.text()]).toEqual([404, '<h1>Not here</h1>']);
  });
});

test.each(['%2e%2e/%2e%2e/docyard.db', '..%2f..%2fdocyard.db', 'manifest.json%00', '%'])(
  'the path %s does not read a file outside the preview',
  async (path) => {
    expect((await service.request(root + path)).status).toBe(404);
  },
);

describe('the signed path', () => {
  test('the signed path expires after an hour', async () => {
    const { body } = await create(job);
    expect(Date.parse(body.expiresAt) - context.clock.now().getTime()).toBe(3_600_000);
    context.clock.advance(3601);
    expect((await service.request(body.previewUrl)).status).toBe(410);
  });

  test('a modified path is answered 403', async () => {
    const other = root.replace(/\.\d{10}\./, '.9999999999.');
    expect((await service.request(other)).status).toBe(403);
  });

  test.each([
    ['purged', () => markPurged(context, job.id)],
    ['deleted', () => deleteJob(context, job.id)],
  ])(
    'the signed path is answered 410 once the export was %s, even if its files remain',
    async (_what, remove) => {
      await remove();
      expect((await service.request(root)).status).toBe(410);
    },
  );

  test('another organization cannot create a preview of the export', async () => {
    const other = await createTenant(context, { name: 'Other' });
    expect((await create(job, other.key.key)).status).toBe(404);
  });
});

describe('the unpacked files', () => {
  test('removed files are unpacked again, as in another process', async () => {
    await sweepPreviews(context, 0);
    expect(unpacked()).toEqual([]);
    expect(await (await service.request(root)).text()).toBe('<h1>Home</h1>');
  });

  test('files that were deleted from the disk cause one failed request', async () => {
    rmSync(join(context.config.dataDir, 'cache', 'previews', `${job.id}-1`), { recursive: true });
    expect((await service.request(root)).status).toBe(503);
    expect((await service.request(root)).status).toBe(200);
  });

  test('files that were not requested for two hours are removed', async () => {
    const folder = join(context.config.dataDir, 'cache', 'previews', `${job.id}-1`);
    const before = new Date(Date.now() - 3 * 3_600_000);
    utimesSync(folder, before, before);
    await sweepPreviews(context);
    expect(existsSync(folder)).toBe(false);
  });

  test('the files of at most ten exports are kept', async () => {
    const bundle = await packBundle(site);
    const project = await createTestProject(context, tenant);
    for (let count = 0; count < 12; count += 1)
      await create(await createCompletedExport(context, tenant, project, bundle));
    expect(unpacked().length).toBeLessThanOrEqual(10);
  });

  test('an invalid bundle is refused and leaves no files', async () => {
    const broken = await createCompletedExport(context, tenant, await createTestProject(context, tenant));
    expect((await create(broken)).status).toBe(500);
    expect(unpacked().filter((name) => name.startsWith(broken.id))).toEqual([]);
  });
});
