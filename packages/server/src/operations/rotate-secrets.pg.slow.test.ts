/** Rotation of the secret key: existing data stays usable, and no value stays encrypted with the old key. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { compose } from '../compose.ts';
import { readConfig, type Environment } from '../config.ts';
import type { Context } from '../context.ts';
import { checkLink, signLink } from '../exports/links.ts';
import { authenticate } from '../keys/authenticate.ts';
import { createUser } from '../users/operator-accounts.ts';
import { signIn } from '../users/sign-in.ts';
import { goodPassword } from '../../test/support/visitor.ts';
import { contentKeyOf } from '../projects/content-key.ts';
import { readSecret, writeSecret } from '../projects/secrets.ts';
import { holdsFingerprint, refreshSecrets } from '../secrets.ts';
import {
  cleanUp,
  composeForTest,
  createTenant,
  createTestProject,
  jsonBody,
  serveForTest,
  type Tenant,
  type TestContext,
} from '../../test/support/test-context.ts';
import { newSecret, signatures } from '../webhooks/secrets.ts';
import { finishRotation, rotateSecrets } from './rotate-secrets.ts';
import { readKeyUse } from './secrets-status.ts';

const oldKey = 'the key that the installation was set up with';
const newKey = 'the key that takes its place in the rotation';
const bothKeys = { SECRET_KEY: newKey, SECRET_KEY_PREVIOUS: oldKey };
const atOnce = { pauseMs: 0 };
const email = 'ada@example.com';
const from = { address: '203.0.113.7', requestId: null };
const link = {
  jobId: 'se_0123456789abcdef',
  file: 'bundle.tar.gz',
  generation: 1,
  host: 'docs.example.com',
  notBefore: 1_780_000_000,
  expires: 1_780_003_600,
} as const;

interface Made {
  tenant: Tenant;
  projectId: string;
  target: string;
  publicKey: string;
}

/** Another process on the same database and data folder. */
async function startWith(context: TestContext, environment: Environment): Promise<TestContext> {
  const { config } = context;
  const started = await compose(
    readConfig({
      DATA_DIR: config.dataDir,
      LOG_LEVEL: 'silent',
      LIMIT_WRITES_PER_MINUTE: '1000000',
      ...(config.databaseUrl === null ? {} : { DATABASE_URL: config.databaseUrl }),
      ...environment,
    }),
  );
  cleanUp(() => started.close());
  return { ...started, clock: context.clock };
}

async function makeEverything(context: TestContext): Promise<Made> {
  const tenant = await createTenant(context);
  const { id: projectId } = await createTestProject(context, tenant);
  await writeSecret(context, { projectId, name: 'model.key' }, 'key of the model');
  await newSecret(context, 'wh_1');
  await createUser(context, {
    email,
    name: 'Ada',
    password: goodPassword,
    role: 'owner',
    actor: tenant.actor,
  });
  const { publicKey } = context.secrets.signer;
  return { tenant, projectId, target: signLink(context.secrets, link), publicKey };
}

async function works(context: Context, made: Made) {
  const message = { id: 'msg_1', timestamp: 1, body: '{}' };
  const request = { target: made.target, host: link.host, nowSeconds: link.notBefore };
  return {
    key: (await authenticate(context, made.tenant.key.key)) !== undefined,
    password: (await signIn(context, { email, password: goodPassword, from })) !== '',
    secret: await readSecret(context, { projectId: made.projectId, name: 'model.key' }),
    webhook: (await signatures(context, 'wh_1', message)).startsWith('v1,'),
    link: checkLink(context.secrets, request).verdict,
    signer: context.secrets.signer.publicKey === made.publicKey,
    ready: await holdsFingerprint(context.database, context.secrets),
  };
}

const allWorks = {
  key: true,
  password: true,
  secret: 'key of the model',
  webhook: true,
  link: 'valid',
  signer: true,
  ready: true,
};

