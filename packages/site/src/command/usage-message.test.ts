import { Command, CommanderError, Option } from 'commander';
import { expect, test } from 'vitest';
import { usageMessage } from './usage-message.ts';

function messageFor(...words: string[]): string {
  const program = new Command().exitOverride().configureOutput({ writeErr: () => undefined });
  program
    .command('serve')
    .argument('<folder>')
    .requiredOption('-o, --out <folder>')
    .addOption(new Option('--form <form>').choices(['a', 'b', 'c']));
  try {
    program.parse(words, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) return usageMessage(error.message);
    throw error;
  }
  return '';
}

test.each([
  [['sevre'], 'Unknown command: sevre. Did you mean serve?'],
  [['serve', 'x', '-o', 'y', '--fom', 'a'], 'Unknown option: --fom. Did you mean --form?'],
  [['serve', 'x', '--out'], '--out needs a value.'],
  [['serve', 'x'], '--out is required.'],
  [['serve', '-o', 'x'], 'The argument <folder> is missing.'],
  [['serve', 'x', '-o', 'y', '--form', 'd'], '--form d: must be a, b or c.'],
  [['serve', 'x', '-o', 'y', 'z', 'w'], 'Unexpected arguments: z w.'],
])('the wrong arguments %j are explained in one sentence', (words, message) => {
  expect(messageFor(...words)).toBe(message);
});
