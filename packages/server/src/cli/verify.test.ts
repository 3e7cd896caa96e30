/** Output, JSON and exit status of `docyard verify` and `docyard signing-key`. */
import { closeSync, existsSync, openSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import {
  makeDelta,
  newSigningKey,
  parsePublicKey,
  parseSecretKey,
  publicKeyLine,
  publicKeyOf,
  publicKeyText,
  unpackBundle,
} from '@docyard/bundle';
import { bundleOf, inChunks } from '../../../bundle/test/support/bundles.ts';
import {
  composeForTest,
  createTenant,
  serveForTest,
  temporaryFolder,
} from '../../test/support/test-context.ts';
import { docyard as run } from '../../test/support/run-command.ts';

const key = newSigningKey();
const folder = temporaryFolder('verify');
const at = (name: string) => join(folder, name);
const [old, bundle] = [bundleOf({ 'index.html': 'old' }, key, '2.0'), bundleOf({ 'index.html': 'new' }, key)];

beforeAll(async () => {
  writeFileSync(at('docyard.pub'), publicKeyText(publicKeyOf(key)));
  writeFileSync(at('other.pub'), publicKeyText(publicKeyOf(newSigningKey())));
  writeFileSync(at('bundle.tar.gz'), bundle);
  writeFileSync(at('unsigned.tar.gz'), bundleOf({ 'index.html': 'new' }));
  writeFileSync(at('cut.tar.gz'), bundle.subarray(0, -20));
  await unpackBundle(inChunks(bundle), at('site'));
  await unpackBundle(inChunks(old), at('old'));
  const output = openSync(at('delta.tar.gz'), 'w');
  await makeDelta({ base: inChunks(old), target: inChunks(bundle), spool: at('spool'), output });
  closeSync(output);
});

/** Names that begin with `./` are in the test folder. */
async function docyard(call: string) {
  const args = call.split(' ').map((word) => word.replace(/^\.\//, `${folder}/`));
  const { status, stdout, stderr } = await run(...args);
  const shown = (text: string) => text.replaceAll(`${folder}/`, './');
  return { status, stdout: shown(stdout), stderr: shown(stderr) };
}

async function json(call: string): Promise<unknown> {
  return JSON.parse((await docyard(`${call} --json`)).stdout) as unknown;
}

describe('docyard verify', () => {
  test('prints the content of a bundle, its age and its verified signature', async () => {
    vi.useFakeTimers({ now: new Date('2026-11-15T12:00:00Z'), toFake: ['Date'] });
    const { status, stdout, stderr } = await docyard(
      'verify ./bundle.tar.gz --public-key ./docyard.pub --version 2.1',
    );
    vi.useRealTimers();
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(
      stdout
        .replace(/[0-9a-f]{64}/, 'HASH')
        .replaceAll(key.keyId, 'KEY')
        .replace(/\d+\.\d kB as/, 'N kB as'),
    ).toBe(
      [
        './bundle.tar.gz is intact and signed by KEY.',
        '',
        '  Version    2.1',
        '  Content    10 November 2026, 5 days old',
        `  Commit     ${'c'.repeat(40)}`,
        '  Pages      1',
        '  Files      3, 0.0 kB, N kB as an archive',
        '  SHA-256    HASH',
        '  Signature  KEY, verified',
        '',
      ].join('\n'),
    );
  });

  test.each([
    ['./bundle.tar.gz', './bundle.tar.gz is intact; signature not verified.\n'],
    ['./bundle.tar.gz', `Signature  ${key.keyId}, not verified: pass --public-key`],
    ['./unsigned.tar.gz', './unsigned.tar.gz is intact; signature not verified.\n'],
    ['./unsigned.tar.gz', 'Signature  unsigned'],
    ['./site', 'Files      3, 0.0 kB\n'],
    ['./delta.tar.gz', 'Signature  not verified: pass --base'],
    [
      './delta.tar.gz --base ./old --public-key ./docyard.pub --version 2.1',
      `Signature  ${key.keyId}, verified`,
    ],
  ])('prints for %s: %s', async (call, expected) => {
    const { status, stdout } = await docyard(`verify ${call}`);
    expect(status).toBe(0);
    expect(stdout).toContain(expected);
  });

  test('--json prints the same facts', async () => {
    const facts = { ok: true, version: '2.1', pages: 1, files: 3, contentBytes: 3, claimedKey: key.keyId };
    expect(await json('verify ./bundle.tar.gz')).toMatchObject({ ...facts, kind: 'bundle', signedBy: null });
    expect(await json(`verify ./site --public-key ${publicKeyLine(publicKeyOf(key))}`)).toMatchObject({
      ...facts,
      kind: 'folder',
      signedBy: key.keyId,
      sha256: null,
    });
    expect(await json('verify ./delta.tar.gz --base ./old')).toMatchObject({ ...facts, kind: 'delta' });
    expect(await json('verify ./delta.tar.gz')).toMatchObject({ kind: 'delta', version: '2.1', pages: null });
  });

  test.each([
    ['./bundle.tar.gz --public-key ./other.pub', 7, 'wrong_key'],
    ['./bundle.tar.gz --public-key ./other.pub ./docyard.pub', 0, undefined],
    ['./unsigned.tar.gz --public-key ./docyard.pub', 7, 'signature_missing'],
    ['./bundle.tar.gz --version 2.0', 7, 'wrong_version'],
    [`./bundle.tar.gz --sha256 ${'0'.repeat(64)}`, 7, 'wrong_hash'],
    [`./delta.tar.gz --sha256 ${'0'.repeat(64)}`, 7, 'wrong_hash'],
    ['./cut.tar.gz', 7, 'truncated'],
    ['./docyard.pub', 7, 'not_a_bundle'],
    ['./delta.tar.gz --base ./site', 7, 'base_missing'],
    ['./delta.tar.gz --public-key ./docyard.pub', 2, 'usage'],
    ['./bundle.tar.gz --sha256 abc', 2, 'usage'],
    [`./site --sha256 ${'0'.repeat(64)}`, 2, 'usage'],
    ['./nothing', 1, 'file_system'],
  ])('%s ends with %i', async (call, status, code) => {
    const ended = await docyard(`verify ${call} --json`);
    expect(ended.status).toBe(status);
    expect(JSON.parse(ended.stdout)).toMatchObject(code === undefined ? { ok: true } : { ok: false, code });
  });
});

describe('docyard signing-key', () => {
  test('create writes both keys, prints the public one and never overwrites a file', async () => {
    const { status, stdout, stderr } = await docyard('signing-key create --out ./made.key');
    expect(status).toBe(0);
    const made = parseSecretKey(readFileSync(at('made.key'), 'utf8'));
    expect(stdout).toBe(`${publicKeyLine(publicKeyOf(made))}\n`);
    expect(stderr).toContain('Keep ./made.key secret and distribute ./made.key.pub');
    expect(statSync(at('made.key')).mode & 0o777).toBe(0o600);
    expect(parsePublicKey(readFileSync(at('made.key.pub'), 'utf8')).keyId).toBe(made.keyId);
    expect(stdout + stderr).not.toContain(made.seed.toString('base64').slice(0, 20));

    expect(await docyard('signing-key create --out ./made.key')).toEqual({
      status: 8,
      stdout: '',
      stderr: 'docyard: ./made.key already exists. Keys are never overwritten.\n',
    });
    writeFileSync(at('half.key.pub'), '');
    expect((await docyard('signing-key create --out ./half.key')).status).toBe(8);
    expect(existsSync(at('half.key'))).toBe(false);
  });

  test('show reads a public or secret key from a file', async () => {
    await docyard('signing-key create --out ./shown.key');
    const text = readFileSync(at('shown.key.pub'), 'utf8');
    expect(await docyard('signing-key show ./shown.key')).toEqual({ status: 0, stdout: text, stderr: '' });
    expect(await docyard('signing-key show ./shown.key.pub')).toEqual({
      status: 0,
      stdout: text,
      stderr: '',
    });
    expect((await docyard('signing-key show ./bundle.tar.gz')).status).toBe(2);
    expect((await docyard('signing-key show ./nothing')).status).toBe(1);
  });

  test('show prints the key of a service and of a data folder', async () => {
    const context = await composeForTest();
    const { keyId, publicKey } = context.secrets.signer;
    expect(await json(`signing-key show --data ${context.config.dataDir}`)).toEqual({ keyId, publicKey });
    const service = await serveForTest(context);
    writeFileSync(at('api-key'), (await createTenant(context)).key.key);
    expect(await json(`signing-key show --server ${service.origin} --key-file ./api-key`)).toEqual({
      keyId,
      publicKey,
    });
    expect((await docyard(`signing-key show --data ${temporaryFolder()}`)).status).toBe(4);
  });
});
