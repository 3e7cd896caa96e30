/** Runs the completion scripts in real shells. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { buildProgram } from '../main.ts';
import { temporaryFolder } from '../../test/support/test-context.ts';
import { completionScripts } from './completion-scripts.ts';
import { nodesOf } from './completion.ts';

const nodes = nodesOf(await buildProgram());
const folder = temporaryFolder('completion');

const lines: [typed: string, offered: string[] | 'files'][] = [
  ['docyard ex', ['export']],
  ['docyard export st', ['start', 'status']],
  ['docyard export start --cancel', ['--cancel-on-interrupt']],
  ['docyard export start docs.example.com --url-style ', ['html', 'directory', 'clean']],
  ['docyard export start --url-style=d', ['directory']],
  ['docyard keys create --scope exports:', ['exports:read', 'exports:write']],
  ['docyard completion p', ['powershell']],
  ['docyard export start --key-file ', 'files'],
  ['docyard check ', 'files'],
  ['docyard nothing --o', []],
];

function has(program: string): boolean {
  const found = spawnSync(program, ['--version']).status === 0;
  if (!found) console.log(`Skipped: ${program} is not on this machine.`);
  return found;
}

test('bash completes commands, options and values', () => {
  const script = join(folder, 'docyard.bash');
  writeFileSync(script, completionScripts.bash(nodes));
  /** bash replaces only what comes after the last colon or equals sign. */
  const ask = lines.map(([typed]) => {
    const words = typed.split(' ').map((word) => `'${word}'`);
    return `COMP_LINE='${typed}' COMP_POINT=${typed.length} COMP_WORDS=(${words.join(' ')}) COMP_CWORD=${words.length - 1}; _docyard; echo "\${COMPREPLY[*]}"`;
  });
  const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', `. '${script}'\n${ask.join('\n')}`], {
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  const expected = lines.map(([typed, offered]) => {
    const cut = typed.endsWith('exports:') ? 'exports:' : '';
    return offered === 'files' ? '' : offered.map((word) => word.slice(cut.length)).join(' ');
  });
  expect(stdout.split('\n').slice(0, -1)).toEqual(expected);
});

describe.each([
  { shell: 'zsh' as const, check: ['-n'] },
  { shell: 'fish' as const, check: ['--no-execute'] },
])('$shell', ({ shell, check }) => {
  test.runIf(has(shell))('parses its script', () => {
    const file = join(folder, `docyard.${shell}`);
    writeFileSync(file, completionScripts[shell](nodes));
    expect(spawnSync(shell, [...check, file], { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' });
  });
});

test('every script contains every command, option and choice', () => {
  const names = nodes.flatMap(({ path, options }) => [path, ...options.flatMap((option) => option.names)]);
  expect(names).toContain('docyard export start');
  for (const [shell, script] of Object.entries(completionScripts)) {
    const text = script(nodes);
    const spelled = names.map((name) =>
      shell === 'fish' && name.startsWith('-')
        ? name.startsWith('--')
          ? `-l ${name.slice(2)}`
          : `-s ${name.slice(1)}`
        : name,
    );
    expect(spelled.filter((name) => !text.includes(name))).toEqual([]);
  }
});

test('help text cannot break out of its quotes', () => {
  const hostile = [
    {
      path: 'docyard',
      subcommands: [{ name: 'x', about: `it's $(touch /tmp/x) \`y\` "z"` }],
      options: [],
      choices: [],
    },
  ];
  for (const script of Object.values(completionScripts)) {
    expect(script(hostile)).not.toMatch(/it's|\$\(touch|`y`|"z"/);
  }
});
