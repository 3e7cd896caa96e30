/** The server signs only manifests that match the order. */
import { describe, expect, test } from 'vitest';
import {
  contentKeyText,
  newContentKey,
  newSigningKey,
  publicKeyLine,
  publicKeyOf,
  sign,
  verifySignature,
} from '@docyard/bundle';
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
  contentKey: null,
};
const comment = (version: string) => {
  const manifest = manifestOf({ 'index.html': 'x' }, version);
  const text = signManifest(signer, { ...order, version }, manifest);
  return verifySignature([publicKeyOf(key)], manifest, text).trustedComment;
};

function sealedWith(keyId: string): Buffer {
  const manifest = JSON.parse(manifestOf({ 'index.html': 'x' }, '2.1').toString()) as object;
  return Buffer.from(JSON.stringify({ ...manifest, access: { format: 1, keyId } }));
}

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

  describe('of sealed files', () => {
    const ordered = newContentKey();
    const contentKey = contentKeyText(ordered);
    const signing = (orderedKey: string | null, keyId: string) => () =>
      signManifest(signer, { ...order, contentKey: orderedKey }, sealedWith(keyId));

    test('is signed when they are sealed with the ordered content key', () => {
      expect(signing(contentKey, ordered.keyId)()).toContain('untrusted comment');
    });

    test.each([
      ['with another content key', contentKey, newContentKey().keyId],
      ['although no content key was ordered', null, ordered.keyId],
    ])('is not signed when they are sealed %s', (_how, orderedKey, keyId) => {
      expect(signing(orderedKey, keyId)).toThrow('does not match its order');
    });
  });

  test('of a site without groups is signed although a content key was ordered', () => {
    const manifest = manifestOf({ 'index.html': 'x' }, '2.1');
    expect(
      signManifest(signer, { ...order, contentKey: contentKeyText(newContentKey()) }, manifest),
    ).toContain('untrusted comment');
  });

  test('that is invalid is not signed', () => {
    expect(() => signManifest(signer, order, manifestOf({ '../x': '' }))).toThrow('[unsafe_path]');
  });
});
