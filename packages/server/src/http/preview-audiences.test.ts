/** Previews for the readers of groups: each link shows the files of its audience and nothing of the others. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Preview } from '@docyard/api';
import {
  type ContentKey,
  contentKeyText,
  newContentKey,
  newSigningKey,
  secretKeyText,
} from '@docyard/bundle';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { packBundle } from '../../../bundle/test/support/deltas.ts';
import { type GroupBundle, groupBundle } from '../../../site/test/support/group-site.ts';
import { sweepPreviews } from '../exports/unpacked-sites.ts';
import { createKey } from '../keys/keys.ts';
import { contentKeyOf } from '../projects/content-key.ts';
import { writeSecret } from '../projects/secrets.ts';
import {
  composeForTest,
  createCompletedExport,
  createTenant,
  createTestProject,
  everythingKept,
  jsonBody,
  serveForTest,
  type Tenant,
  type TestContext,
  type TestService,
} from '../../test/support/test-context.ts';
import type { Job } from '../jobs/store.ts';

const signingKey = newSigningKey();
const root = { 'index.html': 'home', '404.html': 'missing', 'guide.html': 'everyone' };
const amber = { ...root, 'index.html': 'home amberhome', 'partners/prices.html': 'ambersecret' };
const birch = { ...root, 'index.html': 'home birchhome', 'staff/rota.html': 'birchsecret' };
const site: GroupBundle = {
  root: { ...root, '_docyard/sign-in.html': 'sign in here', _redirects: '/amberold /partners/prices 301' },
  audiences: [
    { groups: ['partners'], files: amber },
    { groups: ['staff'], files: birch },
    { groups: ['partners', 'staff'], files: { ...amber, ...birch } },
    { isSignedIn: false, groups: [], files: { 'index.html': 'public', '404.html': 'missing' } },
  ],
};
const audiences = [
  { audience: [], signedIn: true },
  { audience: ['partners'], signedIn: true },
  { audience: ['staff'], signedIn: true },
  { audience: ['partners', 'staff'], signedIn: true },
  { audience: [], signedIn: false },
];

let context: TestContext;
let service: TestService;
let tenant: Tenant;
let projectId: string;
let key: ContentKey;
let job: Job;

beforeAll(async () => {
  context = await composeForTest({ SIGNING_KEY: secretKeyText(signingKey) });
  service = await serveForTest(context);
  tenant = await createTenant(context);
});

beforeEach(async () => {
  const project = await createTestProject(context, tenant);
  projectId = project.id;
  key = await contentKeyOf(context, projectId);
  const bundle = await groupBundle({ ...site, key, signedWith: signingKey });
  job = await createCompletedExport(context, tenant, project, bundle);
});

interface Answer {
  status: number;
  body: Preview & { code?: string; error?: string; details?: { path: string; message: string }[] };
}

async function create(wanted?: object, { of = job, as = tenant.key.key } = {}): Promise<Answer> {
  const init = wanted === undefined ? {} : jsonBody(wanted);
  const path = `/v1/static-export/jobs/${of.id}/preview`;
  const answer = await service.request(path, { ...init, method: 'POST', key: as });
  return { status: answer.status, body: (await answer.json()) as Answer['body'] };
}

const linkFor = async (wanted?: object) => (await create(wanted)).body.previewUrl;

async function read(path: string): Promise<{ status: number; text: string }> {
  const answer = await service.request(path);
  return { status: answer.status, text: await answer.text() };
}

const folderOfJob = () => join(context.config.dataDir, 'cache', 'previews', `${job.id}-1`);

const allPaths = [
  '',
  'guide',
  'partners/prices',
  'partners/prices.html',
  'staff/rota',
  '404.html',
  'nowhere',
];

describe('a preview for an audience', () => {
  test.each([
    ['readers without a group', {}, { home: 'home', hidden: ['amber', 'birch'], shown: [] }],
    ['a group', { audience: ['partners'] }, { home: 'home amberhome', hidden: ['birch'], shown: ['amber'] }],
    [
      'another group',
      { audience: ['staff'] },
      { home: 'home birchhome', hidden: ['amber'], shown: ['birch'] },
    ],
    [
      'two groups in another order, one of them twice',
      { audience: ['staff', 'partners', 'staff'] },
      { home: 'home birchhome', hidden: [], shown: ['amber', 'birch'] },
    ],
    [
      'readers who have not signed in',
      { signedIn: false },
      { home: 'public', hidden: ['amber', 'birch', 'everyone'], shown: [] },
    ],
  ])('shows %s their pages and no word of the others', async (_who, wanted, { home, hidden, shown }) => {
    const link = await linkFor(wanted);
    const pages = await Promise.all(allPaths.map((path) => read(link + path)));
    expect(pages[0]).toEqual({ status: 200, text: home });
    const text = pages.map((page) => page.text).join('\n');
    for (const word of hidden) expect(text).not.toContain(word);
    for (const word of shown) expect(text).toContain(`${word}secret`);
    expect(pages.at(-1)).toEqual({ status: 404, text: 'missing' });
  });

  test.each([undefined, {}, { audience: [] }, { audience: [], signedIn: true }])(
    'with the body %j shows readers without a group, with the same kind of link',
    async (wanted) => {
      const { status, body } = await create(wanted);
      expect([status, body.audiences]).toEqual([200, audiences]);
      expect(body.previewUrl).toMatch(/^\/preview\/se_[0-9a-f]{16}\.1\.\d{10}\.[0-9a-z]+\.[\w-]{43}\/$/);
    },
  );

  test('each listed audience is a valid body', async () => {
    for (const wanted of audiences) expect((await create(wanted)).status).toBe(200);
  });

  test.each(audiences)('never serves sealed or internal files: %j', async (wanted) => {
    const link = await linkFor(wanted);
    const internal = [
      'manifest.json',
      'manifest.json.minisig',
      '_redirects',
      '_docyard/sign-in.html',
      '_docyard/sign-in',
      '_docyard/sealed/index',
      ...readdirSync(join(folderOfJob(), 'site', '_docyard', 'sealed')).map(
        (name) => `_docyard/sealed/${name}`,
      ),
      'site/index.html',
      'restricted/files',
      '..%2frestricted',
      '%2e%2e/restricted/files',
      ...(existsSync(join(folderOfJob(), 'restricted'))
        ? readdirSync(join(folderOfJob(), 'restricted', 'files')).flatMap((name) => [
            `restricted/files/${name}`,
            `../restricted/files/${name}`,
          ])
        : []),
    ];
    for (const path of internal) expect((await read(link + path)).status, path).toBe(404);
  });

  test('is refused if the bundle has no such audience, with those that it has', async () => {
    for (const wanted of [{ audience: ['guests'] }, { audience: ['partners'], signedIn: false }]) {
      const { status, body } = await create(wanted);
      expect([status, body.code]).toEqual([400, 'invalid_request']);
      expect(body.error).toContain('no group; "partners"; "staff"; "partners" and "staff"; not signed in.');
      expect(body.details?.[0]?.path).toBe('audience');
    }
  });

  test.each([{ audience: 'partners' }, { audience: [1] }, { signedIn: 'no' }, { groups: ['partners'] }])(
    'with the malformed body %j is refused',
    async (wanted) => {
      expect((await create(wanted)).status).toBe(400);
    },
  );

  test('does not exist for another organization', async () => {
    const stranger = await createTenant(context, { name: 'Other' });
    const { status, body } = await create({ audience: ['partners'] }, { as: stranger.key.key });
    expect([status, body.code]).toEqual([404, 'not_found']);
    expect(JSON.stringify(body)).not.toContain('staff');
  });

  test('needs exports:write, because servers of published sites have keys with exports:read', async () => {
    const reader = await createKey(context, { name: 'Site', scopes: ['exports:read'], actor: tenant.actor });
    const { status, body } = await create({ audience: ['partners'] }, { as: reader.key });
    expect([status, body.code]).toEqual([403, 'scope_missing']);
    expect((await create({ signedIn: false }, { as: reader.key })).status).toBe(403);
    const plain = await create(undefined, { as: reader.key });
    expect([plain.status, plain.body.audiences]).toEqual([200, audiences.slice(0, 1)]);
  });
});

describe('a link for an audience', () => {
  test('opens no other audience when it is changed', async () => {
    const link = await linkFor({ audience: ['partners'] });
    const changed = [
      link.replace('.a0.', '.a1.'),
      link.replace('.a0.', '.a2.'),
      link.replace('.a0.', '.'),
      (await linkFor()).replace(/(\.\d{10}\.)/, '$1a0.'),
    ];
    for (const path of changed) expect((await read(path)).status, path).toBe(403);
    expect((await read(link.replace('.a0.', '.a00.'))).status).toBe(404);
  });

  test('expires after an hour', async () => {
    const link = await linkFor({ audience: ['partners'] });
    context.clock.advance(3601);
    expect((await read(`${link}partners/prices`)).status).toBe(410);
  });

  test('works again after the opened files were swept', async () => {
    const link = await linkFor({ audience: ['partners'] });
    expect(existsSync(join(folderOfJob(), 'restricted'))).toBe(true);
    await sweepPreviews(context, 0);
    expect(existsSync(folderOfJob())).toBe(false);
    expect((await read(`${link}partners/prices`)).text).toBe('ambersecret');
    expect(readdirSync(folderOfJob()).toSorted()).toEqual(['restricted', 'site']);
  });

  test('is opened once for concurrent requests', async () => {
    const link = await linkFor({ audience: ['partners'] });
    await sweepPreviews(context, 0);
    const answers = await Promise.all(Array.from({ length: 8 }, () => read(`${link}partners/prices`)));
    expect(answers.map(({ text }) => text)).toEqual(Array.from({ length: 8 }, () => 'ambersecret'));
  });
});

describe('sealed files', () => {
  test('stay sealed on disk until a preview for an audience is created', async () => {
    await create();
    expect(readdirSync(folderOfJob())).toEqual(['site']);
    expect(everythingKept(context)).not.toContain(contentKeyText(key).trim().split(':')[1]);
    await create({ audience: ['staff'] });
    expect(everythingKept(context)).not.toContain(contentKeyText(key).trim().split(':')[1]);
  });

  test.each([
    ['another content key', () => contentKeyText(newContentKey())],
    ['no content key', () => null],
  ])('of a project that has %s since are explained, and other readers are shown', async (_what, text) => {
    const link = await linkFor({ audience: ['partners'] });
    await sweepPreviews(context, 0);
    await writeSecret(context, { projectId, name: 'content.key' }, text());
    const { status, body } = await create({ audience: ['partners'] });
    expect([status, body.code]).toEqual([410, 'bundle_purged']);
    expect(body.error).toContain('another content key than that of the project. Start a new export');
    expect((await read(link)).status).toBe(410);
    const plain = await create();
    expect([plain.status, plain.body.audiences]).toEqual([200, audiences.slice(0, 1)]);
    expect((await read(plain.body.previewUrl)).text).toBe('home');
  });

  test.each<[string, Partial<GroupBundle>]>([
    ['signed with another key', { signedWith: newSigningKey() }],
    ['not signed', { signedWith: null }],
    ['damaged', { change: (files) => (files['_docyard/sealed/index'] = Buffer.from('x'.repeat(100))) }],
  ])('of a bundle that is %s are not opened', async (_what, change) => {
    const bundle = await groupBundle({ ...site, key, signedWith: signingKey, ...change });
    const project = await createTestProject(context, tenant);
    await writeSecret(context, { projectId: project.id, name: 'content.key' }, contentKeyText(key));
    const of = await createCompletedExport(context, tenant, project, bundle);
    const { status, body } = await create({ audience: ['partners'] }, { of });
    expect([status, body.code]).toEqual([410, 'bundle_purged']);
    expect((await create(undefined, { of })).body.audiences).toEqual(audiences.slice(0, 1));
  });
});

test('a bundle without sealed files has one audience', async () => {
  const project = await createTestProject(context, tenant);
  const of = await createCompletedExport(
    context,
    tenant,
    project,
    await packBundle({ 'index.html': 'home' }),
  );
  const { status, body } = await create(undefined, { of });
  expect([status, body.audiences]).toEqual([200, audiences.slice(0, 1)]);
  expect((await read(body.previewUrl)).text).toBe('home');
  expect((await create({ audience: ['partners'] }, { of })).status).toBe(400);
  const forged = body.previewUrl.replace(/(\.\d{10}\.)/, '$1a0.');
  expect((await read(forged)).status).toBe(403);
  expect(
    readFileSync(
      join(context.config.dataDir, 'cache', 'previews', `${of.id}-1`, 'site', 'index.html'),
      'utf8',
    ),
  ).toBe('home');
});
