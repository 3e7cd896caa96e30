/**
 * Signs commits with `ssh-keygen` or `gpg`. The key is a file only while one of them runs, in a private folder that
 * is removed afterwards. After a crash, the next start of the server empties the folder around it.
 */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ownerOnly } from '../file-modes.ts';

export interface PublicSigningKey {
  format: 'ssh' | 'openpgp';
  publicKey: string;
}

/** The message never contains output of the programs, which may quote the key. */
export class SigningError extends Error {
  override name = 'SigningError';
  readonly hint: string;

  constructor(message: string, hint: string) {
    super(message);
    this.hint = hint;
  }
}

/** Throws a SigningError for a key that cannot sign. */
export async function inspectSigningKey(key: string, workFolder: string): Promise<PublicSigningKey> {
  return withKey(key, workFolder, async ({ format, readPublicKey, sign }) => {
    const publicKey = await readPublicKey();
    await sign('A text to try the key.\n');
    return { format, publicKey };
  });
}

/** The signature as git stores it. OpenPGP signatures contain the time, so no two are equal. */
export async function signText(key: string, text: string, workFolder: string): Promise<string> {
  return withKey(key, workFolder, ({ sign }) => sign(text));
}

interface OpenKey {
  format: PublicSigningKey['format'];
  readPublicKey(): Promise<string>;
  sign(text: string): Promise<string>;
  close?(): Promise<unknown>;
}

type Run = (program: string, args: readonly string[], input?: string) => Promise<string>;

