/**
 * The secrets of a process: derived from its keys, or sealed in the database by an earlier rotation. A fingerprint in
 * the database names the active key, which hashes, seals and signs; the other keys only open and verify.
 */
import { ConfigError } from '@docyard/site/errors';
import { type Config } from './config.ts';
import type { Context, Pepper, Secrets, Signer } from './context.ts';
import {
  InvalidKeyError,
  parseSecretKey,
  publicKeyLine,
  publicKeyOf,
  sign,
  type SigningKey,
  signingKeyFromSeed,
} from '@docyard/bundle';
import type { Database } from './ports/database.ts';
import { unseal, type SealedPlace, type SealKeys } from './seal.ts';
import {
  createKeysFile,
  keyIdOf,
  keysFileOf,
  readGivenKeys,
  readKeysFile,
  signingSeedOf,
  type GivenKeys,
  type SecretKey,
} from './secret-keys.ts';

type SecretsConfig = Pick<
  Config,
  'dataDir' | 'secretKey' | 'secretKeyPrevious' | 'signingKey' | 'databaseUrl'
>;

/** How often a running process checks for a rotation. */
export const refreshSeconds = 2;

export const fingerprintName = 'fingerprint of the secrets';
export const signingSeedName = 'sealed:signing-seed';
export const pepperPrefix = 'sealed:pepper:';

/** Throws when this process has other keys than those that set up the database. */
export async function openSecrets(config: SecretsConfig, database: Database): Promise<Secrets> {
  const file = keysFileOf(config);
  const stored = await readKeysFile(file);
  const facts = await readFacts(database);
  const recorded = facts.get(fingerprintName) ?? null;
  // A database without a fingerprint belongs to the secrets.json in its data folder.
  const expected =
    recorded ?? (config.databaseUrl === null && stored !== undefined ? stored.current.fingerprint : null);
  const keys = (await readGivenKeys(config)) ?? (expected === null ? await createKeysFile(file) : undefined);
  const active = keys && activeKey(keys, expected);
  if (keys === undefined || active === undefined) throw new ConfigError(describeMismatch(config));
  if (recorded === null) await recordFingerprint(database, active, describeMismatch(config));
  return secretsWith(config, keys, active, facts);
}

/** Lets a running process follow a rotation. A readiness check reports keys that no longer belong to the database. */
export async function refreshSecrets({
  config,
  database,
  secrets,
}: Pick<Context, 'config' | 'database' | 'secrets'>): Promise<void> {
  const keys = await readGivenKeys(config);
  const facts = await readFacts(database);
  const active = keys && activeKey(keys, facts.get(fingerprintName) ?? null);
  if (keys === undefined || active === undefined) return;
  Object.assign(secrets, secretsWith(config, keys, active, facts));
}

/** Undefined when the secrets were never created. Creates nothing. */
export async function findSigner(
  config: Omit<SecretsConfig, 'databaseUrl'>,
  database?: Database,
): Promise<Signer | undefined> {
  const keys = await readGivenKeys(config);
  const facts = await factsOrNone(database);
  if (keys === undefined)
    return config.signingKey === null ? undefined : new KeySigner(parseSigningKey(config.signingKey));
  const active = activeKey(keys, facts.get(fingerprintName) ?? null) ?? keys.current;
  return secretsWith(config, keys, active, facts).signer;
}

/** Whether the keys that a start would use belong to this database. Creates and records nothing. */
export async function checkSecrets(
  config: Omit<SecretsConfig, 'databaseUrl' | 'signingKey'>,
  database: Database | undefined,
): Promise<'fit' | 'other' | 'unproven' | 'none'> {
  const keys = await readGivenKeys(config);
  const recorded = (await factsOrNone(database)).get(fingerprintName);
  if (keys === undefined) return recorded === undefined ? 'none' : 'other';
  if (recorded === undefined) return 'unproven';
  return activeKey(keys, recorded) === undefined ? 'other' : 'fit';
}

export async function holdsFingerprint(database: Database, secrets: Secrets): Promise<boolean> {
  return secrets.fingerprints.includes((await readFacts(database)).get(fingerprintName) ?? '');
}

export function sealedFact(name: string): SealedPlace {
  return ['installation', name];
}

