/** The shell blocks of the manual and the README keep secrets off the screen, agree on names, and use commands that exist. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse as parseYaml } from 'yaml';
import { describe, expect, it, test } from 'vitest';
import { aliases } from '../packages/server/src/cli/aliases.ts';
import { buildProgram } from '../packages/server/src/main.ts';
import { blocksOf } from './document-blocks.ts';

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

describe('every docyard command of the manual', async () => {
  const program = await buildProgram();
  const calls = commands.flatMap(({ file, text }) =>
    [...text.matchAll(/\bnpx docyard ([^|;&)#]*)/g)].map(([, words = '']) => ({ file, words })),
  );

  it('is found in the blocks', () => {
    expect(calls.length).toBeGreaterThan(100);
  });

  it('names a command that exists', () => {
    const unknown = calls.filter(({ words }) => {
      const [name = ''] = words.trim().split(/\s+/);
      return /^[a-z]/.test(name) && commandOf(program, words) === program && !Object.hasOwn(aliases, name);
    });
    expect(unknown).toEqual([]);
  });

  it('uses options that the command has', () => {
    const unknown = calls.flatMap(({ file, words }) => {
      const command = commandOf(program, words);
      if (command === program) return [];
      const flags = optionsOf(command);
      const used = withoutQuotes(words).match(/(?<=\s)(?:--[a-z][\w-]*|-[a-zA-Z](?=\s|$))/g) ?? [];
      return used.filter((flag) => !flags.has(flag)).map((flag) => `${file}: ${words.trim()} (${flag})`);
    });
    expect(unknown).toEqual([]);
  });
});

type Program = Awaited<ReturnType<typeof buildProgram>>;

/** The innermost command that the first words name; the program for others. */
function commandOf(program: Program, words: string): Program {
  let command = program;
  for (const word of words.trim().split(/\s+/)) {
    const inner = command.commands.find((other) => other.name() === word);
    if (inner === undefined) return command;
    command = inner;
  }
  return command;
}

function optionsOf(command: Program): Set<string> {
  const own = command.options.flatMap(({ short, long, negate }) =>
    [short, long, negate ? long?.replace('--no-', '--') : undefined].flatMap((flag) => flag ?? []),
  );
  return new Set([...own, '--help', '-h', '--debug', ...(command.parent ? optionsOf(command.parent) : [])]);
}

function withoutQuotes(words: string): string {
  return words.replaceAll(/"[^"]*"|'[^']*'/g, '""');
}

it('the JSON and YAML files of the README, the tutorials and the guides can be parsed', () => {
  const guides = readdirSync(join(repository, 'docs/guides')).map((file) => `docs/guides/${file}`);
  const files = ['README.md', 'docs/quickstart.mdx', 'docs/get-started/first-site.mdx', ...guides].flatMap(
    (file) => blocksOf(readFileSync(join(repository, file), 'utf8')),
  );
  const parsers: Record<string, (text: string) => unknown> = { json: JSON.parse, yaml: parseYaml };
  const parsed = files.filter(({ language }) => Object.hasOwn(parsers, language));
  expect(parsed.length).toBeGreaterThan(10);
  for (const { language, text } of parsed) expect(() => parsers[language]?.(text), text).not.toThrow();
});
