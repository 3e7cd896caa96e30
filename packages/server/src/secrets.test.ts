/** The secrets stay the same, are the same for every process, and never fit a database that others have set up. */
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
import { findSigner, openSecrets } from './secrets.ts';
import { cleanUp, composeForTest, createTenant, temporaryFolder } from '../test/support/test-context.ts';

const secretKey = 'a secret that all processes have in common';

/** A database like PostgreSQL, which does not lie in the folder of the process. */
async function openElsewhere(context: Context, environment: Environment = {}, folder = temporaryFolder()) {
  const DATABASE_URL = 'postgres://elsewhere/docyard';
  const config = readConfig({ DATA_DIR: folder, DATABASE_URL, ...environment });
  return openSecrets(config, context.database);
}

async function reopen(dataDir: string, environment: Environment = {}): Promise<Context> {
  const context = await compose(readConfig({ DATA_DIR: dataDir, LOG_LEVEL: 'silent', ...environment }));
  cleanUp(() => context.close());
  return context;
}

describe('in the data folder', () => {
  test('they are made once, for the owner only, and are the same ever after', async () => {
    const { config, secrets } = await composeForTest();
    expect((await reopen(config.dataDir)).secrets).toEqual(secrets);
    expect(secrets.keyPepper).toHaveLength(32);
    expect(secrets.sealKey).toHaveLength(32);
    expect(secrets.linkKeys).toHaveLength(1);
    expect(secrets.linkKeys[0]?.key).toHaveLength(32);
    expect(secrets.linkKeys[0]?.id).toMatch(/^[0-9a-z]{1,16}$/);
    expect(statSync(join(config.dataDir, 'secrets.json')).mode & 0o777).toBe(0o600);
  });

  test('those of two installations differ', async () => {
    const [one, other] = [await composeForTest(), await composeForTest()];
    expect(one.secrets.keyPepper.equals(other.secrets.keyPepper)).toBe(false);
  });

  test('a damaged file is an error that quotes nothing of it, and is never made anew', async () => {
    const { config } = await composeForTest();
    const file = join(config.dataDir, 'secrets.json');
    writeFileSync(file, '{"keyPepper": "hidden" ');
    await expect(reopen(config.dataDir)).rejects.toThrow(`${file} is damaged`);
    await expect(reopen(config.dataDir)).rejects.not.toThrow('hidden');
    expect(readFileSync(file, 'utf8')).toBe('{"keyPepper": "hidden" ');
  });

  test('a lost file is an error, not a new one: the keys would be worth nothing', async () => {
    const { config } = await composeForTest();
    const file = join(config.dataDir, 'secrets.json');
    rmSync(file);
    await expect(reopen(config.dataDir)).rejects.toThrow('did not set up this database');
    expect(existsSync(file)).toBe(false);
  });

  test('SECRET_KEY cannot take their place, also where no fingerprint was kept yet', async () => {
    const context = await composeForTest();
    await expect(reopen(context.config.dataDir, { SECRET_KEY: secretKey })).rejects.toThrow(ConfigError);
    await context.database.deleteFrom('installation').execute();
    await expect(reopen(context.config.dataDir, { SECRET_KEY: secretKey })).rejects.toThrow(ConfigError);
    expect((await reopen(context.config.dataDir)).secrets).toEqual(context.secrets);
  });
});