test('data that was encrypted with the old key works before, during and after a rotation', async () => {
  const old = await composeForTest({ SECRET_KEY: oldKey });
  const made = await makeEverything(old);
  const both = await startWith(old, bothKeys);
  expect(await works(both, made)).toEqual(allWorks);
  // Until the rotation, processes that have only the old key can read values that this one writes.
  await writeSecret(both, { projectId: made.projectId, name: 'forge.credential' }, 'token of the forge');
  expect(await readSecret(old, { projectId: made.projectId, name: 'forge.credential' })).toBe(
    'token of the forge',
  );

  const rotation = await rotateSecrets(both, atOnce);
  expect(rotation).toMatchObject({ resealed: 3, unreadable: 0 });
  expect(await works(both, made)).toEqual(allWorks);

  const after = await startWith(old, { SECRET_KEY: newKey });
  expect(await works(after, made)).toEqual({ ...allWorks, link: 'invalid' });
});

test('API keys and passwords that were unused during the overlap work after the old key is removed', async () => {
  const old = await composeForTest({ SECRET_KEY: oldKey });
  const made = await makeEverything(old);
  await rotateSecrets(await startWith(old, bothKeys), atOnce);
  const after = await startWith(old, { SECRET_KEY: newKey });
  const idle = await readKeyUse(after);
  expect(idle.map(({ state, apiKeys, passwords }) => ({ state, apiKeys, passwords }))).toEqual([
    { state: 'active', apiKeys: 0, passwords: 0 },
    { state: 'retired', apiKeys: 1, passwords: 1 },
  ]);
  expect(await works(after, made)).toMatchObject({ key: true, password: true });
  // Using them moved them to the new key.
  const used = await readKeyUse(after);
  expect(used.map(({ state, apiKeys, passwords }) => ({ state, apiKeys, passwords }))).toEqual([
    { state: 'active', apiKeys: 1, passwords: 1 },
    { state: 'retired', apiKeys: 0, passwords: 0 },
  ]);
  expect(await works(after, made)).toMatchObject({ key: true, password: true });
});

test('a repeated rotation changes nothing, and an interrupted one continues', async () => {
  const old = await composeForTest({ SECRET_KEY: oldKey });
  const made = await makeEverything(old);
  const both = await startWith(old, bothKeys);
  await rotateSecrets(both, atOnce);
  const rows = await both.database.selectFrom('secrets').selectAll().execute();
  expect(await rotateSecrets(both, atOnce)).toMatchObject({ resealed: 0, unreadable: 0 });
  expect(await both.database.selectFrom('secrets').selectAll().execute()).toEqual(rows);

  // As after an interruption: a value that the old process wrote after the new key became active.
  await writeSecret(old, { projectId: made.projectId, name: 'forge.credential' }, 'written late');
  const [, previous] = await readKeyUse(both);
  expect(previous).toMatchObject({ state: 'previous', sealedValues: 1 });
  expect(await rotateSecrets(both, atOnce)).toMatchObject({ resealed: 1 });
  expect(await readSecret(both, { projectId: made.projectId, name: 'forge.credential' })).toBe(
    'written late',
  );
});

test('the content key of a project stays the same, because servers of published sites have it', async () => {
  const old = await composeForTest({ SECRET_KEY: oldKey });
  const { projectId } = await makeEverything(old);
  const created = await contentKeyOf(old, projectId);
  const both = await startWith(old, bothKeys);
  expect(await contentKeyOf(both, projectId)).toEqual(created);
  expect(await rotateSecrets(both, atOnce)).toMatchObject({ resealed: 3, unreadable: 0 });
  expect(await contentKeyOf(both, projectId)).toEqual(created);
  const after = await startWith(old, { SECRET_KEY: newKey });
  expect(await contentKeyOf(after, projectId)).toEqual(created);
});

test('data of the first key works after two rotations', async () => {
  const thirdKey = 'a third key, for the rotation after the next';
  const old = await composeForTest({ SECRET_KEY: oldKey });
  const made = await makeEverything(old);
  await rotateSecrets(await startWith(old, bothKeys), atOnce);
  const second = await startWith(old, { SECRET_KEY: thirdKey, SECRET_KEY_PREVIOUS: newKey });
  await rotateSecrets(second, atOnce);
  const after = await startWith(old, { SECRET_KEY: thirdKey });
  expect(await works(after, made)).toEqual({ ...allWorks, link: 'invalid' });
});