function activeKey({ current, previous }: GivenKeys, recorded: string | null): SecretKey | undefined {
  if (recorded === null) return current;
  return [current, previous].find((key) => key?.fingerprint === recorded);
}

function secretsWith(
  { signingKey }: Pick<Config, 'signingKey'>,
  { current, previous }: GivenKeys,
  active: SecretKey,
  facts: ReadonlyMap<string, string>,
): Secrets {
  const configured = [current, previous].filter((key) => key !== undefined);
  const others = configured.filter((key) => key !== active);
  const sealKeys = { sealKey: active.sealKey, otherSealKeys: others.map(({ sealKey }) => sealKey) };
  const pepperId = keyIdOf(active.fingerprint);
  const otherPeppers = new Map<string, Pepper>();
  for (const pepper of retiredPeppers(sealKeys, facts)) otherPeppers.set(pepper.id, pepper);
  for (const { pepper, fingerprint } of others) {
    const id = keyIdOf(fingerprint);
    otherPeppers.set(id, { id, key: pepper });
  }
  otherPeppers.delete(pepperId);
  return {
    keyPepper: active.pepper,
    pepperId,
    otherPeppers: [...otherPeppers.values()],
    linkKeys: [active, ...others].flatMap(({ linkKeys }) => linkKeys),
    ...sealKeys,
    fingerprints: configured.map(({ fingerprint }) => fingerprint),
    signer: new KeySigner(signingKeyOf(signingKey, active, sealKeys, facts)),
  };
}

/** Peppers of keys that the operator has removed. Hashes that use them are replaced on their next use. */
function retiredPeppers(keys: SealKeys, facts: ReadonlyMap<string, string>): Pepper[] {
  return [...facts]
    .filter(([name]) => name.startsWith(pepperPrefix))
    .map(([name, sealed]) => ({
      id: name.slice(pepperPrefix.length),
      key: Buffer.from(unseal(keys, sealedFact(name), sealed), 'base64'),
    }));
}

/** A rotation keeps the derived key, because deployments trust its public key. */
function signingKeyOf(
  given: string | null,
  active: SecretKey,
  keys: SealKeys,
  facts: ReadonlyMap<string, string>,
): SigningKey {
  if (given !== null) return parseSigningKey(given);
  const sealed = facts.get(signingSeedName);
  if (sealed === undefined) return signingKeyFromSeed(signingSeedOf(active));
  return signingKeyFromSeed(Buffer.from(unseal(keys, sealedFact(signingSeedName), sealed), 'base64'));
}

function describeMismatch(config: SecretsConfig): string {
  const given = config.secretKey === null ? `The key in ${keysFileOf(config)}` : 'This SECRET_KEY';
  return (
    `${given} does not belong to this database, so its API keys and project secrets are unusable. ` +
    'Give every process the SECRET_KEY of the first process. If it had none, set SECRET_KEY_FILE to a copy of the secrets.json in its data folder. ' +
    'To change the key, set SECRET_KEY_PREVIOUS to the old one and run `docyard secrets rotate`.'
  );
}

/** Printing or logging it shows only the public key. */
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
    if (!(error instanceof InvalidKeyError)) throw error;
    throw new ConfigError(`SIGNING_KEY cannot be used. ${error.message}`);
  }
}

async function readFacts(database: Database): Promise<Map<string, string>> {
  const rows = await database
    .selectFrom('installation')
    .select(['name', 'value'])
    .where((where) => where.or([where('name', '=', fingerprintName), where('name', 'like', 'sealed:%')]))
    .execute();
  return new Map(rows.map(({ name, value }) => [name, value]));
}

/** A database of an older version lacks the table. */
async function factsOrNone(database: Database | undefined): Promise<Map<string, string>> {
  return database === undefined ? new Map() : readFacts(database).catch(() => new Map<string, string>());
}

/** When two processes start at the same time, the second must have the key of the first. */
async function recordFingerprint(database: Database, active: SecretKey, complaint: string): Promise<void> {
  await database
    .insertInto('installation')
    .values({ name: fingerprintName, value: active.fingerprint })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
  const recorded = (await readFacts(database)).get(fingerprintName);
  if (recorded !== active.fingerprint) throw new ConfigError(complaint);
}
