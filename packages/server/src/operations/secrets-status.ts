import type { Context } from '../context.ts';
import { countSealedSecrets } from '../projects/secrets.ts';
import { isSealedWith } from '../seal.ts';
import { keyIdOf, readGivenKeys } from '../secret-keys.ts';
import { sealedFact } from '../secrets.ts';
import { countSealedWebhookSecrets } from '../webhooks/secrets.ts';

export interface KeyUse {
  id: string;
  /** A retired key is not configured anymore; only hashes that were not used since depend on it. */
  state: 'active' | 'next' | 'previous' | 'retired';
  apiKeys: number;
  passwords: number;
  sealedValues: number;
}

export async function readKeyUse(
  context: Pick<Context, 'config' | 'database' | 'secrets'>,
): Promise<KeyUse[]> {
  const { secrets } = context;
  const keys = await readGivenKeys(context.config);
  const configured = [keys?.current, keys?.previous].filter((key) => key !== undefined);
  const sealed = await countSealed(
    context,
    configured.map(({ sealKey }) => sealKey),
  );
  const apiKeys = await countApiKeys(context);
  const passwords = await countPasswords(context);
  const withHashes = (id: string) => ({ apiKeys: apiKeys.get(id) ?? 0, passwords: passwords.get(id) ?? 0 });
  const ofConfigured = configured.map((key, index): KeyUse => {
    const id = keyIdOf(key.fingerprint);
    const state = id === secrets.pepperId ? 'active' : index === 0 ? 'next' : 'previous';
    return { id, state, ...withHashes(id), sealedValues: sealed[index] ?? 0 };
  });
  const known = new Set(ofConfigured.map(({ id }) => id));
  const retired = secrets.otherPeppers
    .filter(({ id }) => !known.has(id))
    .map(({ id }): KeyUse => ({ id, state: 'retired', ...withHashes(id), sealedValues: 0 }));
  return [...ofConfigured, ...retired];
}

async function countSealed(context: Pick<Context, 'database'>, keys: readonly Buffer[]): Promise<number[]> {
  const facts = await context.database
    .selectFrom('installation')
    .selectAll()
    .where('name', 'like', 'sealed:%')
    .execute();
  const ofFacts = keys.map(
    (key) => facts.filter(({ name, value }) => isSealedWith(key, sealedFact(name), value)).length,
  );
  const counts = [
    ofFacts,
    await countSealedSecrets(context, keys),
    await countSealedWebhookSecrets(context, keys),
  ];
  return keys.map((_key, index) => counts.reduce((sum, each) => sum + (each[index] ?? 0), 0));
}

/** Expired and revoked keys are left out. */
async function countApiKeys({
  database,
  secrets,
}: Pick<Context, 'database' | 'secrets'>): Promise<Map<string, number>> {
  const rows = await database
    .selectFrom('api_keys')
    .select((eb) => ['pepper', eb.fn.countAll<number | string>().as('count')])
    .where('revoked_at', 'is', null)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', new Date().toISOString())]))
    .groupBy('pepper')
    .execute();
  return summed(rows.map(({ pepper, count }) => [pepper ?? secrets.pepperId, Number(count)]));
}

async function countPasswords({
  database,
  secrets,
}: Pick<Context, 'database' | 'secrets'>): Promise<Map<string, number>> {
  const rows = await database
    .selectFrom('people')
    .select('password')
    .where('password', 'is not', null)
    .execute();
  return summed(rows.map(({ password }) => [password?.split(':')[6] ?? secrets.pepperId, 1]));
}

function summed(counts: readonly (readonly [id: string, count: number])[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const [id, count] of counts) sums.set(id, (sums.get(id) ?? 0) + count);
  return sums;
}
