/** Installs published agents from npm into a cache below the repository, without running their scripts. */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { RealAgent } from './agents.ts';

const cache = fileURLToPath(new URL('../../../.cache/agents', import.meta.url));
const installMilliseconds = 600_000;

/** Resolves with the folder. A folder is complete once it has its final name. */
export async function install(agent: RealAgent): Promise<string> {
  const name = `${agent.package.replaceAll('/', '+')}@${agent.version}`;
  const folder = join(cache, name);
  if (existsSync(folder)) return folder;
  const partial = `${folder}.partial`;
  rmSync(partial, { recursive: true, force: true });
  mkdirSync(partial, { recursive: true });
  writeFileSync(join(partial, 'package.json'), '{"private": true}');
  const wanted = `${agent.package}@${agent.version}`;
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', '--no-package-lock'];
  await promisify(execFile)('npm', ['install', wanted, ...quiet], {
    cwd: partial,
    timeout: installMilliseconds,
  });
  renameSync(partial, folder);
  return folder;
}
