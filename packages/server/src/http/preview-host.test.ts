/** PREVIEW_URL: previews on a separate origin that serves nothing else. */
import { request } from 'node:http';
import type { Preview } from '@docyard/api';
import { beforeAll, describe, expect, test } from 'vitest';
import { packBundle } from '../../../bundle/test/support/deltas.ts';
import { readConfig } from '../config.ts';
import {
  composeForTest,
  createCompletedExport,
  createTenant,
  createTestProject,
  serveForTest,
  type TestService,
} from '../../test/support/test-context.ts';

const publicUrl = 'https://docs.example.com';
const previewUrl = 'https://preview.example.com';

let service: TestService;
let key: string;
let jobId: string;
let preview: Preview;

beforeAll(async () => {
  const context = await composeForTest({ PUBLIC_URL: publicUrl, PREVIEW_URL: previewUrl });
  service = await serveForTest(context);
  const tenant = await createTenant(context);
  key = tenant.key.key;
  const project = await createTestProject(context, tenant);
  const bundle = await packBundle({ 'index.html': '<h1>Home</h1>' });
  jobId = (await createCompletedExport(context, tenant, project, bundle)).id;
  const path = `/v1/static-export/jobs/${jobId}/preview`;
  preview = (await (await service.request(path, { method: 'POST', key })).json()) as Preview;
});

/** fetch cannot set the Host header. */
function ask(host: string, path: string): Promise<{ status: number; policy: string }> {
  const headers = { host, authorization: `Bearer ${key}` };
  return new Promise((resolve, reject) => {
    request(`${service.origin}${path}`, { headers }, (answer) => {
      answer.resume();
      const policy = String(answer.headers['content-security-policy'] ?? '');
      resolve({ status: answer.statusCode ?? 0, policy });
    })
      .once('error', reject)
      .end();
  });
}

test('the URL of a preview begins with PREVIEW_URL', () => {
  expect(preview.previewUrl).toMatch(/^https:\/\/preview\.example\.com\/preview\/se_/);
});

test.each(['preview.example.com', 'preview.example.com:443', 'PREVIEW.example.com'])(
  'the host %s serves the preview in a sandbox that only the dashboard may frame',
  async (host) => {
    const { status, policy } = await ask(host, new URL(preview.previewUrl).pathname);
    expect(status).toBe(200);
    expect(policy).toMatch(/^sandbox allow-scripts /);
    expect(policy).not.toMatch(/allow-same-origin|allow-top-navigation/);
    expect(policy).toContain(`frame-ancestors ${publicUrl}`);
  },
);

test('every other host refuses the preview', async () => {
  const { pathname } = new URL(preview.previewUrl);
  for (const host of ['docs.example.com', 'other.example.com', service.host])
    expect((await ask(host, pathname)).status, host).toBe(404);
});

describe('the preview host', () => {
  test.each([
    '/',
    '/dashboard/',
    '/docs/',
    '/openapi.json',
    '/v1/me',
    '/healthz',
    '/metrics',
    '/sign-in/oidc',
  ])('the preview host serves nothing at %s', async (path) => {
    expect((await ask('preview.example.com', path)).status).toBe(404);
  });

  test('the preview host does not serve a cached status', async () => {
    const path = `/v1/static-export/jobs/${jobId}`;
    for (let count = 0; count < 3; count += 1) expect((await ask('docs.example.com', path)).status).toBe(200);
    expect((await ask('preview.example.com', path)).status).toBe(404);
  });
});

test('the dashboard may frame the preview host', async () => {
  expect((await ask('docs.example.com', '/dashboard/')).policy).toContain(`frame-src ${previewUrl}`);
});

test.each([
  [{ PREVIEW_URL: previewUrl }, 'PREVIEW_URL needs PUBLIC_URL'],
  [{ PREVIEW_URL: 'https://docs.example.com', PUBLIC_URL: publicUrl }, 'have the same host'],
  [{ PREVIEW_URL: 'https://preview.example.com/x', PUBLIC_URL: publicUrl }, 'without a path'],
])('the configuration %j is refused', (environment, message) => {
  expect(() => readConfig(environment)).toThrow(message);
});
