/** Sessions and setup tokens with several processes, and the removal of expired ones. */
import { describe, expect, test } from 'vitest';
import {
  composeForTest,
  createTenant,
  present,
  serveForTest,
  until,
  type TestContext,
} from '../../test/support/test-context.ts';
import { createUser } from './operator-accounts.ts';
import { authenticateSession, endSession, startSession, sweepSessions } from './sessions.ts';
import { openSetup } from './setup.ts';
import { countAttempt } from './sign-in-attempts.ts';
import { goodPassword, Visitor } from '../../test/support/visitor.ts';

const secret = { SECRET_KEY: 'the same for every process of the test' };
const ada = { email: 'ada@example.com', name: 'Ada', password: goodPassword };

async function withAda(context: TestContext) {
  const { actor } = await createTenant(context);
  return createUser(context, { ...ada, role: 'owner', actor });
}

test('only expired sessions are removed', async () => {
  const context = await composeForTest();
  const { id } = await withAda(context);
  await startSession(context, id);
  context.clock.advance(7 * 86_400);
  const fresh = await startSession(context, id);
  await sweepSessions(context);
  expect(await context.database.selectFrom('sessions').select('person_id').execute()).toHaveLength(1);
  expect(await authenticateSession(context, fresh)).toMatchObject({ user: { email: ada.email } });
  await endSession(context, fresh);
  expect(await authenticateSession(context, fresh)).toBeUndefined();
});

test('attempts are counted per address and email until their window ends', async () => {
  const context = await composeForTest();
  const attempt = { subject: ada.email, address: '203.0.113.7' };
  for (let tries = 0; tries < 10; tries += 1) await countAttempt(context, attempt);
  await expect(countAttempt(context, attempt)).rejects.toMatchObject({ code: 'rate_limited' });
  // The limit does not affect other addresses.
  await countAttempt(context, { ...attempt, address: '203.0.113.8' });
  context.clock.advance(900);
  await countAttempt(context, attempt);
  expect(await context.database.selectFrom('attempt_windows').selectAll().execute()).toHaveLength(3);
});

describe.skipIf(process.env['TEST_DATABASE'] !== 'postgres')('several processes', () => {
  async function two() {
    const first = await composeForTest(secret);
    const second = await composeForTest({ ...secret, DATABASE_URL: first.config.databaseUrl ?? '' });
    await createTenant(first);
    const services = [await serveForTest(first), await serveForTest(second)] as const;
    return { first, second, here: new Visitor(services[0]), there: new Visitor(services[1]) };
  }

  test('accept the setup token of each other', async () => {
    const { first, there } = await two();
    const token = present(await openSetup(first));
    expect((await there.send('POST', '/v1/setup', { token, ...ada })).status).toBe(201);
  });

  test('refuse a session that another process has ended', async () => {
    const { first, here, there } = await two();
    const token = present(await openSetup(first));
    await here.send('POST', '/v1/setup', { token, ...ada });
    there.cookie = here.cookie;
    const statusThere = async () => (await there.send('GET', '/v1/me')).status;
    expect(await statusThere()).toBe(200);
    const next = 'forty two herrings on a rope';
    await here.send('POST', '/v1/session/password', { current: goodPassword, next });
    await until(async () => (await statusThere()) === 401);
    there.cookie = here.cookie;
    expect(await statusThere()).toBe(200);
    await here.send('DELETE', '/v1/session');
    await until(async () => (await statusThere()) === 401);
  });
});
