/**
 * A word that was meant as a subcommand but is none. Commands that also work without a subcommand would take it for their
 * argument.
 */
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
  const meant = closestName(word, known);
  // A folder that does not exist is the more likely mistake when no subcommand has a similar name.
  if (meant === undefined && takesFolder) return;
  const hint =
    meant === undefined ? `Run docyard ${name} --help for usage.` : `Did you mean docyard ${name} ${meant}?`;
  throw new CommandError(`docyard ${name} has no subcommand ${word}. ${hint}`, 'usage');
}
