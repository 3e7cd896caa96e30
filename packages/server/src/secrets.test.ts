/** Secrets are stable, equal in all processes and bound to their database. */
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import {
  newSigningKey,
  parsePublicKey,
  publicKeyLine,
  publicKeyOf,
  secretKeyText,
  verifySignature,
} from '@docyard/bundle';
import { compose } from './compose.ts';
import { ConfigError } from '@docyard/site/errors';
import { readConfig, type Environment } from './config.ts';
import type { Context } from './context.ts';
import { authenticate } from './keys/authenticate.ts';
import { schemaVersionName } from './ports/database.ts';
import { findSigner, openSecrets } from './secrets.ts';
import { cleanUp, composeForTest, createTenant, temporaryFolder } from '../test/support/test-context.ts';

const secretKey = 'a secret that all processes have in common';

/** Opens the secrets of a process whose database is not in its data folder. */
async function openWithExternalDatabase(
  context: Context,
  environment: Environment = {},
  folder = temporaryFolder(),
) {
  const DATABASE_URL = 'postgres://db.internal/docyard';
  const config = readConfig({ DATA_DIR: folder, DATABASE_URL, ...environment });
  return openSecrets(config, context.database);
}

async function reopen(dataDir: string, environment: Environment = {}): Promise<Context> {
  const context = await compose(readConfig({ DATA_DIR: dataDir, LOG_LEVEL: 'silent', ...environment }));
  cleanUp(() => context.close());
  return context;
}

describe('secrets in the data folder', () => {
  test('are created once, for the owner only, and never change', async () => {
    const { config, secrets } = await composeForTest();
    expect((await reopen(config.dataDir)).secrets).toEqual(secrets);
    expect(secrets.keyPepper).toHaveLength(32);
    expect(secrets.sealKey).toHaveLength(32);
    expect(secrets.linkKeys).toHaveLength(1);
    expect(secrets.linkKeys[0]?.key).toHaveLength(32);
    expect(secrets.linkKeys[0]?.id).toMatch(/^[0-9a-z]{1,16}$/);
    expect(statSync(join(config.dataDir, 'secrets.json')).mode & 0o777).toBe(0o600);
  });

  test('differ between installations', async () => {
    const [one, other] = [await composeForTest(), await composeForTest()];
    expect(one.secrets.keyPepper.equals(other.secrets.keyPepper)).toBe(false);
  });

  test('are not replaced or quoted when their file is damaged', async () => {
    const { config } = await composeForTest();
    const file = join(config.dataDir, 'secrets.json');
    writeFileSync(file, '{"keyPepper": "hidden" ');
    await expect(reopen(config.dataDir)).rejects.toThrow(`${file} is damaged`);
    await expect(reopen(config.dataDir)).rejects.not.toThrow('hidden');
    expect(readFileSync(file, 'utf8')).toBe('{"keyPepper": "hidden" ');
  });

  test('are not created again when their file is missing, because existing keys would stop working', async () => {
    const { config } = await composeForTest();
    const file = join(config.dataDir, 'secrets.json');
    rmSync(file);
    await expect(reopen(config.dataDir)).rejects.toThrow('does not belong to this database');
    expect(existsSync(file)).toBe(false);
  });

  test('cannot be replaced by SECRET_KEY, even without a stored fingerprint', async () => {
    const context = await composeForTest();
    await expect(reopen(context.config.dataDir, { SECRET_KEY: secretKey })).rejects.toThrow(ConfigError);
    await context.database.deleteFrom('installation').execute();
    await expect(reopen(context.config.dataDir, { SECRET_KEY: secretKey })).rejects.toThrow(ConfigError);
    expect((await reopen(context.config.dataDir)).secrets).toEqual(context.secrets);
  });
});

