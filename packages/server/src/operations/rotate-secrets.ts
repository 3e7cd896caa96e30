/**
 * Rotates the key from which secrets are derived, while processes run. Every step can be repeated, so an interrupted
 * rotation resumes.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import { ConfigError } from '@docyard/site/errors';
import type { Context } from '../context.ts';
import { inTransaction, type Database } from '../ports/database.ts';
import { resealSecrets } from '../projects/secrets.ts';
import { resealEach, seal, type Resealed } from '../seal.ts';
import {
  addNextKey,
  keyIdOf,
  keysFileOf,
  readGivenKeys,
  removePreviousKey,
  signingSeedOf,
  type GivenKeys,
  type SecretKey,
} from '../secret-keys.ts';
import {
  fingerprintName,
  pepperPrefix,
  refreshSecrets,
  refreshSeconds,
  sealedFact,
  signingSeedName,
} from '../secrets.ts';
import { resealWebhookSecrets } from '../webhooks/secrets.ts';
import { readKeyUse } from './secrets-status.ts';

type FullKeys = GivenKeys & { previous: SecretKey };
type RotationContext = Pick<Context, 'config' | 'database' | 'secrets'>;

/** Running processes follow within `refreshSeconds`; the pause is twice as long. */
const defaultPauseMs = refreshSeconds * 2000;

export interface Rotation extends Resealed {
  active: string;
  previous: string;
}

export async function rotateSecrets(
  context: RotationContext,
  { pauseMs = defaultPauseMs }: { pauseMs?: number } = {},
): Promise<Rotation> {
  const { current, previous } = await keysToRotate(context, pauseMs);
  await activate(context.database, { current, previous });
  await refreshSecrets(context);
  const first = await resealAll(context);
  // A process that has not followed yet may have sealed a value with the previous key.
  await pause(pauseMs);
  const second = await resealAll(context);
  return {
    active: keyIdOf(current.fingerprint),
    previous: keyIdOf(previous.fingerprint),
    resealed: first.resealed + second.resealed,
    unreadable: second.unreadable,
  };
}

/** Removes the previous key from the data folder when no value is sealed with it. */
export async function finishRotation(context: RotationContext): Promise<void> {
  if (context.config.secretKey !== null) {
    throw new ConfigError(
      'The keys are set by environment variables. Remove SECRET_KEY_PREVIOUS and restart every process.',
    );
  }
  const inUse = (await readKeyUse(context)).find(({ state }) => state === 'previous');
  if (inUse !== undefined && inUse.sealedValues > 0) {
    throw new ConfigError(
      `The previous key still seals ${inUse.sealedValues} values. Run \`docyard secrets rotate\` first.`,
    );
  }
  const recorded = await readActive(context.database);
  const keys = await readGivenKeys(context.config);
  if (keys?.current.fingerprint !== recorded) {
    throw new ConfigError('The new key is not active yet. Run `docyard secrets rotate` first.');
  }
  await removePreviousKey(keysFileOf(context.config));
}

async function keysToRotate(context: RotationContext, pauseMs: number): Promise<FullKeys> {
  const { config } = context;
  const keys = await readGivenKeys(config);
  if (keys?.previous !== undefined) return { current: keys.current, previous: keys.previous };
  if (config.secretKey !== null) {
    throw new ConfigError(
      'There is only one key. Set SECRET_KEY to a new key and SECRET_KEY_PREVIOUS to the old one, restart every process, and run this command again.',
    );
  }
  const { current, previous } = await addNextKey(keysFileOf(config));
  if (previous === undefined) throw new ConfigError(`${keysFileOf(config)} has no previous key.`);
  await pause(pauseMs);
  return { current, previous };
}

/** One transaction activates the new key and stores the values that need the old one. */
async function activate(database: Database, { current, previous }: FullKeys): Promise<void> {
  await inTransaction(database, async (transaction) => {
    const { numUpdatedRows } = await transaction
      .updateTable('installation')
      .set({ value: current.fingerprint })
      .where('name', '=', fingerprintName)
      .where('value', '=', previous.fingerprint)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return;
    const previousId = keyIdOf(previous.fingerprint);
    await labelHashes(transaction, previousId);
    const keep = async (name: string, secret: Buffer) => {
      const value = seal(current, sealedFact(name), secret.toString('base64'));
      await transaction
        .insertInto('installation')
        .values({ name, value })
        .onConflict((conflict) => conflict.column('name').doNothing())
        .execute();
    };
    await keep(`${pepperPrefix}${previousId}`, previous.pepper);
    await keep(signingSeedName, signingSeedOf(previous));
  });
}

/** Hashes without a pepper id were created with the previously active key. */
async function labelHashes(transaction: Database, pepperId: string): Promise<void> {
  await transaction.updateTable('api_keys').set({ pepper: pepperId }).where('pepper', 'is', null).execute();
  await transaction
    .updateTable('people')
    .set({ password: sql<string>`password || ${`:${pepperId}`}` })
    .where('password', 'like', 'scrypt:%')
    .where('password', 'not like', 'scrypt:%:%:%:%:%:%')
    .execute();
}

async function resealAll(context: RotationContext): Promise<Resealed> {
  const all = [
    await resealSecrets(context),
    await resealWebhookSecrets(context),
    await resealInstallation(context),
  ];
  return {
    resealed: all.reduce((sum, { resealed }) => sum + resealed, 0),
    unreadable: all.reduce((sum, { unreadable }) => sum + unreadable, 0),
  };
}

async function resealInstallation({ database, secrets }: RotationContext): Promise<Resealed> {
  const rows = await database
    .selectFrom('installation')
    .select(['name', 'value as sealed'])
    .where('name', 'like', 'sealed:%')
    .execute();
  return resealEach(
    secrets,
    rows,
    ({ name }) => sealedFact(name),
    (row, value) =>
      database
        .updateTable('installation')
        .set({ value })
        .where('name', '=', row.name)
        .where('value', '=', row.sealed)
        .executeTakeFirst(),
  );
}

async function readActive(database: Database): Promise<string | undefined> {
  const row = await database
    .selectFrom('installation')
    .select('value')
    .where('name', '=', fingerprintName)
    .executeTakeFirst();
  return row?.value;
}
