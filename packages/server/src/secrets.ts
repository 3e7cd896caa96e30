/**
 * The secrets of an installation: derived from SECRET_KEY, which all processes share, or kept in the data folder of the
 * only one. They are not in the database, so that a copy of it alone is worth little; what is there is a fingerprint,
 * which holds every process to the same secrets.
 */
import { createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  KeyUnusable,
  parseSecretKey,
  publicKeyLine,
  publicKeyOf,
  sign,
  signingKeyFromSeed,
  type SigningKey,
} from './bundles/signature.ts';
import { ConfigError, type Config } from './config.ts';
import type { Secrets, Signer } from './context.ts';
import { writeDurably } from './data-folder.ts';
import type { Database } from './ports/database.ts';

/** Throws when this process has other secrets than those that set the database up. */
export async function openSecrets(
  config: Pick<Config, 'dataDir' | 'secretKey' | 'signingKey' | 'databaseUrl'>,
  database: Database,
): Promise<Secrets> {
  const file = join(config.dataDir, 'secrets.json');
  const kept = await readSecretsFile(file);
  const recorded = await readFingerprint(database);
  // The file that lies beside a database of before there were fingerprints belongs to it.
  const expected =
    recorded ?? (config.databaseUrl === null && kept !== undefined ? fingerprintOf(kept) : null);
  const secrets =
    config.secretKey !== null
      ? secretsFrom(config.secretKey)
      : (kept ?? (expected === null ? await createSecrets(file) : undefined));
  if (secrets === undefined || (expected !== null && fingerprintOf(secrets) !== expected)) {
    throw new ConfigError(explainOther(config, file));
  }
  if (recorded === null) await recordFingerprint(database, secrets, explainOther(config, file));
  return { ...secrets, signer: signerOf(config.signingKey, secrets) };
}

/** The key that this installation signs with; undefined when its secrets were never made. Makes nothing. */
export async function findSigner(
  config: Pick<Config, 'dataDir' | 'secretKey' | 'signingKey'>,
): Promise<Signer | undefined> {
  const secrets = await givenSecrets(config);
  return secrets === undefined && config.signingKey === null
    ? undefined
    : signerOf(config.signingKey, secrets);
}

/** Whether the secrets that a start would use belong to this database. Makes and records nothing. */
export async function judgeSecrets(
  config: Pick<Config, 'dataDir' | 'secretKey'>,
  database: Database | undefined,
): Promise<'fit' | 'other' | 'unproven' | 'none'> {
  const secrets = await givenSecrets(config);
  // A database that was never started with this version has no such table.
  const recorded = database === undefined ? null : await readFingerprint(database).catch(() => null);
  if (secrets === undefined) return recorded === null ? 'none' : 'other';
  if (recorded === null) return 'unproven';
  return recorded === fingerprintOf(secrets) ? 'fit' : 'other';
}

function givenSecrets(config: Pick<Config, 'dataDir' | 'secretKey'>): Promise<KeptSecrets | undefined> {
  return config.secretKey === null
    ? readSecretsFile(join(config.dataDir, 'secrets.json'))
    : Promise.resolve(secretsFrom(config.secretKey));
}

function explainOther(config: Pick<Config, 'secretKey'>, file: string): string {
  const given = config.secretKey === null ? `The secrets in ${file}` : 'This SECRET_KEY';
  return (
    `${given} did not set up this database: its API keys and project secrets could not be used. ` +
    'Give every process the SECRET_KEY that the first one had. If that one had none, set SECRET_KEY_FILE to a copy of the secrets.json in its data folder.'
  );
}

/** The text of another folder's secrets.json is taken as it is, so that an installation can grow out of its folder. */
function secretsFrom(secretKey: string): KeptSecrets {
  if (secretKey.startsWith('{')) return parseSecrets(secretKey, 'SECRET_KEY');
  const derive = (purpose: string, bytes: number) =>
    Buffer.from(hkdfSync('sha256', secretKey, '', `docyard ${purpose}`, bytes));
  return withSealKey({
    keyPepper: derive('key pepper', 32),
    linkKeys: [{ id: derive('link key id', 4).toString('hex'), key: derive('link key', 32) }],
  });
}

