import { describe, expect, it } from 'vitest';
import type { PageContext } from '../../components/contract.ts';
import { proseHtml } from './prose.ts';

const page = {
  outsideContents: (work: () => string) => work(),
  markdown: (source: string) => `parsed: ${source}`,
} as unknown as PageContext;

describe('a description', () => {
  it.each([
    'The card network',
    'The error code.',
    'The street address or P.O. Box (e.g., apartment, suite).',
    'Bad Request - Invalid request parameters!',
    'One of: sandbox, production',
    '服务不可用 - 服务暂时不可用。',
  ])('of plain sentences skips the parser: %s', (text) => {
    expect(proseHtml(text, page)).toBe(`<p>${text}</p>`);
  });

  it.each([
    ['quotes, which become typographic', `the account's "data"`],
    ['a dash of two hyphens', 'one -- two'],
    ['an ellipsis', 'and so on...'],
    ['an address', 'see www.example.com'],
    ['an address with a scheme', 'see https://example.com'],
    ['an address of a mailbox', 'write to a@example.com'],
    ['an entity', 'AT&amp;T.'],
    ['code', 'the `id`.'],
    ['emphasis', 'very *important*.'],
    ['a list', '- one'],
    ['a numbered list', '1. one'],
    ['a heading', '# One.'],
    ['several lines', 'one.\ntwo.'],
    ['letters written from right to left', 'שלום.'],
  ])('is parsed when it has %s', (_name, text) => {
    expect(proseHtml(text, page)).toBe(`parsed: ${text}`);
  });
});