test('a running process follows a rotation of another process', async () => {
  const old = await composeForTest({ SECRET_KEY: oldKey });
  const made = await makeEverything(old);
  const running = await startWith(old, bothKeys);
  const before = running.secrets.pepperId;
  await rotateSecrets(await startWith(old, bothKeys), atOnce);
  // It has both keys before it notices the rotation.
  expect(await works(running, made)).toEqual(allWorks);
  await refreshSecrets(running);
  expect(running.secrets.pepperId).not.toBe(before);
  expect(await works(running, made)).toEqual(allWorks);
});

test('an idempotent request is replayed after a rotation', async () => {
  const old = await composeForTest({ SECRET_KEY: oldKey });
  const { tenant } = await makeEverything(old);
  const post = async (context: TestContext) => {
    const service = await serveForTest(context);
    const init = jsonBody({ name: 'CI' });
    const headers = { ...(init.headers as Record<string, string>), 'idempotency-key': 'one' };
    const answer = await service.request('/v1/api-keys', { ...init, headers, key: tenant.key.key });
    return { replayed: answer.headers.get('idempotency-replayed'), body: await answer.json() };
  };
  const first = await post(old);
  await rotateSecrets(await startWith(old, bothKeys), atOnce);
  const after = await startWith(old, { SECRET_KEY: newKey });
  expect(await post(after)).toEqual({ replayed: 'true', body: first.body });
});

describe('a rotation is refused', () => {
  test('when there is only one key', async () => {
    const context = await composeForTest({ SECRET_KEY: oldKey });
    await expect(rotateSecrets(context, atOnce)).rejects.toThrow('SECRET_KEY_PREVIOUS to the old one');
  });

  test('when the previous key is not that of the database', async () => {
    const context = await composeForTest({ SECRET_KEY: oldKey });
    const starting = startWith(context, { SECRET_KEY: newKey, SECRET_KEY_PREVIOUS: `${oldKey}.` });
    await expect(starting).rejects.toThrow('does not belong to this database');
  });
});

describe('the key in the data folder', () => {
  const kept = ({ config }: Context) =>
    JSON.parse(readFileSync(join(config.dataDir, 'secrets.json'), 'utf8')) as { previous?: unknown };

  test('is stored next to the old one until the rotation is finished', async () => {
    const context = await composeForTest();
    const made = await makeEverything(context);
    await rotateSecrets(context, atOnce);
    expect(kept(context).previous).toBeDefined();
    expect(await works(await startWith(context, {}), made)).toEqual(allWorks);
    await finishRotation(context);
    expect(kept(context).previous).toBeUndefined();
    expect(await works(await startWith(context, {}), made)).toEqual({ ...allWorks, link: 'invalid' });
  });

  test('is replaced once, even when the command runs again before the rotation is finished', async () => {
    const context = await composeForTest();
    const first = await rotateSecrets(context, atOnce);
    const text = JSON.stringify(kept(context));
    expect(await rotateSecrets(context, atOnce)).toMatchObject({ active: first.active, resealed: 0 });
    expect(JSON.stringify(kept(context))).toBe(text);
  });

  test('keeps its previous key while a value is encrypted with it', async () => {
    const context = await composeForTest();
    const { projectId } = await makeEverything(context);
    const stale = { ...context, secrets: { ...context.secrets } };
    await rotateSecrets(context, atOnce);
    await writeSecret(stale, { projectId, name: 'forge.credential' }, 'written late');
    await expect(finishRotation(context)).rejects.toThrow('still seals 1 values');
    expect(kept(context).previous).toBeDefined();
  });

  test('can be replaced by SECRET_KEY', async () => {
    const context = await composeForTest();
    const made = await makeEverything(context);
    const SECRET_KEY_PREVIOUS_FILE = join(context.config.dataDir, 'secrets.json');
    const both = await startWith(context, { SECRET_KEY: newKey, SECRET_KEY_PREVIOUS_FILE });
    await rotateSecrets(both, atOnce);
    expect(await works(both, made)).toEqual(allWorks);
  });
});
