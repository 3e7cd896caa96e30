/** Output and exit status of `docyard diff` and `docyard bundle apply`. */
import { hash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { deltaOf, packBundle } from '../../../bundle/test/support/deltas.ts';
import { newSigningKey, publicKeyOf, publicKeyText, unpackBundle } from '@docyard/bundle';
import { inChunks } from '../../../bundle/test/support/bundles.ts';
import { blobName } from '../exports/record.ts';
import {
  composeForTest,
  createCompletedExport,
  createTenant,
  createTestProject,
  serveForTest,
  temporaryFolder,
} from '../../test/support/test-context.ts';
import { docyard as run } from '../../test/support/run-command.ts';

const folder = temporaryFolder('diff');
const at = (name: string) => join(folder, name);
const key = newSigningKey();
const page = (title: string, more = '') =>
  `# ${title}\n\n${`What ${title} is about, at some length. `.repeat(20)}${more}\n`;
const site = (pages: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(pages).flatMap(([name, text]) => [
      [`${name}.md`, text],
      [`${name}.html`, `<p>${text}`],
    ]),
  );
const before = site({
  index: page('Start'),
  'guides/a': page('A'),
  old: page('Old'),
  'x/moved': page('Moved'),
});
const after = site({
  index: page('Start'),
  'guides/a': page('A', 'Edited.'),
  new: page('New \u001b[31mred'),
  'y/moved': page('Moved'),
});

let out = '';
let err = '';

async function docyard(...args: string[]): Promise<number> {
  const { status, stdout, stderr } = await run(...args);
  [out, err] = [stdout, stderr];
  return status;
}

beforeAll(async () => {
  writeFileSync(at('old.tar.gz'), await packBundle(before, { version: '2.0' }));
  writeFileSync(at('new.tar.gz'), await packBundle({ ...after, 'app.js': 'new' }, { version: '2.1', key }));
  const [old, now] = [readFileSync(at('old.tar.gz')), readFileSync(at('new.tar.gz'))];
  writeFileSync(at('delta.tar.gz'), await deltaOf(old, now));
  writeFileSync(at('docyard.pub'), publicKeyText(publicKeyOf(key)));
  await unpackBundle(inChunks(old), at('old'));
});

beforeEach(() => {
  vi.stubEnv('NO_COLOR', '1');
});
afterEach(() => {
  vi.unstubAllEnvs();
});

const expectedOutput = `from  version 2.0, commit ccccccc, 10 November 2026, 1 page, 5.8 kB
to    version 2.1, commit ccccccc, 10 November 2026, 1 page, 6.2 kB

+ /new                 New  [31mred
~ /guides/a            A
> /x/moved → /y/moved  Moved
- /old                 Old

1 page added, 1 changed, 1 moved, 1 removed.
Other files: 1 added.
New and changed files: 4.7 kB in total.
`;

describe('docyard diff', () => {
  test('lists the changed pages of two archives with their titles', async () => {
    expect(await docyard('diff', at('old.tar.gz'), at('new.tar.gz'))).toBe(0);
    expect(out).toBe(expectedOutput);
    expect(err).toBe('');
  });

  test('prints the same for a folder and an archive', async () => {
    expect(await docyard('diff', at('old'), at('new.tar.gz'))).toBe(0);
    expect(out).toBe(expectedOutput);
  });

  test('uses colors on request and removes escape sequences from titles', async () => {
    vi.stubEnv('NO_COLOR', '');
    vi.stubEnv('FORCE_COLOR', '1');
    await docyard('diff', at('old.tar.gz'), at('new.tar.gz'));
    expect(out).toContain('\u001b[32m+ /new               \u001b[39m  New  [31mred');
  });

  test('prints all changes as JSON', async () => {
    expect(await docyard('diff', at('old.tar.gz'), at('new.tar.gz'), '--json')).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      identical: false,
      from: { version: '2.0' },
      to: { version: '2.1' },
      pages: {
        changed: [{ path: '/guides/a', title: 'A', titleBefore: 'A' }],
        moved: [{ from: '/x/moved', path: '/y/moved', changed: false }],
      },
      files: { added: ['app.js'], changed: [], removed: [] },
    });
  });

  test('exits with 7 for a difference and with 0 without one when --exit-code is given', async () => {
    expect(await docyard('diff', at('old.tar.gz'), at('new.tar.gz'), '--exit-code')).toBe(7);
    expect(await docyard('diff', at('old.tar.gz'), at('old'), '--exit-code')).toBe(0);
    expect(out).toContain('No differences.');
  });

  test('compares jobs of a service by their manifests', async () => {
    const context = await composeForTest();
    const tenant = await createTenant(context);
    const project = await createTestProject(context, tenant);
    const job = await createCompletedExport(context, tenant, project);
    const manifest = readFileSync(join(at('old'), 'manifest.json'));
    await context.blobs.putBytes(blobName(job.id, 1, 'manifest.json'), manifest);
    const service = await serveForTest(context);
    vi.stubEnv('DOCYARD_API_KEY', tenant.key.key);
    expect(await docyard('diff', job.id, at('new.tar.gz'), '--server', service.origin)).toBe(0);
    expect(out).toContain('- /old\n');
    expect(out).toContain('~ /guides/a            A\n');
  });

  test.each([
    ['what is not there', ['nowhere', 'old.tar.gz'], 4, 'is not a file, a folder or a job id'],
    ['a delta', ['delta.tar.gz', 'new.tar.gz'], 2, 'docyard bundle apply'],
    ['a folder that is no export', ['old/x', 'new.tar.gz'], 7, 'is not an exported site'],
    ['a file that is no bundle', ['docyard.pub', 'new.tar.gz'], 7, '[not_a_bundle]'],
  ])('refuses %s', async (_what, [from = '', to = ''], status, sentence) => {
    expect(await docyard('diff', at(from), at(to))).toBe(status);
    expect(err).toContain(sentence);
    expect(out).toBe('');
  });
});

