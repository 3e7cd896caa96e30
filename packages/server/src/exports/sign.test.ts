/** The server signs only manifests that match the order. */
import { describe, expect, test } from 'vitest';
import { newSigningKey, publicKeyLine, publicKeyOf, sign, verifySignature } from '@docyard/bundle';
import { manifestOf } from '../../../bundle/test/support/bundles.ts';
import { signManifest } from './sign.ts';

const key = newSigningKey();
const signer = {
  keyId: key.keyId,
  publicKey: publicKeyLine(publicKeyOf(key)),
  sign: (bytes: Uint8Array, comment: string) => sign(key, bytes, comment),
};
const order = {
  version: '2.1',
  commit: 'c'.repeat(40),
  committedAt: '2026-11-10T09:00:00.000Z',
  isolationLevel: 3 as const,
};
const comment = (version: string) => {
  const manifest = manifestOf({ 'index.html': 'x' }, version);
  const text = signManifest(signer, { ...order, version }, manifest);
  return verifySignature([publicKeyOf(key)], manifest, text).trustedComment;
};

describe('a manifest', () => {
  test('is signed with version and commit in the comment', () => {
    expect(comment('2.1')).toBe(`docyard manifest.json version=2.1 commit=${order.commit}`);
  });

  test('has a comment of one line for any version name', () => {
    expect(comment('2.1\n trusted comment: 9')).toContain(
      'version=2.1%0A%20trusted%20comment%3A%209 commit=',
    );
    expect(comment('\ud800')).toContain('version=%EF%BF%BD commit=');
  });

  test.each([
    ['version', { version: '2.2' }],
    ['version, where none was asked for', { version: null }],
    ['commit', { commit: 'd'.repeat(40) }],
    ['date', { committedAt: null }],
    ['isolation', { isolationLevel: 2 as const }],
  ])('with another %s is not signed', (_what, other) => {
    const signing = () => signManifest(signer, { ...order, ...other }, manifestOf({ 'index.html': 'x' }));
    expect(signing).toThrow('The rendering process created a bundle that does not match its order.');
  });

  test('that is invalid is not signed', () => {
    expect(() => signManifest(signer, order, manifestOf({ '../x': '' }))).toThrow('[unsafe_path]');
  });
});
