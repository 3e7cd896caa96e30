import type { Command } from 'commander';
import { type CommandNames, describeImport } from '@docyard/site/command';
import { describeApply } from './bundle-apply.ts';

export function describeBundle(command: Command, names: CommandNames): void {
  command.description('Import and apply bundle files.');
  describeImport(command.command('import'), names);
  describeApply(command.command('apply'));
}
