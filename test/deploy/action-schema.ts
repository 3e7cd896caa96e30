/** Validates the GitHub action against the schema that editors use. The validator is installed from npm on demand. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../service.ts';
import { actionFolder } from './pipelines.ts';

const validator = ['@action-validator/core@0.6.0', '@action-validator/cli@0.6.0'];

export function checkActionSchema(): void {
  const folder = temporaryFolder('action');
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', ...validator], folder);
  const copy = join(folder, 'action');
  mkdirSync(copy);
  cpSync(join(actionFolder, 'action.yml'), join(copy, 'action.yml'));
  run('npx', ['action-validator', 'action/action.yml'], folder);
  // Proves that the validator rejects an invalid file.
  const text = readFileSync(join(copy, 'action.yml'), 'utf8');
  writeFileSync(join(copy, 'action.yml'), text.replace('using: composite', 'using: composit'));
  const wrong = spawnSync('npx', ['action-validator', 'action/action.yml'], { cwd: folder });
  if (wrong.status === 0) throw new Error('The validator accepts an action that is wrong.');
}

function run(command: string, args: string[], cwd: string): void {
  const ended = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (ended.status !== 0) throw new Error(`${command} ${args.join(' ')}\n${ended.stdout}${ended.stderr}`);
}
