/** An overloaded server refuses new work and continues to answer reads. */
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

test('repeated late samples mean overload, and one sample in time ends it', () => {
  let now = 0;
  const eventLoopLag = new EventLoopLag(() => now);
  const sampleAfter = (ms: number) => {
    now += ms;
    eventLoopLag.sample();
    return eventLoopLag.isOverloaded;
  };
  expect([250, 3000, 250].map(sampleAfter)).toEqual([false, false, false]);
  expect([800, 800].map(sampleAfter)).toEqual([false, false]);
  now += 800;
  expect(eventLoopLag.isOverloaded).toBe(true);
  expect(sampleAfter(0)).toBe(true);
  expect(sampleAfter(749)).toBe(false);
});

test('an overloaded server refuses new work with Retry-After and answers reads', async () => {
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