async function withKey<T>(key: string, workFolder: string, use: (open: OpenKey) => Promise<T>): Promise<T> {
  const open = formatOf(key) === 'ssh' ? openSshKey : openPgpKey;
  await mkdir(workFolder, { recursive: true, mode: 0o700 });
  // `mkdtemp` sets the mode 0700.
  const folder = await mkdtemp(join(workFolder, 'sign-'));
  let opened: OpenKey | undefined;
  try {
    opened = await open(`${key.replaceAll('\r\n', '\n').trim()}\n`, folder);
    return await use(opened);
  } finally {
    await opened?.close?.();
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

function formatOf(key: string): PublicSigningKey['format'] {
  const [, name = ''] = /-----BEGIN ([A-Z ]{1,40})-----/.exec(key) ?? [];
  if (name === 'PGP PRIVATE KEY BLOCK') return 'openpgp';
  if (name.endsWith('PRIVATE KEY')) return 'ssh';
  if (name === 'PGP PUBLIC KEY BLOCK' || /^(?:ssh|ecdsa)-/.test(key.trim())) {
    throw new SigningError('This is a public key.', 'Paste the private key.');
  }
  throw new SigningError('This is neither an SSH nor an OpenPGP private key.', pasteHint);
}

const pasteHint = 'Paste the whole file or armored block, including its first and last line.';
const unreadable = () => new SigningError('The private key cannot be read.', pasteHint);
const locked = (command: string) =>
  new SigningError('The private key is protected by a passphrase.', `Use a key without one: ${command}`);
const unusable = () =>
  new SigningError('The private key cannot sign.', 'Check that it is for signing and has not expired.');
const nameless = () =>
  new SigningError(
    'ssh-keygen requires a user with a name.',
    'The operator must run the service as a user of /etc/passwd.',
  );

async function openSshKey(key: string, folder: string): Promise<OpenKey> {
  const file = join(folder, 'key');
  await writeFile(file, key, { mode: ownerOnly });
  const run = runnerIn(folder);
  const lockedKey = () => locked('ssh-keygen -t ed25519 -N "" -f docyard');
  return {
    format: 'ssh',
    readPublicKey: async () => {
      const reading = run('ssh-keygen', ['-y', '-P', '', '-f', file]);
      const failure = explain(unreadable, [/passphrase/i, lockedKey], [/No user exists/i, nameless]);
      return (await reading.catch(failure)).trim();
    },
    sign: (text) => run('ssh-keygen', ['-Y', 'sign', '-n', 'git', '-f', file], text).catch(explain(unusable)),
  };
}

/** gpg starts an agent with sockets in the folder. This is the longest name. */
const socketName = 'S.gpg-agent.browser';
const maxSocketBytes = 103;

async function openPgpKey(key: string, folder: string): Promise<OpenKey> {
  if (Buffer.byteLength(join(folder, socketName)) > maxSocketBytes) {
    throw new SigningError(
      'gpg cannot use the data folder because its path is too long.',
      'Use an SSH key, or ask the operator to move the data folder to a path of at most 60 bytes.',
    );
  }
  const run = runnerIn(folder);
  const gpg = (args: readonly string[], input?: string) =>
    run('gpg', ['--batch', '--no-tty', '--quiet', '--no-options', '--disable-dirmngr', ...args], input);
  const close = () => run('gpgconf', ['--kill', 'all']).catch(() => undefined);
  const lockedKey = () => locked('run gpg --edit-key ID passwd before you export it.');
  try {
    await gpg(['--import'], key).catch(explain(unreadable));
    const id = onlyFingerprint(await gpg(['--with-colons', '--list-secret-keys']));
    const exportArgs = ['--armor', '--export-options', 'export-minimal', '--export', id];
    const withoutPrompt = ['--pinentry-mode', 'loopback', '--passphrase', ''];
    const signArgs = [...withoutPrompt, '--local-user', id, '--armor', '--detach-sign'];
    return {
      format: 'openpgp',
      readPublicKey: async () => (await gpg(exportArgs)).trim(),
      sign: (text) => gpg(signArgs, text).catch(explain(unusable, [/passphrase/i, lockedKey])),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function onlyFingerprint(listing: string): string {
  const records = listing.split('\n').map((line) => line.split(':'));
  const keys = records.filter(([kind]) => kind === 'sec').length;
  if (keys !== 1) {
    throw new SigningError(
      `The block contains ${keys} private keys.`,
      'Export a single key: gpg --armor --export-secret-keys ID',
    );
  }
  // The first fingerprint is that of the primary key; gpg chooses the subkey that signs.
  const fingerprint = records.find(([kind]) => kind === 'fpr')?.[9];
  if (fingerprint === undefined) throw unreadable();
  return fingerprint;
}

class ProgramError extends Error {
  override name = 'ProgramError';
}

const packages: Readonly<Record<string, string>> = {
  'ssh-keygen': 'openssh-client',
  gpg: 'gnupg',
};
const maxSeconds = 60;

function runnerIn(folder: string): Run {
  const env = {
    PATH: process.env['PATH'] ?? '/usr/bin:/bin',
    HOME: folder,
    GNUPGHOME: folder,
    LC_ALL: 'C',
    SSH_ASKPASS_REQUIRE: 'never',
  };
  const options = { cwd: folder, env, timeout: maxSeconds * 1000, killSignal: 'SIGKILL' } as const;
  return (program, args, input = '') =>
    new Promise((resolve, reject) => {
      const child = execFile(program, args, options, (error, stdout, stderr) => {
        if (error === null) resolve(stdout);
        else if (error.code === 'ENOENT') reject(missing(program));
        else if (error.killed === true) reject(slow(program));
        else reject(new ProgramError(stderr));
      });
      // The program may exit before it reads all input; its status says why.
      child.stdin?.on('error', () => undefined).end(input);
    });
}

function missing(program: string): SigningError {
  return new SigningError(
    `${program} is not installed on the server.`,
    `The operator must install the package ${packages[program] ?? program}.`,
  );
}

function slow(program: string): SigningError {
  return new SigningError(`${program} took longer than ${maxSeconds} seconds.`, 'Try again.');
}

/** Chooses the error by what the program wrote. */
function explain(otherwise: () => SigningError, ...cases: readonly [RegExp, () => SigningError][]) {
  return (error: unknown): never => {
    if (!(error instanceof ProgramError)) throw error;
    const [, found = otherwise] = cases.find(([pattern]) => pattern.test(error.message)) ?? [];
    throw found();
  };
}
