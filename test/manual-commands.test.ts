/** The shell blocks of the manual and the README keep secrets off the screen and agree on names. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const repository = fileURLToPath(new URL('..', import.meta.url));

interface Command {
  file: string;
  text: string;
}

/** A backslash or a pipe continues a command on the next line. */
function commandsOf(file: string): Command[] {
  const text = readFileSync(join(repository, file), 'utf8');
  const blocks = [...text.matchAll(/^ *```(?:bash|sh|shell)\b[^\n]*\n([^]*?)^ *```$/gm)];
  return blocks
    .flatMap(([, body = '']) => body.replaceAll(/(\\|\|)\n/g, '$1 ').split('\n'))
    .map((line) => ({ file, text: line.trim() }))
    .filter((command) => command.text !== '');
}

const pages = readdirSync(join(repository, 'docs'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.mdx'))
  .map((name) => join('docs', name));
const commands = ['README.md', 'packages/api/README.md', ...pages].flatMap(commandsOf);

test('no command of the manual prints an API key to standard output', () => {
  const creates = /docyard (?:keys (?:create|roll)|users invite|webhooks create) /;
  const shows = (text: string) =>
    (/\bcat \S*key\b/.test(text) && !/\$\(cat |\|/.test(text)) ||
    (creates.test(text) && !/--output (?:[^-]|- *\|)/.test(text));
  expect(commands.filter(({ text }) => shows(text))).toEqual([]);
});

test('every command of the manual is spelled npx docyard and reads the key from DOCYARD_API_KEY', () => {
  const bare = /(?:^|[|;&(] *|\$\()docyard /;
  expect(commands.filter(({ text }) => bare.test(text))).toEqual([]);
  expect(commands.filter(({ text }) => /\bDOCYARD_KEY\b/.test(text))).toEqual([]);
});