type KeptSecrets = Omit<Secrets, 'signer'>;

interface SecretsFile {
  keyPepper: string;
  linkKeys: { id: string; key: string }[];
}

/** Undefined when there is none. One that cannot be read is an error, never made anew. */
async function readSecretsFile(file: string): Promise<KeptSecrets | undefined> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return undefined;
  });
  return text === undefined ? undefined : parseSecrets(text, file);
}

/** The complaint tells nothing of the text: a message of the parser would quote it. */
function parseSecrets(text: string, name: string): KeptSecrets {
  try {
    const { keyPepper, linkKeys } = JSON.parse(text) as SecretsFile;
    return withSealKey({
      keyPepper: Buffer.from(keyPepper, 'base64'),
      linkKeys: linkKeys.map(({ id, key }) => ({ id, key: Buffer.from(key, 'base64') })),
    });
  } catch {
    throw new ConfigError(`${name} is damaged: it should be the secrets.json of a data folder.`);
  }
}

async function createSecrets(file: string): Promise<KeptSecrets> {
  const made: SecretsFile = {
    keyPepper: randomBytes(32).toString('base64'),
    linkKeys: [{ id: randomBytes(4).toString('hex'), key: randomBytes(32).toString('base64') }],
  };
  const text = `${JSON.stringify(made, null, 2)}\n`;
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await writeDurably(file, text);
  return parseSecrets(text, file);
}

/** Derived rather than kept, so that folders made before there was anything to seal need no change. */
function withSealKey(secrets: Omit<KeptSecrets, 'sealKey'>): KeptSecrets {
  const sealKey = Buffer.from(hkdfSync('sha256', secrets.keyPepper, '', 'docyard project secrets', 32));
  return { ...secrets, sealKey };
}

/** All processes derive the same key, so that every bundle is signed without anybody having made one. */
function signerOf(signingKey: string | null, secrets: KeptSecrets | undefined): Signer {
  const key =
    signingKey === null && secrets !== undefined
      ? signingKeyFromSeed(Buffer.from(hkdfSync('sha256', secrets.keyPepper, '', 'docyard signing key', 32)))
      : parseSigningKey(signingKey ?? '');
  return new KeySigner(key);
}

/** Whoever prints or logs it sees the public half. */
class KeySigner implements Signer {
  readonly keyId: string;
  readonly publicKey: string;
  readonly #key: SigningKey;

  constructor(key: SigningKey) {
    this.keyId = key.keyId;
    this.publicKey = publicKeyLine(publicKeyOf(key));
    this.#key = key;
  }

  sign(bytes: Uint8Array, trustedComment: string): string {
    return sign(this.#key, bytes, trustedComment);
  }
}

function parseSigningKey(text: string): SigningKey {
  try {
    return parseSecretKey(text);
  } catch (error) {
    if (!(error instanceof KeyUnusable)) throw error;
    throw new ConfigError(`SIGNING_KEY cannot be used. ${error.message}`);
  }
}

const fingerprintName = 'fingerprint of the secrets';

/** Says whether two secrets are the same, and nothing else about them. Keys for links may come and go. */
function fingerprintOf({ keyPepper }: Pick<Secrets, 'keyPepper'>): string {
  return createHmac('sha256', keyPepper).update('docyard fingerprint').digest('hex');
}

/** Whether the database is still the one that these secrets belong to. */
export async function holdsFingerprint(database: Database, secrets: Secrets): Promise<boolean> {
  return (await readFingerprint(database)) === fingerprintOf(secrets);
}

async function readFingerprint(database: Database): Promise<string | null> {
  const row = await database
    .selectFrom('installation')
    .select('value')
    .where('name', '=', fingerprintName)
    .executeTakeFirst();
  return row?.value ?? null;
}

/** Of two processes that start at the same time one is first; the other is held to it. */
async function recordFingerprint(database: Database, secrets: KeptSecrets, complaint: string): Promise<void> {
  const value = fingerprintOf(secrets);
  await database
    .insertInto('installation')
    .values({ name: fingerprintName, value })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
  if ((await readFingerprint(database)) !== value) throw new ConfigError(complaint);
}
