/** Detects mistyped subcommands of commands that also accept an argument. */
import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { closestName } from '@docyard/site/command';
import { CommandError } from './errors.ts';

export function refuseMistypedSubcommand(program: Command, [name, word]: readonly string[]): void {
  const command = program.commands.find((each) => each.name() === name);
  const known = command?.commands.map((each) => each.name()) ?? [];
  if (word === undefined || known.length === 0 || known.includes(word)) return;
  if (!/^[a-z][a-z-]*$/.test(word) || existsSync(word)) return;
  const takesFolder = command?.registeredArguments.length !== 0;
  const similar = closestName(word, known);
  // Without a similar subcommand, a missing folder is the more likely mistake.
  if (similar === undefined && takesFolder) return;
  const hint =
    similar === undefined
      ? `Run docyard ${name} --help for usage.`
      : `Did you mean docyard ${name} ${similar}?`;
  throw new CommandError(`Unknown command: docyard ${name} ${word}. ${hint}`, 'usage');
}
