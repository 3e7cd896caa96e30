/** Installs the packed client beside zod in an empty folder. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packAll } from '../../scripts/pack.ts';
import { temporaryFolder } from '../temporary-resources.ts';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** Returns the folder. */
export async function installClient(): Promise<string> {
  const folder = temporaryFolder('client-user');
  const [tarball = ''] = await packAll(join(folder, 'tarballs'), ['api']);
  const target = clientIn(folder);
  mkdirSync(target, { recursive: true });
  run('tar', ['-xzf', tarball, '-C', target, '--strip-components=1'], folder);
  symlinkSync(join(root, 'node_modules/zod'), join(folder, 'node_modules/zod'));
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
  return folder;
}

export function clientIn(folder: string): string {
  return join(folder, 'node_modules/@docyard/api');
}

/** The code blocks of a page, in order. */
export function snippetsOf(page: string, language: string): string[] {
  const text = readFileSync(join(root, page), 'utf8');
  const blocks = [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)];
  return blocks.flatMap(([, named, code = '']) => (named === language ? [code] : []));
}

export function run(command: string, args: string[], cwd: string, env: Record<string, string> = {}): string {
  const ended = spawnSync(command, args, { cwd, encoding: 'utf8', env: { ...process.env, ...env } });
  if (ended.status === 0) return ended.stdout;
  throw new Error(
    `${command} ${args.join(' ')}\n${ended.error?.message ?? ''}${ended.stdout}${ended.stderr}`,
  );
}