describe('docyard bundle apply', () => {
  const apply = (base: string, delta: string, ...more: string[]) =>
    docyard('bundle', 'apply', at(base), at(delta), '-o', at('made/full.tar.gz'), ...more);
  const sha256 = () => hash('sha256', readFileSync(at('new.tar.gz')));

  beforeEach(() => mkdirSync(at('made'), { recursive: true }));

  test.each(['old.tar.gz', 'old'])(
    'builds the exact bytes of the full bundle from %s and a delta',
    async (base) => {
      expect(await apply(base, 'delta.tar.gz', '--public-key', at('docyard.pub'), '--json')).toBe(0);
      expect(hash('sha256', readFileSync(at('made/full.tar.gz')))).toBe(sha256());
      expect(JSON.parse(out)).toMatchObject({
        file: at('made/full.tar.gz'),
        sha256: sha256(),
        version: '2.1',
        signedBy: publicKeyOf(key).keyId,
      });
      expect(readdirSync(at('made'))).toEqual(['full.tar.gz']);
    },
  );

  test('warns when no signature was verified', async () => {
    expect(await apply('old.tar.gz', 'delta.tar.gz')).toBe(0);
    expect(out).toContain(`sha256  ${sha256()}\n`);
    expect(err).toContain('--public-key');
  });

  test.each([
    ['another base', ['new.tar.gz', 'delta.tar.gz'], [], 7, '[base_missing]'],
    ['another version', ['old.tar.gz', 'delta.tar.gz'], ['--version', '3'], 7, '[wrong_version]'],
    ['a full bundle', ['old.tar.gz', 'new.tar.gz'], [], 2, 'is a full bundle, not a delta'],
    ['a base that is a delta', ['delta.tar.gz', 'delta.tar.gz'], [], 7, '[manifest_missing]'],
    ['a missing file', ['old.tar.gz', 'nowhere'], [], 1, 'nowhere: no such file or folder (ENOENT)'],
    ['no key at all', ['old.tar.gz', 'delta.tar.gz'], ['--public-key', 'nonsense'], 1, 'nonsense'],
  ])('refuses %s and writes nothing', async (_what, [base = '', delta = ''], more, status, sentence) => {
    writeFileSync(at('made/full.tar.gz'), 'kept');
    expect(await apply(base, delta, ...more)).toBe(status);
    expect(err).toContain(sentence);
    expect(readFileSync(at('made/full.tar.gz'), 'utf8')).toBe('kept');
    expect(readdirSync(at('made'))).toEqual(['full.tar.gz']);
  });

  test('names the path that cannot be written', async () => {
    expect(
      await docyard('bundle', 'apply', at('old'), at('delta.tar.gz'), '-o', at('none/full.tar.gz')),
    ).toBe(1);
    expect(err).toContain(`Cannot write ${at('none/full.tar.gz')}: no such file or folder (ENOENT)`);
    expect(existsSync(at('none'))).toBe(false);
  });
});
