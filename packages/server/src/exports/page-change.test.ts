import type { Diagnostic, FindingsComparison, PageChange } from '@docyard/api';
import { beforeAll, describe, expect, test } from 'vitest';
import { bundleOf } from '../../../bundle/test/support/bundles.ts';
import type { Job } from '../jobs/store.ts';
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
import { blobName } from './record.ts';

let context: TestContext;
let service: TestService;
let tenant: Tenant;
let project: Awaited<ReturnType<typeof createTestProject>>;
let first: Job;
let second: Job;

const page = (name: string, text: string) => ({ [`${name}.md`]: text, [`${name}.html`]: `<p>${text}</p>` });

const finding = (line: number, target: string, more: Partial<Diagnostic> = {}): Diagnostic => ({
  severity: 'warning',
  code: 'broken_link',
  message: `The link to "${target}" leads nowhere.`,
  file: 'index.mdx',
  line,
  target,
  ...more,
});

beforeAll(async () => {
  context = await composeForTest();
  service = await serveForTest(context);
  tenant = await createTenant(context);
  project = await createTestProject(context, tenant);
  first = await exportOf(
    {
      ...page('index', '# Home\n\nBoats leave at nine.\n'),
      ...page('gone', 'Gone.\n'),
      ...page('same', 'Same.\n'),
    },
    [finding(3, '/old'), finding(4, '/stays'), finding(9, '/stays')],
  );
  second = await exportOf(
    {
      ...page('index', '# Home\n\nBoats leave at ten.\nTwice a day.\n'),
      ...page('guides/new', 'New.\n'),
      ...page('same', 'Same.\n'),
    },
    [finding(7, '/stays'), finding(8, '/fresh', { severity: 'error' })],
  );
});

async function exportOf(files: Record<string, string>, diagnostics: Diagnostic[]): Promise<Job> {
  const job = await createCompletedExport(context, tenant, project, bundleOf(files));
  const report = {
    format: 1,
    pages: 3,
    errors: 0,
    warnings: diagnostics.length,
    infos: 0,
    byCode: {},
    diagnostics,
    truncated: false,
    weights: [],
    orphans: [],
    remoteAssets: [],
    slowest: [],
  };
  await context.blobs.putBytes(blobName(job.id, 1, 'report.json'), Buffer.from(JSON.stringify(report)));
  return job;
}

async function read(path: string): Promise<{ status: number; body: unknown }> {
  const answer = await service.request(`/v1/static-export/jobs/${second.id}/compare/${path}`, {
    key: tenant.key.key,
  });
  return { status: answer.status, body: await answer.json() };
}

async function readPage(path: string, more = ''): Promise<{ status: number; body: PageChange }> {
  const { status, body } = await read(`page?path=${encodeURIComponent(path)}${more}`);
  return { status, body: body as PageChange };
}

describe('the text changes of a page', () => {
  test('a changed page has a diff of its Markdown against the export before', async () => {
    const { status, body } = await readPage('/');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      path: '/',
      from: first.id,
      to: second.id,
      status: 'changed',
      addedLines: 2,
      removedLines: 1,
      truncated: false,
    });
    expect(body.patch).toContain('-Boats leave at nine.\n+Boats leave at ten.\n+Twice a day.\n');
  });

  test.each([
    ['/guides/new', 'added', '+New.'],
    ['/gone', 'removed', '-Gone.'],
    ['/same', 'unchanged', ''],
  ])('%s is %s', async (path, status, line) => {
    const { body } = await readPage(path, `&with=${first.id}`);
    expect(body).toMatchObject({ path, status });
    expect(body.patch).toContain(line);
  });

  test.each(['/nowhere', '/../../secret', '//etc/passwd', '/index.html', '/manifest.json'])(
    'a path that is not a page, %s, is not found',
    async (path) => {
      expect(await readPage(path)).toMatchObject({ status: 404, body: { code: 'not_found' } });
    },
  );
});

test('a finding on another line is the same finding, and each occurrence counts', async () => {
  const body = (await read('findings')).body as FindingsComparison;
  expect(body).toMatchObject({ from: first.id, to: second.id, remaining: 1, truncated: false });
  expect(body.new.map(({ target }) => target)).toEqual(['/fresh']);
  expect(body.fixed.map(({ target, line }) => [target, line])).toEqual([
    ['/old', 3],
    ['/stays', 9],
  ]);
});
