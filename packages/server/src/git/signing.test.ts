import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { newPgpKey, newSshKey, signingPrograms } from '../../../../test/signing-keys.ts';
import { temporaryFolder } from '../../test/support/test-context.ts';
import { inspectSigningKey, signText } from './signing.ts';

let workFolder: string;
beforeEach(() => void (workFolder = temporaryFolder('sign')));
afterEach(async () => {
  expect(readdirSync(workFolder)).toEqual([]);
  // The agent of gpg gets its folder as an argument.
  await expect.poll(() => argumentsOfAll()).not.toContain(workFolder);
});

function argumentsOfAll(): string {
  const ids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return ids.map((id) => argumentsOf(id)).join('\n');
}

function argumentsOf(id: string): string {
  try {
    return readFileSync(`/proc/${id}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

describe.skipIf(!signingPrograms)('a signing key', () => {
  let pgpKey: string;
  beforeAll(() => void (pgpKey = newPgpKey()));

  test.each(['ed25519', 'ecdsa', 'rsa'])('an SSH key of type %s signs', async (type) => {
    const key = newSshKey({ type });
    const { format, publicKey } = await inspectSigningKey(key, workFolder);
    expect({ format, publicKey }).toEqual({
      format: 'ssh',
      publicKey: expect.stringMatching(/^(?:ssh|ecdsa)-\S+ \S+ docs@example\.com$/) as string,
    });
    const signature = await signText(key, 'A text', workFolder);
    expect(signature).toMatch(/^-----BEGIN SSH SIGNATURE-----\n[^]*\n-----END SSH SIGNATURE-----\n$/);
    const signers = join(temporaryFolder(), 'signers');
    writeFileSync(signers, `docs@example.com ${publicKey}\n`);
    writeFileSync(`${signers}.sig`, signature);
    const verify = ['-Y', 'verify', '-n', 'git', '-f', signers, '-I', 'docs@example.com'];
    const checked = (text: string) =>
      spawnSync('ssh-keygen', [...verify, '-s', `${signers}.sig`], { input: text }).status;
    expect([checked('A text'), checked('Another text')]).toEqual([0, 255]);
  });

  test('an OpenPGP key signs, and its public key contains no private part', async () => {
    const { format, publicKey } = await inspectSigningKey(pgpKey, workFolder);
    expect(format).toBe('openpgp');
    expect(publicKey).toMatch(/^-----BEGIN PGP PUBLIC KEY BLOCK-----\n/);
    expect(publicKey).not.toContain('PRIVATE');
    expect(await signText(pgpKey, 'A text', workFolder)).toMatch(/^-----BEGIN PGP SIGNATURE-----\n/);
  });

  test('line breaks of another system and spaces around the key do not matter', async () => {
    const key = newSshKey();
    const expected = await inspectSigningKey(key, workFolder);
    const pasted = `\r\n${key.trim().replaceAll('\n', '\r\n')}  `;
    expect(await inspectSigningKey(pasted, workFolder)).toEqual(expected);
  });

  test.each<[string, () => string, string]>([
    ['an SSH key with a passphrase', () => newSshKey({ passphrase: 'secret' }), 'protected by a passphrase'],
    [
      'an OpenPGP key with a passphrase',
      () => newPgpKey({ passphrase: 'secret' }),
      'protected by a passphrase',
    ],
    ['an expired OpenPGP key', () => newPgpKey({ isExpired: true }), 'cannot sign'],
    ['a truncated SSH key', () => `${newSshKey().slice(0, 200)}\n`, 'cannot be read'],
    ['a truncated OpenPGP key', () => pgpKey.slice(0, 200), 'cannot be read'],
    ['two OpenPGP keys', () => pgpKey + newPgpKey(), 'contains 2 private keys'],
    ['an SSH public key', () => 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA ada', 'is a public key'],
    ['an OpenPGP public key', () => '-----BEGIN PGP PUBLIC KEY BLOCK-----', 'is a public key'],
    ['a certificate', () => '-----BEGIN CERTIFICATE-----', 'neither an SSH nor an OpenPGP'],
    ['a word', () => 'secret', 'neither an SSH nor an OpenPGP'],
  ])('%s is refused', async (_, make, message) => {
    const key = make();
    const error = await inspectSigningKey(key, workFolder).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      name: 'SigningError',
      message: expect.stringContaining(message) as string,
    });
    const { hint = '' } = error as { hint?: string };
    expect(hint).toMatch(/^[A-Z].*\S$/);
    for (const line of key.split('\n').filter((one) => one.length > 40))
      expect(`${String(error)} ${hint}`).not.toContain(line);
  });

  test('a data folder whose path is too long for gpg is reported, and SSH keys work in it', async () => {
    const deep = join(temporaryFolder(), 'x'.repeat(90));
    mkdirSync(deep);
    await expect(inspectSigningKey(pgpKey, deep)).rejects.toThrow('its path is too long');
    await expect(inspectSigningKey(newSshKey(), deep)).resolves.toMatchObject({ format: 'ssh' });
    expect(readdirSync(deep)).toEqual([]);
  });

  test('a missing program is named', async () => {
    const { PATH } = process.env;
    process.env['PATH'] = workFolder;
    try {
      await expect(signText('-----BEGIN PRIVATE KEY-----', '', workFolder)).rejects.toMatchObject({
        message: 'ssh-keygen is not installed on the server.',
        hint: 'The operator must install the package openssh-client.',
      });
    } finally {
      process.env['PATH'] = PATH;
    }
  });
});
