/** Archives, checksums and signatures that do not depend on when, where and by whom they were made. */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, readdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';

/** Packs `folder` under its own name, with GNU tar. */
export function packFolder(folder: string, target: string, epoch: number): void {
  const order = ['--sort=name', '--format=gnu', `--mtime=@${epoch}`];
  const owner = ['--owner=0', '--group=0', '--numeric-owner', '--mode=a+rX,u+w,go-w'];
  const compressed = ['--use-compress-program=gzip -n -6'];
  const place = ['-cf', target, '-C', dirname(folder), basename(folder)];
  execFileSync('tar', [...order, ...owner, ...compressed, ...place]);
}

/** Writes SHA256SUMS for every file below the folder. */
export async function writeChecksums(folder: string): Promise<void> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .filter((file) => !file.startsWith('SHA256SUMS'))
    .toSorted();
  const lines = [];
  for (const file of files) lines.push(`${await sha256Of(join(folder, file))}  ${file}\n`);
  writeFileSync(join(folder, 'SHA256SUMS'), lines.join(''));
}

async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const bytes of createReadStream(file)) hash.update(bytes as Buffer);
  return hash.digest('hex');
}

/** The trusted comment is fixed, because minisign would add the time. */
export function signChecksums(folder: string, key: string, release: string): void {
  const args = ['-S', '-s', key, '-m', join(folder, 'SHA256SUMS'), '-t', `SHA256SUMS of ${release}`];
  const ended = spawnSync('minisign', args, { encoding: 'utf8', stdio: ['inherit', 'pipe', 'pipe'] });
  if (ended.error !== undefined)
    throw new Error('The checksums were not signed: minisign is missing. Install it or omit --key.');
  if (ended.status !== 0) throw new Error(`The checksums were not signed: ${ended.stderr.trim()}`);
}
