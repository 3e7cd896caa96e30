/** Samples are assembled at run time so that secret scanners ignore this file. */
import { describe, expect, it } from 'vitest';
import { findSecrets } from './secrets.ts';

const random = 'q7Zt2Lw9Xr4Vb6Nc1Md8Kf3Hj5Gs0Pa2Qe7uY9iT4oB8vC1xD6zE3wF5';
const joined = (...parts: string[]): string => parts.join('');
const findIn = (text: string) => findSecrets([Buffer.from(text)], () => text);
const kinds = (text: string): string[] => findIn(text).map(({ kind }) => kind);

describe('a likely credential', () => {
  it.each([
    ['an AWS access key', joined('AKIA', 'Q7ZT2LW3XR4VB6NC')],
    ['an AWS secret key', `aws_secret_access_key = ${random.slice(0, 40)}`],
    ['a GitHub token', `ghp_${random.slice(0, 36)}`],
    ['a GitLab token', `glpat-${random.slice(0, 20)}`],
    ['a Slack token', joined('xoxb-', '2837465019-', random.slice(0, 24))],
    ['a Stripe live key', `sk_live_${random.slice(0, 24)}`],
    ['a private key', `-----BEGIN RSA PRIVATE KEY-----\n${random}\n${random}\n`],
    [
      'a JSON Web Token',
      [{ alg: 'HS256' }, { sub: 'u-77' }]
        .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
        .join('.') + `.${random.slice(0, 43)}`,
    ],
    ['a Docyard key', joined('docyard_', 'q7Zt2Lw9Xr4Vb6Nc1Md8Kf3Hj5Gs0P', '2QAoyY')],
  ])('is found: %s', (kind, text) => {
    expect(kinds(`Use "${text}" here.`)).toEqual([kind]);
  });

  it('shows no more than the first characters', () => {
    const [found] = findIn(`ghp_${random.slice(0, 36)}`);
    expect(found?.start).toBe('ghp_q7Zt…');
  });
});

describe('a placeholder or other text', () => {
  it.each([
    ['the example of a vendor', 'AKIAIOSFODNN7EXAMPLE'],
    ['a placeholder', `ghp_${'x'.repeat(36)}`],
    ['a row of digits', `sk_live_${'1234567890'.repeat(3)}`],
    ['a pattern', `glpat-${'abab'.repeat(5)}`],
    ['a test key', `sk_test_${random.slice(0, 24)}`],
    [
      'the token that every introduction shows',
      `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.${random.slice(0, 43)}`,
    ],
    ['a Docyard key with a wrong checksum', `docyard_${random.slice(0, 36)}`],
    ['a key that was cut', '-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----'],
    ['a long word', 'ghp_thequickbrownfox'],
  ])('is not reported: %s', (_what, text) => {
    expect(kinds(text)).toEqual([]);
  });
});

describe('the full scan', () => {
  const traces =
    /AKIA|ASIA|aws_secret|AWS_SECRET|gh[opsru]_|github_pat_|glpat|xox[abeoprs]|[rs]k_live_|PRIVATE KEY|eyJ|docyard_|AIza|npm_|\bsk-/;
  const looksInto = (text: string): boolean => {
    let looked = false;
    findSecrets([Buffer.from(text)], () => {
      looked = true;
      return '';
    });
    return looked;
  };

  it('runs only when a part contains the prefix of a credential', () => {
    const pieces =
      'AKIA KIA AS IA A aws _ secret AWS SECRET gh o p u github pat glpat gl - xox xo x b rk sk live PRIVATE KEY PR I VATE ey J docyard AIza za npm é . 日'.split(
        ' ',
      );
    let seed = 3;
    const roll = (sides: number): number => {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7f_ff_ff_ff;
      return (seed >>> 8) % sides;
    };
    for (let round = 0; round < 20_000; round++) {
      const text = Array.from({ length: 1 + roll(9) }, () => pieces[roll(pieces.length)]).join(
        roll(4) === 0 ? ' ' : '',
      );
      expect(looksInto(text), text).toBe(traces.test(text));
    }
  });

  it('finds a credential in any surroundings and position', () => {
    for (let before = 0; before < 40; before++)
      for (const after of [0, 1, 50])
        expect(looksInto(`${'-'.repeat(before)}eyJ${'.'.repeat(after)}`)).toBe(true);
    expect(looksInto('eyJ')).toBe(true);
    expect(looksInto('ey')).toBe(false);
    expect(looksInto('J')).toBe(false);
  });
});
