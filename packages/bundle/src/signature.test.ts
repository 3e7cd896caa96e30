/** Keys and signatures are compatible with minisign. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../test/temporary-resources.ts';
import {
  InvalidKeyError,
  newSigningKey,
  parsePublicKey,
  parseSecretKey,
  publicKeyLine,
  publicKeyOf,
  publicKeyText,
  secretKeyText,
  sign,
  signingKeyFromSeed,
  verifySignature,
} from './signature.ts';

const key = signingKeyFromSeed(Buffer.alloc(32, 'seed'));
const bytes = Buffer.from('{"format":1}\n');
const text = sign(key, bytes, 'docyard manifest.json version=2.1');
const publicKeys = [publicKeyOf(key)];

describe('a signature', () => {
  test('is deterministic', () => {
    expect(
      sign(signingKeyFromSeed(Buffer.alloc(32, 'seed')), bytes, 'docyard manifest.json version=2.1'),
    ).toBe(text);
    expect(text.split('\n')).toEqual([
      `untrusted comment: signature from docyard, key ${key.keyId}`,
      expect.stringMatching(/^RU[QR][\w+/]{96}=$/),
      'trusted comment: docyard manifest.json version=2.1',
      expect.stringMatching(/^[\w+/]{86}==$/),
      '',
    ]);
  });

  test('proves its key and its comment, also among several keys', () => {
    const proven = { keyId: key.keyId, trustedComment: 'docyard manifest.json version=2.1' };
    expect(verifySignature(publicKeys, bytes, text)).toEqual(proven);
    expect(verifySignature([publicKeyOf(newSigningKey()), ...publicKeys], bytes, text)).toEqual(proven);
    expect(verifySignature(publicKeys, bytes, text.replaceAll('\n', '\r\n'))).toEqual(proven);
  });

  const [comment = '', line = '', trusted = '', global = ''] = text.split('\n');
  const lines = (...parts: string[]) => `${parts.join('\n')}\n`;
  const flipped = (base64: string) => {
    const decoded = Buffer.from(base64, 'base64');
    decoded.writeUInt8(decoded.readUInt8(40) ^ 1, 40);
    return decoded.toString('base64');
  };

  test.each([
    ['other bytes in it', lines(comment, flipped(line), trusted, global)],
    ['another comment', lines(comment, line, `${trusted}0`, global)],
    ['other bytes in what proves the comment', lines(comment, line, trusted, flipped(global))],
    ['a line too few', lines(comment, line, trusted)],
    ['a line too many', lines(comment, line, trusted, global, global)],
    ['an unknown algorithm', lines(comment, `QUE${line.slice(3)}`, trusted, global)],
    ['base64 with something behind it', lines(comment, `${line}=`, trusted, global)],
    ['nothing', ''],
    ['a megabyte', text + ' '.repeat(1_000_000)],
  ])('is invalid with %s', (_what, changed) => {
    expect(() => verifySignature(publicKeys, bytes, changed)).toThrow(
      expect.objectContaining({ refusal: 'signature_invalid' }),
    );
  });

  test('does not verify other bytes or another key', () => {
    expect(() => verifySignature(publicKeys, Buffer.from('{}'), text)).toThrow(
      expect.objectContaining({ refusal: 'signature_invalid' }),
    );
    const other = newSigningKey();
    expect(() => verifySignature([publicKeyOf(other)], bytes, text)).toThrow(
      expect.objectContaining({
        refusal: 'wrong_key',
        message: expect.stringContaining(`It is signed with the key ${key.keyId}, not with ${other.keyId}.`),
      }),
    );
  });

  test('of another key with the same id is invalid', () => {
    const impostor = { ...newSigningKey(), keyId: key.keyId };
    expect(() => verifySignature(publicKeys, bytes, sign(impostor, bytes, 'x'))).toThrow(
      expect.objectContaining({ refusal: 'signature_invalid' }),
    );
  });
});

describe('a key', () => {
  test('can be parsed from its text, the public one also from its line', () => {
    expect(parseSecretKey(secretKeyText(key))).toMatchObject({ keyId: key.keyId, seed: key.seed });
    for (const given of [
      publicKeyText(publicKeyOf(key)),
      publicKeyLine(publicKeyOf(key)),
      `  ${publicKeyLine(publicKeyOf(key))}\n\n`,
    ])
      expect(parsePublicKey(given)).toMatchObject({ keyId: key.keyId, bytes: key.publicBytes });
  });

  test('is different each time it is generated', () => {
    expect(newSigningKey().keyId).not.toBe(newSigningKey().keyId);
  });

  const damaged = Buffer.from(secretKeyText(key).split('\n')[1] ?? '', 'base64');
  damaged.writeUInt8(damaged.readUInt8(100) ^ 1, 100);
  const encrypted = Buffer.from(damaged);
  encrypted.write('Sc', 2, 'latin1');

  test.each([
    ['a text', 'hidden', 'This is not a minisign secret key.'],
    ['nothing', '', 'This is not a minisign secret key.'],
    ['a public key', publicKeyText(publicKeyOf(key)), 'This is not a minisign secret key.'],
    ['halves that do not belong together', damaged.toString('base64'), 'is damaged'],
    [
      'a password',
      encrypted.toString('base64'),
      'Create a key without one: `docyard signing-key create` or `minisign -G -W`.',
    ],
  ])('that is %s cannot sign, and is not quoted', (_what, given, complaint) => {
    expect(() => parseSecretKey(given)).toThrow(InvalidKeyError);
    expect(() => parseSecretKey(given)).toThrow(complaint);
    if (given !== '') expect(() => parseSecretKey(given)).not.toThrow(given);
  });

  test.each(['', 'hidden', secretKeyText(key), 'RWQ=', publicKeyLine(publicKeyOf(key)).replace('RW', 'RU')])(
    'that is %j cannot verify',
    (given) => expect(() => parsePublicKey(given)).toThrow(InvalidKeyError),
  );
});

const hasMinisign = spawnSync('minisign', ['-v']).status === 0;
if (!hasMinisign)
  process.stderr.write('minisign is not on this machine: what it thinks of our signatures is not tested.\n');

describe.skipIf(!hasMinisign)('minisign itself', () => {
  const folder = temporaryFolder('minisign');
  const at = (name: string) => join(folder, name);
  const minisign = (...args: string[]) =>
    spawnSync('minisign', args, { cwd: folder, encoding: 'utf8', input: '' });
  writeFileSync(at('manifest.json'), bytes);

  test('accepts a signature and key of ours and prints the comment', () => {
    writeFileSync(at('ours.pub'), publicKeyText(publicKeyOf(key)));
    writeFileSync(at('manifest.json.minisig'), text);
    const ended = minisign('-V', '-p', 'ours.pub', '-m', 'manifest.json');
    expect(ended).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('docyard manifest.json version=2.1'),
    });
    const byLine = minisign('-V', '-P', publicKeyLine(publicKeyOf(key)), '-m', 'manifest.json');
    expect(byLine.status).toBe(0);
    writeFileSync(at('manifest.json.minisig'), sign(key, Buffer.from('other'), 'x'));
    expect(minisign('-V', '-p', 'ours.pub', '-m', 'manifest.json').status).not.toBe(0);
  });

  test('signs with a key of ours', () => {
    writeFileSync(at('ours.key'), secretKeyText(key));
    const ended = minisign(
      '-S',
      '-s',
      'ours.key',
      '-m',
      'manifest.json',
      '-x',
      'theirs.minisig',
      '-t',
      'by hand',
    );
    expect(ended.status).toBe(0);
    const made = readFileSync(at('theirs.minisig'), 'utf8');
    expect(verifySignature(publicKeys, bytes, made)).toEqual({ keyId: key.keyId, trustedComment: 'by hand' });
  });

  test.each([
    ['of today', []],
    ['of the old kind', ['-l']],
  ])('creates keys and signatures (%s) that we accept', (_what, options) => {
    expect(minisign('-G', '-W', '-f', '-p', 'theirs.pub', '-s', 'theirs.key').status).toBe(0);
    const theirs = parseSecretKey(readFileSync(at('theirs.key'), 'utf8'));
    const known = parsePublicKey(readFileSync(at('theirs.pub'), 'utf8'));
    // minisign prints the id without leading zeros.
    expect(readFileSync(at('theirs.pub'), 'utf8').split('\n')[1]).toBe(publicKeyLine(publicKeyOf(theirs)));
    expect(
      minisign('-S', ...options, '-s', 'theirs.key', '-m', 'manifest.json', '-x', 'x.minisig').status,
    ).toBe(0);
    const made = readFileSync(at('x.minisig'), 'utf8');
    expect(verifySignature([known], bytes, made).keyId).toBe(known.keyId);
  });
});