describe('from SECRET_KEY', () => {
  test('they are the same for every process, and nothing is kept in the folder', async () => {
    const context = await composeForTest({ SECRET_KEY: secretKey });
    expect(await openElsewhere(context, { SECRET_KEY: secretKey })).toEqual(context.secrets);
    expect(existsSync(join(context.config.dataDir, 'secrets.json'))).toBe(false);
  });

  test('each is another one', async () => {
    const { secrets } = await composeForTest({ SECRET_KEY: secretKey });
    const all = [secrets.keyPepper, secrets.sealKey, secrets.linkKeys[0]?.key];
    expect(new Set(all.map((key) => key?.toString('hex'))).size).toBe(3);
  });

  test('a process with another one is refused', async () => {
    const context = await composeForTest({ SECRET_KEY: secretKey });
    const opening = openElsewhere(context, { SECRET_KEY: `${secretKey}.` });
    await expect(opening).rejects.toThrow(
      'This SECRET_KEY did not set up this database: its API keys and project secrets could not be used.',
    );
  });

  test('a process without one is refused and makes none', async () => {
    const context = await composeForTest({ SECRET_KEY: secretKey });
    const folder = temporaryFolder();
    await expect(openElsewhere(context, {}, folder)).rejects.toThrow('did not set up this database');
    expect(existsSync(join(folder, 'secrets.json'))).toBe(false);
  });

  test('it may be the secrets.json of the folder where the installation began', async () => {
    const context = await composeForTest();
    const { key } = (await createTenant(context)).key;
    const SECRET_KEY_FILE = join(context.config.dataDir, 'secrets.json');
    const secrets = await openElsewhere(context, { SECRET_KEY_FILE });
    expect(secrets).toEqual(context.secrets);
    expect(await authenticate({ ...context, secrets }, key)).toBeDefined();
  });

  test('of two processes that start at the same time with different ones, one is refused', async () => {
    const context = await composeForTest();
    await context.database.deleteFrom('installation').execute();
    const both = await Promise.allSettled(
      ['one', 'other'].map((name) => openElsewhere(context, { SECRET_KEY: name.padEnd(32, '.') })),
    );
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  });
});

describe('the key that signs bundles', () => {
  const given = newSigningKey();
  const SIGNING_KEY = secretKeyText(given);
  const bytes = Buffer.from('a manifest');

  test('is derived when none is given, so that processes with the same secrets sign alike', async () => {
    const context = await composeForTest({ SECRET_KEY: secretKey });
    const { signer } = context.secrets;
    const elsewhere = await openElsewhere(context, { SECRET_KEY: secretKey });
    expect(elsewhere.signer.sign(bytes, 'comment')).toBe(signer.sign(bytes, 'comment'));
    const proven = verifySignature([parsePublicKey(signer.publicKey)], bytes, signer.sign(bytes, 'comment'));
    expect(proven).toEqual({ keyId: signer.keyId, trustedComment: 'comment' });
    expect((await composeForTest()).secrets.signer.keyId).not.toBe(signer.keyId);
  });

  test('is the given one otherwise, and nothing else changes', async () => {
    const { config, secrets } = await composeForTest();
    const opened = (await reopen(config.dataDir, { SIGNING_KEY })).secrets;
    expect(opened.signer).toMatchObject({ keyId: given.keyId, publicKey: publicKeyLine(publicKeyOf(given)) });
    expect({ ...opened, signer: secrets.signer }).toEqual(secrets);
    expect(inspect(opened.signer, { depth: 9 })).not.toContain('seed');
  });

  test('is an error that says why when it cannot be used, without quoting it', async () => {
    const opening = composeForTest({ SIGNING_KEY: 'hidden' });
    await expect(opening).rejects.toThrow(
      'SIGNING_KEY cannot be used. This is not a secret key of minisign.',
    );
    await expect(opening).rejects.not.toThrow('hidden');
  });

  test('can be told without a database, and is not made by asking', async () => {
    const { config, secrets } = await composeForTest();
    expect(await findSigner(config)).toEqual(secrets.signer);
    const nowhere = readConfig({ DATA_DIR: temporaryFolder() });
    expect(await findSigner(nowhere)).toBeUndefined();
    expect((await findSigner({ ...nowhere, signingKey: SIGNING_KEY }))?.keyId).toBe(given.keyId);
  });
});

test('the fingerprint gives nothing of them away', async () => {
  const { database, secrets } = await composeForTest({ SECRET_KEY: secretKey });
  const [row] = await database.selectFrom('installation').selectAll().execute();
  const all = [secrets.keyPepper, secrets.sealKey, ...secrets.linkKeys.map(({ key }) => key)];
  expect(row?.value).toMatch(/^[0-9a-f]{64}$/);
  for (const key of all) expect(row?.value).not.toBe(key.toString('hex'));
});