describe('secrets from SECRET_KEY', () => {
  test('are equal in every process and not stored in the folder', async () => {
    const context = await composeForTest({ SECRET_KEY: secretKey });
    expect(await openWithExternalDatabase(context, { SECRET_KEY: secretKey })).toEqual(context.secrets);
    expect(existsSync(join(context.config.dataDir, 'secrets.json'))).toBe(false);
  });

  test('differ from each other', async () => {
    const { secrets } = await composeForTest({ SECRET_KEY: secretKey });
    const all = [secrets.keyPepper, secrets.sealKey, secrets.linkKeys[0]?.key];
    expect(new Set(all.map((key) => key?.toString('hex'))).size).toBe(3);
  });

  test('are refused in a process with another SECRET_KEY', async () => {
    const context = await composeForTest({ SECRET_KEY: secretKey });
    const opening = openWithExternalDatabase(context, { SECRET_KEY: `${secretKey}.` });
    await expect(opening).rejects.toThrow(
      'This SECRET_KEY does not belong to this database, so its API keys and project secrets are unusable.',
    );
  });

  test('are not created by a process without SECRET_KEY, which is refused', async () => {
    const context = await composeForTest({ SECRET_KEY: secretKey });
    const folder = temporaryFolder();
    await expect(openWithExternalDatabase(context, {}, folder)).rejects.toThrow(
      'does not belong to this database',
    );
    expect(existsSync(join(folder, 'secrets.json'))).toBe(false);
  });

  test('can come from the secrets.json of the first data folder', async () => {
    const context = await composeForTest();
    const { key } = (await createTenant(context)).key;
    const SECRET_KEY_FILE = join(context.config.dataDir, 'secrets.json');
    const secrets = await openWithExternalDatabase(context, { SECRET_KEY_FILE });
    expect(secrets).toEqual(context.secrets);
    expect(await authenticate({ ...context, secrets }, key)).toBeDefined();
  });

  test('are accepted from only one of two processes that start together with different keys', async () => {
    const context = await composeForTest();
    await context.database.deleteFrom('installation').execute();
    const both = await Promise.allSettled(
      ['one', 'other'].map((name) => openWithExternalDatabase(context, { SECRET_KEY: name.padEnd(32, '.') })),
    );
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  });
});

describe('the key that signs bundles', () => {
  const given = newSigningKey();
  const SIGNING_KEY = secretKeyText(given);
  const bytes = Buffer.from('a manifest');

  test('is derived from the secrets by default, so that all processes sign alike', async () => {
    const context = await composeForTest({ SECRET_KEY: secretKey });
    const { signer } = context.secrets;
    const other = await openWithExternalDatabase(context, { SECRET_KEY: secretKey });
    expect(other.signer.sign(bytes, 'comment')).toBe(signer.sign(bytes, 'comment'));
    const proven = verifySignature([parsePublicKey(signer.publicKey)], bytes, signer.sign(bytes, 'comment'));
    expect(proven).toEqual({ keyId: signer.keyId, trustedComment: 'comment' });
    expect((await composeForTest()).secrets.signer.keyId).not.toBe(signer.keyId);
  });

  test('is SIGNING_KEY when it is set, without other changes', async () => {
    const { config, secrets } = await composeForTest();
    const opened = (await reopen(config.dataDir, { SIGNING_KEY })).secrets;
    expect(opened.signer).toMatchObject({ keyId: given.keyId, publicKey: publicKeyLine(publicKeyOf(given)) });
    expect({ ...opened, signer: secrets.signer }).toEqual(secrets);
    expect(inspect(opened.signer, { depth: 9 })).not.toContain('seed');
  });

  test('is refused with a reason and not quoted when it is invalid', async () => {
    const opening = composeForTest({ SIGNING_KEY: 'hidden' });
    await expect(opening).rejects.toThrow('SIGNING_KEY cannot be used. This is not a minisign secret key.');
    await expect(opening).rejects.not.toThrow('hidden');
  });

  test('can be read without a database and is not created by reading it', async () => {
    const { config, secrets } = await composeForTest();
    expect(await findSigner(config)).toEqual(secrets.signer);
    const nowhere = readConfig({ DATA_DIR: temporaryFolder() });
    expect(await findSigner(nowhere)).toBeUndefined();
    expect((await findSigner({ ...nowhere, signingKey: SIGNING_KEY }))?.keyId).toBe(given.keyId);
  });
});

test('the stored fingerprint does not reveal a secret', async () => {
  const { database, secrets } = await composeForTest({ SECRET_KEY: secretKey });
  const facts = database.selectFrom('installation').selectAll().where('name', '<>', schemaVersionName);
  const [row] = await facts.execute();
  const all = [secrets.keyPepper, secrets.sealKey, ...secrets.linkKeys.map(({ key }) => key)];
  expect(row?.value).toMatch(/^[0-9a-f]{64}$/);
  for (const key of all) expect(row?.value).not.toBe(key.toString('hex'));
});
