import { describe, expect, test } from 'vitest';
import type { ForgeKind } from '../ports/forge.ts';
import { isSigned } from './signatures.ts';

const check = (forge: ForgeKind, headers: Record<string, string>, body: string, ...secrets: string[]) =>
  isSigned(forge, { header: (name) => headers[name], body: Buffer.from(body) }, secrets);

describe('the examples that the forges publish are valid', () => {
  const secret = "It's a Secret to Everybody";

  test('for GitHub', () => {
    const signature = 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17';
    const headers = { 'x-hub-signature-256': signature };
    expect(check('github', headers, 'Hello, World!', secret)).toBe(true);
    expect(check('github', headers, 'Hello, World?', secret)).toBe(false);
  });

  test('for Bitbucket', () => {
    const signature = 'sha256=a4771c39fbe90f317c7824e83ddef3caae9cb3d976c214ace1f2937e133263c9';
    expect(check('bitbucket', { 'x-hub-signature': signature }, 'Hello World!', secret)).toBe(true);
    expect(check('bitbucket-data-center', { 'x-hub-signature': signature }, 'Hello World!', secret)).toBe(
      true,
    );
  });

  test('for the signing token of GitLab, by Standard Webhooks', () => {
    const headers = {
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature':
        'v1,bm9ldHUjKzFob2VudXRob2VodWUzMjRvdWVvdW9ldQo= v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    };
    const token = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    expect(check('gitlab', headers, '{"test": 2432232314}', token)).toBe(true);
    expect(
      check('gitlab', { ...headers, 'webhook-timestamp': '1614265331' }, '{"test": 2432232314}', token),
    ).toBe(false);
  });
});

describe('a request is refused', () => {
  const headerOf: [ForgeKind, string, string][] = [
    ['github', 'x-hub-signature-256', 'sha256='],
    ['gitea', 'x-gitea-signature', ''],
    ['gitea', 'x-forgejo-signature', ''],
    ['bitbucket', 'x-hub-signature', 'sha256='],
    ['gitlab', 'x-gitlab-token', ''],
    ['gitlab', 'webhook-signature', 'v1,'],
  ];

  test.each(headerOf)('of %s whose %s is missing, empty or of another request', (forge, name, prefix) => {
    for (const value of [
      '',
      prefix,
      `${prefix}${'0'.repeat(64)}`,
      `sha1=${'0'.repeat(40)}`,
      '€'.repeat(64),
    ]) {
      expect(check(forge, { [name]: value }, '{}', 'secret')).toBe(false);
    }
    expect(check(forge, {}, '{}', 'secret')).toBe(false);
  });

  test('without a forge that signs', () => {
    expect(check('bare', { 'x-gitlab-token': 'secret' }, '{}', 'secret')).toBe(false);
  });
});

test('a replaced secret is accepted beside the new one', () => {
  expect(check('gitlab', { 'x-gitlab-token': 'old' }, '{}', 'new', 'old')).toBe(true);
});
