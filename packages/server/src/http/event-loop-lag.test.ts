/** A server that cannot keep up takes no new work and goes on answering reads. */
import { expect, test } from 'vitest';
import {
  composeForTest,
  createTenant,
  createTestProject,
  jsonBody,
  serveForTest,
  until,
} from '../../test/support/test-context.ts';
import { EventLoopLag } from './event-loop-lag.ts';

test('late once is a pause, late again and again is too late, in time once is enough', () => {
  let now = 0;
  const eventLoopLag = new EventLoopLag(() => now);
  const lookAfter = (ms: number) => {
    now += ms;
    eventLoopLag.look();
    return eventLoopLag.isTooLate;
  };
  expect([250, 3000, 250].map(lookAfter)).toEqual([false, false, false]);
  expect([800, 800].map(lookAfter)).toEqual([false, false]);
  now += 800;
  expect(eventLoopLag.isTooLate).toBe(true);
  expect(lookAfter(0)).toBe(true);
  expect(lookAfter(749)).toBe(false);
});

test('new work is refused with a time to come back, reads are answered', async () => {
  const context = await composeForTest();
  const tenant = await createTenant(context);
  const { domain } = await createTestProject(context, tenant);
  const service = await serveForTest(context);
  const { key } = tenant.key;
  const start = () => service.request('/v1/static-export/jobs', { ...jsonBody({ domain }), key });
  let turns = 0;
  let isBusy = true;
  const keepBusy = () => {
    turns += 1;
    for (const end = performance.now() + 800; performance.now() < end;);
    if (isBusy) setTimeout(keepBusy);
  };
  keepBusy();
  try {
    await until(() => turns > 3);
    const refused = await start();
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toBe('5');
    expect(await refused.json()).toMatchObject({ code: 'overloaded' });
    expect((await service.request('/v1/me', { key })).status).toBe(200);
  } finally {
    isBusy = false;
  }
  await until(async () => (await start()).status === 202);
});
