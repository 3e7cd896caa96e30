/** The file with the servers and keys of `docyard login`, readable only by the user. */
import { chmod, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { fileErrorReason, makeFolder } from '@docyard/site/disk';
import { CommandError } from './errors.ts';

const Logins = z.object({
  /** The server for commands that name none. */
  default: z.string().nullable(),
  servers: z.record(z.string(), z.object({ key: z.string() })),
});
export type Logins = z.infer<typeof Logins>;

export function loginsFile(environment = process.env): string {
  const base =
    environment['XDG_CONFIG_HOME'] ||
    (process.platform === 'win32' ? environment['APPDATA'] : undefined) ||
    join(homedir(), '.config');
  return join(base, 'docyard', 'servers.json');
}

export async function readLogins(file = loginsFile()): Promise<Logins> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw new CommandError(`Cannot read ${file}: ${fileErrorReason(error)}.`);
  });
  if (text === undefined) return { default: null, servers: {} };
  const parsed = Logins.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  throw new CommandError(`${file} is invalid. Remove it and log in again.`);
}

/** Written atomically and never readable by others. */
export async function writeLogins(logins: Logins, file = loginsFile()): Promise<void> {
  if (Object.keys(logins.servers).length === 0) {
    await rm(file, { force: true });
    return;
  }
  const draft = `${file}.${process.pid}.draft`;
  try {
    await makeFolder(dirname(file), 0o700);
    await writeFile(draft, `${JSON.stringify(logins, null, 2)}\n`, { mode: 0o600 });
    await chmod(draft, 0o600);
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw new CommandError(`Cannot write ${file}: ${fileErrorReason(error)}.`);
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
