/**
 * The keys that an operator gives an installation, as SECRET_KEY or as secrets.json in the data folder, and the
 * secrets derived from them. During a rotation there are two keys.
 */
import { createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ConfigError } from '@docyard/site/errors';
import { type Config } from './config.ts';
import type { LinkKey } from './context.ts';
import { writeDurably } from '@docyard/site/disk';

export interface SecretKey {
  pepper: Buffer;
  linkKeys: LinkKey[];
  sealKey: Buffer;
  fingerprint: string;
}

export interface GivenKeys {
  current: SecretKey;
  previous: SecretKey | undefined;
}

type KeyConfig = Pick<Config, 'dataDir' | 'secretKey' | 'secretKeyPrevious'>;

interface StoredKey {
  keyPepper: string;
  linkKeys: { id: string; key: string }[];
}

type KeysFile = StoredKey & { previous?: StoredKey };

const idCharacters = 8;

export function keyIdOf(fingerprint: string): string {
  return fingerprint.slice(0, idCharacters);
}

export function keysFileOf({ dataDir }: Pick<Config, 'dataDir'>): string {
  return join(dataDir, 'secrets.json');
}

/** Undefined when neither SECRET_KEY nor secrets.json exists. Creates nothing. */
export async function readGivenKeys(config: KeyConfig): Promise<GivenKeys | undefined> {
  const { secretKey, secretKeyPrevious } = config;
  if (secretKey === null) return readKeysFile(keysFileOf(config));
  const keys = keysFrom(secretKey, 'SECRET_KEY');
  if (secretKeyPrevious === null) return keys;
  const previous = keysFrom(secretKeyPrevious, 'SECRET_KEY_PREVIOUS').current;
  const isSame = previous.fingerprint === keys.current.fingerprint;
  return { current: keys.current, previous: isSame ? undefined : previous };
}

/** Undefined when the file does not exist. An unreadable file is an error and is never replaced. */
export async function readKeysFile(file: string): Promise<GivenKeys | undefined> {
  const text = await readKeysText(file);
  return text === undefined ? undefined : parseKeys(text, file);
}

export async function createKeysFile(file: string): Promise<GivenKeys> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  return writeKeys(file, newKey());
}

/** Changes nothing while a rotation is running. */
export async function addNextKey(file: string): Promise<GivenKeys> {
  const stored = await readForChange(file);
  if (stored.previous !== undefined) return parseKeys(JSON.stringify(stored), file);
  return writeKeys(file, { ...newKey(), previous: stored });
}

export async function removePreviousKey(file: string): Promise<void> {
  const { previous: _previous, ...current } = await readForChange(file);
  await writeKeys(file, current);
}

async function readForChange(file: string): Promise<KeysFile> {
  const text = await readKeysText(file);
  if (text === undefined) throw new ConfigError(`${file} does not exist. Start the service once.`);
  parseKeys(text, file);
  return JSON.parse(text) as KeysFile;
}

async function readKeysText(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return undefined;
  });
}

async function writeKeys(file: string, keys: KeysFile): Promise<GivenKeys> {
  const text = `${JSON.stringify(keys, null, 2)}\n`;
  await writeDurably(file, text);
  return parseKeys(text, file);
}

function newKey(): StoredKey {
  return {
    keyPepper: randomBytes(32).toString('base64'),
    linkKeys: [{ id: randomBytes(4).toString('hex'), key: randomBytes(32).toString('base64') }],
  };
}

/** Also accepts the text of a secrets.json, so that an installation can leave its data folder. */
function keysFrom(text: string, name: string): GivenKeys {
  if (text.startsWith('{')) return parseKeys(text, name);
  const derive = (purpose: string, bytes: number) =>
    Buffer.from(hkdfSync('sha256', text, '', `docyard ${purpose}`, bytes));
  const linkKeys = [{ id: derive('link key id', 4).toString('hex'), key: derive('link key', 32) }];
  return { current: keyWith(derive('key pepper', 32), linkKeys), previous: undefined };
}

/** The error does not quote the text, because it contains secrets. */
function parseKeys(text: string, name: string): GivenKeys {
  try {
    const { previous, ...current } = JSON.parse(text) as KeysFile;
    return { current: parseKey(current), previous: previous === undefined ? undefined : parseKey(previous) };
  } catch {
    throw new ConfigError(`${name} is damaged: it should be the secrets.json of a data folder.`);
  }
}

function parseKey({ keyPepper, linkKeys }: StoredKey): SecretKey {
  return keyWith(
    Buffer.from(keyPepper, 'base64'),
    linkKeys.map(({ id, key }) => ({ id, key: Buffer.from(key, 'base64') })),
  );
}

function keyWith(pepper: Buffer, linkKeys: LinkKey[]): SecretKey {
  const sealKey = Buffer.from(hkdfSync('sha256', pepper, '', 'docyard project secrets', 32));
  const fingerprint = createHmac('sha256', pepper).update('docyard fingerprint').digest('hex');
  return { pepper, linkKeys, sealKey, fingerprint };
}

/** The seed of the key that signs bundles when SIGNING_KEY is not set. */
export function signingSeedOf({ pepper }: Pick<SecretKey, 'pepper'>): Buffer {
  return Buffer.from(hkdfSync('sha256', pepper, '', 'docyard signing key', 32));
}
