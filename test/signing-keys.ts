/** Private keys made by ssh-keygen and gpg. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cleanUp } from './cleanups.ts';

export const signingPrograms = ['ssh-keygen', 'gpg'].every(
  (program) => spawnSync(program, ['--version']).error === undefined,
);
if (!signingPrograms) process.stderr.write('ssh-keygen or gpg is missing: signed commits are not tested.\n');

const email = 'docs@example.com';

/** Its path is short: gpg opens sockets in it. */
function keyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'keys-'));
  cleanUp(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function run(program: string, args: readonly string[], folder: string, input = ''): string {
  const env = { PATH: process.env['PATH'] ?? '', HOME: folder, GNUPGHOME: folder };
  const { status, stdout, stderr } = spawnSync(program, args, { env, input, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} failed: ${stderr}`);
  return stdout;
}

export function newSshKey({ type = 'ed25519', passphrase = '' } = {}): string {
  const folder = keyFolder();
  const file = join(folder, 'key');
  const size = type === 'rsa' ? ['-b', '2048'] : [];
  run('ssh-keygen', ['-q', '-t', type, ...size, '-N', passphrase, '-C', email, '-f', file], folder);
  return readFileSync(file, 'utf8');
}

export function newPgpKey({ passphrase = '', isExpired = false } = {}): string {
  const folder = keyFolder();
  // Otherwise the agent measures how much work the passphrase is worth.
  writeFileSync(join(folder, 'gpg-agent.conf'), 's2k-count 65536\n');
  const gpg = ['--batch', '--quiet', '--pinentry-mode', 'loopback', '--passphrase', passphrase];
  const [time, expires] = isExpired ? [['--faked-system-time', '20200101T000000'], '1d'] : [[], 'never'];
  try {
    const what = ['--quick-gen-key', `Docs <${email}>`, 'ed25519', 'sign', expires];
    run('gpg', [...gpg, ...time, ...what], folder);
    return run('gpg', [...gpg, '--armor', '--export-secret-keys'], folder);
  } finally {
    run('gpgconf', ['--kill', 'all'], folder);
  }
}

/** Throws if git cannot verify the signature of the commit. Accepts everything without a key. */
export function verifyCommit(
  git: (...args: string[]) => string,
  commit: string,
  { format, publicKey }: { format: 'ssh' | 'openpgp' | null; publicKey: string | null },
): void {
  if (format === null || publicKey === null) return;
  const folder = keyFolder();
  if (format === 'ssh') {
    const signers = join(folder, 'signers');
    writeFileSync(signers, `${email} namespaces="git" ${publicKey}\n`);
    git('-c', 'gpg.format=ssh', '-c', `gpg.ssh.allowedSignersFile=${signers}`, 'verify-commit', commit);
    return;
  }
  const program = join(folder, 'gpg');
  writeFileSync(program, `#!/bin/sh\nexec gpg --homedir ${folder} "$@"\n`, { mode: 0o700 });
  try {
    run('gpg', ['--batch', '--quiet', '--import'], folder, publicKey);
    git('-c', `gpg.program=${program}`, 'verify-commit', commit);
  } finally {
    run('gpgconf', ['--kill', 'all'], folder);
  }
}
