/** Public keys and API keys in settings. Errors never contain the text of a key. */
import { readFileSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import {
  type ContentKey,
  InvalidKeyError,
  parseContentKey,
  parsePublicKey,
  type PublicKey,
} from '@docyard/bundle';
import { ConfigError } from '../errors.ts';
import { fileErrorReason } from '../disk/file-error.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Accepts keys and key files. An empty list is an error, because it would disable verification. */
export function publicKeysOf(given: string | readonly string[], folder = '.'): PublicKey[] {
  const entries = typeof given === 'string' ? entriesOf(given) : given;
  if (entries.length === 0)
    throw new ConfigError(
      'The list of public keys is empty. Add a key, or remove the setting to skip verification.',
    );
  return entries.map((entry) => publicKeyOf(entry.trim(), folder));
}

/** In a variable, keys or files are separated by commas. The text of a key file is one entry. */
function entriesOf(given: string): string[] {
  const isKeyFileText = given.includes('\n');
  return isKeyFileText ? [given] : given.split(',').filter((entry) => entry.trim() !== '');
}

function publicKeyOf(entry: string, folder: string): PublicKey {
  const isText = entry.includes('\n') || /^RW[A-Za-z0-9+/]{54}$/.test(entry);
  try {
    if (isText) return parsePublicKey(entry);
    const path = entry.startsWith('file:') ? new URL(entry).pathname : entry;
    return parsePublicKey(readFileSync(isAbsolute(path) ? path : resolve(folder, path), 'utf8'));
  } catch (error) {
    if (error instanceof InvalidKeyError)
      throw new ConfigError(`The public key ${isText ? '' : `in ${entry} `}cannot be used: ${error.message}`);
    throw new ConfigError(
      `The public key ${entry} is neither a key nor a file that can be read: ${fileErrorReason(error)}.`,
      { cause: error },
    );
  }
}

/** The key or the content of a file. DOCYARD_KEY is deprecated. */
export function apiKeyOf(environment: Environment, file: string | null): string | null {
  const key = environment['DOCYARD_API_KEY'] || environment['DOCYARD_KEY'];
  if (key !== undefined && key !== '') return key.trim();
  return file === null ? null : readKeyFile(file);
}

export function readKeyFile(file: string): string {
  try {
    const text = readFileSync(file, 'utf8').trim();
    if (text !== '' && !/[^\x21-\x7e]/.test(text)) return text;
  } catch (error) {
    throw new ConfigError(`The key file ${file} cannot be read: ${fileErrorReason(error)}.`, {
      cause: error,
    });
  }
  throw new ConfigError(`The key file ${file} must contain exactly one API key.`);
}

export function contentKeyOf(file: string): ContentKey {
  try {
    return parseContentKey(readFileSync(file, 'utf8'));
  } catch (error) {
    const reason = error instanceof InvalidKeyError ? error.message : `${fileErrorReason(error)}.`;
    throw new ConfigError(`The content key in ${file} cannot be used: ${reason}`, { cause: error });
  }
}
