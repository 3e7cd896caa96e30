/** The stable address of a Docyard server: a new bundle costs two small requests, an unchanged one costs one. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  composeForTest,
  createCompletedExport,
  createTenant,
  createTestProject,
  serveForTest,
  temporaryFolder,
  type Tenant,
  type TestContext,
  type TestService,
} from '../../packages/server/test/support/test-context.ts';
import type { Project } from '@docyard/api';
import { isStableAddress, serverSource } from '../../packages/site/src/sources/docyard-server.ts';
import type { Offer } from '../../packages/site/src/sources/source.ts';

const { signal } = new AbortController();
let context: TestContext;
let service: TestService;
let tenant: Tenant;
let project: Project;
let address: string;

beforeAll(async () => {
  context = await composeForTest();
  service = await serveForTest(context);
  tenant = await createTenant(context, { scopes: ['exports:read'] });
  project = await createTestProject(context, tenant);
  address = `${service.origin}/v1/static-export/latest/bundle?domain=${project.domain}`;
});

async function look(known: string | null = null, url = address): Promise<Offer> {
  const found = await serverSource(url, tenant.key.key, fetch).look(known, signal);
  if (found === 'unchanged') throw new Error('It is unchanged.');
  return found;
}

test.each([
  ['https://d.example/v1/static-export/latest/bundle?domain=docs.example.com', true],
  ['https://d.example/below/v1/static-export/jobs/se_0123456789abcdef/bundle', true],
  ['https://d.example/b/se_0123456789abcdef/bundle.tar.gz?v=1', false],
  ['https://store.example/bundle.tar.gz', false],
  ['/srv/v1/static-export/latest/bundle', false],
])('%s: %s', (url, expected) => {
  expect(isStableAddress(url)).toBe(expected);
});

describe('with a key that may only read', () => {
  test('the newest bundle is offered with its name, and fetched by a fresh link', async () => {
    const bytes = randomBytes(20_000);
    const { id } = await createCompletedExport(context, tenant, project, bytes);
    const offer = await look();
    expect(offer).toMatchObject({
      jobId: id,
      version: null,
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(readFileSync(await offer.fetch(temporaryFolder('download'), signal)).equals(bytes)).toBe(true);
    expect(await serverSource(address, tenant.key.key, fetch).look(offer.fingerprint, signal)).toBe(
      'unchanged',
    );
  });

  test('another export with the same bytes is nothing new', async () => {
    const bytes = randomBytes(1000);
    await createCompletedExport(context, tenant, project, bytes);
    const { fingerprint } = await look();
    const { id } = await createCompletedExport(context, tenant, project, bytes);
    expect(fingerprint).not.toContain(id);
    expect(await serverSource(address, tenant.key.key, fetch).look(fingerprint, signal)).toBe('unchanged');
  });

  test('where no delta can be had, there is none', async () => {
    await createCompletedExport(context, tenant, project);
    const offer = await look();
    const folder = temporaryFolder('download');
    expect(await offer.fetchDelta?.('se_0000000000000000', folder, signal)).toBeUndefined();
  });

  test('one export by its own address', async () => {
    const { id } = await createCompletedExport(context, tenant, project);
    expect(await look(null, `${service.origin}/v1/static-export/jobs/${id}/bundle`)).toMatchObject({
      jobId: id,
    });
  });
});

describe('errors state what to do', () => {
  test.each([
    ['no key', () => serverSource(address, null, fetch), 'denied', /Set DOCYARD_API_KEY/],
    ['a wrong key', () => serverSource(address, 'docyard_wrong', fetch), 'denied', /key/],
    [
      'another domain',
      () => serverSource(address.replace(/domain=.*/, 'domain=other.example.com'), tenant.key.key, fetch),
      'not_found',
      /other\.example\.com.*No export of this domain/,
    ],
    [
      'no server',
      () => serverSource('http://127.0.0.1:1/v1/static-export/latest/bundle?domain=a.example', null, fetch),
      'unreachable',
      /ECONNREFUSED|bad port/,
    ],
  ])('%s', async (_name, make, failure, message) => {
    await expect(make().look(null, signal)).rejects.toMatchObject({
      failure,
      message: expect.stringMatching(message),
    });
  });
});
