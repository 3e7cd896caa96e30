import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { redactor } from './redact.ts';

const secret = 'ghp_t0k3n"with/odd+chars&more';
const redact = redactor([secret, 'short', '']);

test.each([
  ['as it is', secret],
  ['inside JSON', JSON.stringify({ header: secret })],
  ['in an address', `https://example.com/?t=${encodeURIComponent(secret)}`],
  ['in hex', Buffer.from(secret).toString('hex')],
  ['in base64', Buffer.from(secret).toString('base64')],
  ['in base64 for addresses', Buffer.from(secret).toString('base64url')],
  ['as basic authorization', Buffer.from(`x-access-token:${secret}`).toString('base64')],
])('%s', (_form, text) => {
  const clean = redact(`before ${text} after`);
  expect(clean).toContain('[secret removed]');
  expect(clean).not.toContain(text);
});

test('base64 of the secret is masked independent of the surrounding bytes', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 20 }), fc.string({ maxLength: 20 }), (before, after) => {
      const clean = redact(Buffer.from(before + secret + after).toString('base64'));
      expect(clean).toContain('[secret removed]');
    }),
  );
});

test('short words and texts without a secret stay unchanged', () => {
  expect(redact('a short text')).toBe('a short text');
  expect(redactor([])('anything')).toBe('anything');
});
