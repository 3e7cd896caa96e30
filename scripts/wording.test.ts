import { expect, test } from 'vitest';
import { wordingFindings } from './wording.ts';

const messagesOf = (file: string, text: string): string[] =>
  wordingFindings(file, text).map(({ line, message }) => `${line}: ${message}`);

test.each([
  'whoever calls it',
  'nobody listens',
  'whatever it says',
  'files elsewhere',
  'the user is told',
  'it shall stop',
  'it starts by itself',
  'the own network',
  'run without hands',
  'a way out of the network',
  'a remembered value',
  'jobs put away',
  'keys handed out',
  'it goes on',
  'its log goes too',
  'easy to keep in mind',
  'nothing more is said',
  'a value that is no host',
])('private vocabulary is rejected in a document: %s', (text) => {
  expect(messagesOf('docs/page.mdx', `# Title\n\n${text}\n`)).toEqual([expect.stringMatching(/^3: "/)]);
});

test.each([
  ['a comment', '// Nobody calls it.\n'],
  ['a message', "export const message = 'Nobody listens.';\n"],
  ['a test title', "test('nobody sees it', () => {});\n"],
])('private vocabulary is rejected in %s of a source', (_place, text) => {
  expect(messagesOf('packages/api/src/a.ts', text)).toEqual([
    expect.stringMatching(/^1: "nobody": name the caller/i),
  ]);
});

test('the field terms are accepted', () => {
  const text = 'The worker reports the error, and the cached response is returned automatically.\n';
  expect(messagesOf('docs/page.mdx', text)).toEqual([]);
});

test.each([
  ['a.ts', '// Takes 12 ms.\n'],
  ['a.ts', 'const a = 1;\n/** Saves 30 % of the time. */\nexport { a };\n'],
  ['a.css', '/* 4 kB */\na { color: red; }\n'],
])('a figure with a unit is rejected in a comment of %s', (file, text) => {
  expect(messagesOf(file, text)).toEqual([expect.stringContaining('in a comment')]);
});

test('figures are accepted in code, texts and documents', () => {
  expect(messagesOf('a.ts', "const limit = 5_000;\nconst text = 'after 5 seconds';\n")).toEqual([]);
  expect(messagesOf('a.css', 'a { transition: color 0.2s; width: 50%; }\n')).toEqual([]);
  expect(messagesOf('docs/page.mdx', 'A link expires after 15 minutes.\n')).toEqual([]);
});

test('a number without a unit is accepted in a comment', () => {
  expect(messagesOf('a.ts', '// RFC 9110, section 8.3: the range 0 to 10 is allowed.\n')).toEqual([]);
});

test.each(['mostBytes', 'largestBody', 'longestName', 'leastMemory', 'fewestPages'])(
  'the limit name %s is rejected',
  (name) => {
    expect(messagesOf('a.ts', `const ${name} = 1;\n`)).toEqual([
      `1: "${name}": limits are called max or min`,
    ]);
  },
);

test('limits called max or min, and adjectives, are accepted', () => {
  expect(messagesOf('a.ts', 'const maxBytes = 1, minPages = 2, longestWord = 3;\n')).toEqual([]);
});

test('a document over its length is rejected', () => {
  const lines = (count: number): string => 'line\n'.repeat(count);
  expect(messagesOf('README.md', lines(150))).toEqual([]);
  expect(messagesOf('README.md', lines(151))).toEqual(['151: 151 lines, at most 150 are allowed']);
  expect(messagesOf('CONTRIBUTING.md', lines(81))).toHaveLength(1);
  expect(messagesOf('docs/page.mdx', lines(1000))).toEqual([]);
});
