/** `docyard bundle`: bundle files that were brought by hand. */
import type { Command } from 'commander';
import { type CommandNames, describeImport } from '@docyard/site/command';
import { describeApply } from './bundle-apply.ts';

export function describeBundle(command: Command, names: CommandNames): void {
  command.description('Work with bundle files that were carried here by hand.');
  describeImport(command.command('import'), names);
  describeApply(command.command('apply'));
}
