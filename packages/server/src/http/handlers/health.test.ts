import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Readiness } from '@docyard/api';
import { describe, expect, it } from 'vitest';
import { findIsolation } from '../../sandbox/isolation.ts';
import { composeForTest, serveForTest } from '../../../test/support/test-context.ts';
import type { Context } from '../../context.ts';

async function readinessOf(context: Context) {
  const { request } = await serveForTest(context);
  const answer = await request('/readyz');
  const { checks } = (await answer.json()) as { checks: { name: string; ok: boolean; message: string }[] };
  return { status: answer.status, checks: Object.fromEntries(checks.map((each) => [each.name, each])) };
}

describe('readiness', () => {
  it('the response lists every check with its result', async () => {
    const { status, checks } = await readinessOf(await composeForTest());
    expect(status).toBe(200);
    expect(Object.keys(checks)).toEqual(['serving', 'database', 'secrets', 'storage', 'queue', 'disk']);
    expect(checks['database']?.message).toMatch(/^reachable, migrated to \d{4}-/);
  });

  it('the response states the isolation of the renderer', async () => {
    const { request } = await serveForTest(await composeForTest());
    const { level, statement } = await findIsolation();
    const { isolation } = (await (await request('/readyz')).json()) as Readiness;
    expect(isolation).toEqual({ level, statement });
  });

  it('the server is degraded while bundles cannot be stored', async () => {
    const context = await composeForTest();
    rmSync(join(context.config.dataDir, 'blobs'), { recursive: true });
    const { status, checks } = await readinessOf(context);
    expect(status).toBe(200);
    expect(checks['storage']).toMatchObject({
      ok: false,
      message: expect.stringContaining('ENOENT') as string,
    });
    expect(checks['database']?.ok).toBe(true);
  });

  it('a database with other secrets is reported without their value', async () => {
    const context = await composeForTest();
    await context.database.updateTable('installation').set({ value: 'of another' }).execute();
    const { status, checks } = await readinessOf(context);
    expect(status).toBe(503);
    expect(checks['secrets']).toMatchObject({ ok: false });
    expect(JSON.stringify(checks)).not.toContain('of another');
  });

  it('a check that hangs times out, and the message of a failed check is not exposed', async () => {
    const context = await composeForTest();
    const refused = Object.assign(new Error('connect ECONNREFUSED 10.1.2.3:5432'), { code: 'ECONNREFUSED' });
    context.checks.push(
      { name: 'slow', run: () => new Promise(() => {}) },
      { name: 'away', run: () => Promise.reject(refused) },
    );
    const { status, checks } = await readinessOf(context);
    expect(status).toBe(503);
    expect(checks['slow']?.message).toBe('does not answer');
    expect(checks['away']?.message).toBe('unavailable; see the log');
  });

  it('the checks run at most once a second for any number of requests', async () => {
    const context = await composeForTest();
    let asked = 0;
    context.checks.push({ name: 'counted', run: async () => String((asked += 1)) });
    const { request } = await serveForTest(context);
    const began = performance.now();
    await Promise.all(Array.from({ length: 20 }, () => request('/readyz')));
    const seconds = (performance.now() - began) / 1000;
    expect(asked).toBeGreaterThanOrEqual(1);
    expect(asked).toBeLessThanOrEqual(1 + Math.floor(seconds));
  });
});
