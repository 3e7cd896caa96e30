import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holdsSecret, looksSecret } from './secrets.ts';
import { changed, outcomeOf, verdictOn } from '../../../test/support/policy-verdicts.ts';

const secret = 'Tr0ub4dor&3/kL9=x';
/** Split, so that secret scanners do not report this file. */
const token = ['ghp', 'aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xY1zA2'].join('_');

describe('secrets of this installation', () => {
  it.each([
    ['as they are', secret],
    ['in capitals', secret.toUpperCase()],
    ['backwards', Array.from(secret).toReversed().join('')],
    ['as base64', Buffer.from(secret).toString('base64')],
    ['as base64 behind other bytes', Buffer.from(`x=${secret}`).toString('base64')],
    ['as base64 for addresses', Buffer.from(`?${secret}`).toString('base64url')],
    ['as hexadecimal digits', Buffer.from(secret).toString('hex').toUpperCase()],
    ['as escapes of an address', encodeURIComponent(secret)],
    ['over several lines', `${secret.slice(0, 5)}\n- ${secret.slice(5)}`.replace('- ', '')],
    ['in pieces of code', `"${secret.slice(0, 5)}", "${secret.slice(5)}"`],
    ['twice encoded', Buffer.from(Buffer.from(secret).toString('base64')).toString('base64')],
  ])('a secret is blocked %s', (_, text) => {
    expect(holdsSecret(`Some text ${text} and more`, [secret])).toBe(true);
    expect(outcomeOf([changed('a.yaml', 'a', `a: b\nc: '${text}'\n`)], { secrets: [secret] })).toContain(
      'block',
    );
  });

  it('a secret in a file name is blocked', () => {
    expect(
      outcomeOf([changed('correct-horse-battery.md', null, 'a')], { secrets: ['correct-horse-battery'] }),
    ).toBe('block secrets');
  });

  it('a masked secret in a file is blocked', () => {
    const masked = 'The token is [secret removed].';
    expect(outcomeOf([changed('a.mdx', '', masked)])).toBe('block secrets');
    expect(outcomeOf([changed('guides/[secret removed].mdx', null, 'a')])).toBe('block secrets');
    expect(outcomeOf([changed('a.mdx', masked, `${masked}\n\nMore.`)])).toBe('pass');
  });

  it('notes never contain a secret', () => {
    const verdict = verdictOn([changed(`${token}.md`, null, token)], { secrets: [token] });
    expect(JSON.stringify(verdict)).not.toContain(token);
  });

  it('short secrets are ignored', () => {
    expect(holdsSecret('abc', ['abc', ''])).toBe(false);
  });

  it('a secret is found in any surrounding text', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.string(),
        fc.constantFrom('utf8', 'base64', 'hex', 'base64url'),
        (before, after, encoding) => {
          const text = Buffer.from(before + secret + after).toString(encoding);
          expect(holdsSecret(text, [secret])).toBe(true);
        },
      ),
    );
  });
});

describe('credentials of known formats', () => {
  it('new credentials are blocked, also encoded', () => {
    expect(outcomeOf([changed('a.mdx', '', `Use ${token}.`)])).toBe('block secrets');
    expect(outcomeOf([changed('a.mdx', '', `Use ${Buffer.from(token).toString('base64')}.`)])).toBe(
      'block secrets',
    );
    expect(looksSecret(`Use ${token}.`, [])).toBe(true);
  });

  it('existing credentials and placeholders pass', () => {
    expect(outcomeOf([changed('a.mdx', `Use ${token}.`, `Always use ${token}.`)])).toBe('pass');
    expect(outcomeOf([changed('a.mdx', '', 'Use ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx.')])).toBe('pass');
  });
});
