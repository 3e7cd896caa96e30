/**
 * Prints a secret that is shown only once: on a terminal, to a file for the owner, or as JSON. Never to a stream that
 * may be a log.
 */
import type { Command } from 'commander';
import { CommandError } from './errors.ts';
import { writeDurably } from '@docyard/site/disk';

export interface SecretOptions {
  json?: boolean;
  output?: string;
}

export function addSecretOption(command: Command, what: string): Command {
  return command.option(
    '--output <file>',
    `write the ${what} to this file, readable only by you; - for standard output (default: the terminal)`,
  );
}

/** Called before the secret is created, because it cannot be shown later. */
export function requireSecretOutput({ json, output }: SecretOptions, what: string): void {
  if (json === true || output !== undefined || process.stdout.isTTY) return;
  throw new CommandError(
    `The ${what} is a secret, but standard output is not a terminal. Write it to a file with --output FILE, or print it with --output - or --json.`,
    'usage',
  );
}

export async function showSecret<Created extends object>(
  options: SecretOptions,
  { created, field, title }: { created: Created; field: keyof Created & string; title: string },
): Promise<void> {
  const secret = String(created[field]);
  const { json, output } = options;
  if (output === '-') {
    process.stdout.write(`${secret}\n`);
    return;
  }
  if (output !== undefined) await writeDurably(output, `${secret}\n`);
  if (json) {
    const { [field]: _secret, ...rest } = created;
    const shown = output === undefined ? created : { ...rest, output };
    process.stdout.write(`${JSON.stringify(shown, null, 2)}\n`);
  } else if (output !== undefined) process.stdout.write(`${title}: written to ${output}\n`);
  else process.stdout.write(`${title}, shown only once:\n\n  ${secret}\n\n`);
}
