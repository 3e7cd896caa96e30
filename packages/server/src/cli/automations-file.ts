/** Reads the automations file of a folder, for commands that need no service. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { automationsFile } from '@docyard/api';
import type { Diagnostic } from '@docyard/render';
import { fileErrorReason } from '@docyard/site/disk';
import type { ParsedAutomations } from '../automations/file.ts';
import { CommandError } from './errors.ts';

/** Undefined without a file. */
export async function readAutomationsOf(root: string): Promise<ParsedAutomations | undefined> {
  const file = join(root, automationsFile);
  const source = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw new CommandError(`${file} cannot be read: ${fileErrorReason(error)}.`);
  });
  if (source === undefined) return undefined;
  const { parseAutomations } = await import('../automations/file.ts');
  return parseAutomations(source);
}

export async function automationFindings(root: string): Promise<Diagnostic[]> {
  const parsed = await readAutomationsOf(root);
  return (parsed?.problems ?? []).map(({ message, path, line }) => ({
    severity: 'error',
    code: 'automations_invalid',
    message: path === '' ? message : `${path}: ${message}`,
    file: automationsFile,
    ...(line === null ? {} : { line }),
  }));
}
