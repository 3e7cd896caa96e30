/** Runs git on a folder of the user. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

export type Git = (...args: string[]) => Promise<string>;

const run = promisify(execFile);

export function gitIn(folder: string, { seconds, bytes }: { seconds: number; bytes: number }): Git {
  const limits = { timeout: seconds * 1000, maxBuffer: bytes };
  return async (...args) => (await run('git', ['-C', folder, ...args], limits)).stdout;
}
