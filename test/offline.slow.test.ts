/**
 * With `--offline`, no process tries to reach another host. strace records every address in a network namespace; the same work
 * online shows that the trace is complete.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { siteFullOfReferences, type Outcome } from './offline/scenario.ts';
import { inNamespace, triedBy, whyNoTrap } from './offline/connection-trace.ts';
import { program, temporaryFolder, writeFiles } from './service.ts';

const reason = whyNoTrap();
if (reason !== undefined) console.warn(`Skipped: ${reason}.`);
const isLong = process.env['LONG_TESTS'] !== undefined;

const farAway = '93.184.215.14:443';
/** The address of the name server depends on the machine. */
const aNameServer = expect.stringMatching(/:53$/);

describe.skipIf(reason !== undefined)('a command', () => {
  const build = (environment: Record<string, string>) => {
    const folder = temporaryFolder('references');
    writeFiles(folder, siteFullOfReferences);
    const command = [process.execPath, program, 'build', folder, '--out', join(folder, 'out'), '--quiet'];
    return triedBy(command, environment);
  };

  test('reaches for what a site refers to, and nothing of it offline', async () => {
    const [online, offline] = await Promise.all([build({}), build({ OFFLINE: 'on' })]);
    expect(online).toMatchObject({ status: 0, outside: expect.arrayContaining([farAway, aNameServer]) });
    expect(offline).toMatchObject({ status: 0, outside: [] });
  });

  test('talks to no service of another machine offline', async () => {
    const command = [process.execPath, program, 'export', 'list', '--server', `https://${farAway}`];
    const environment = { DOCYARD_API_KEY: 'docyard_key', OFFLINE: 'on' };
    expect(await triedBy(command, environment)).toMatchObject({ status: expect.any(Number), outside: [] });
    expect((await triedBy(command, { ...environment, OFFLINE: 'off' })).outside).toEqual([farAway]);
  });
});

/** Each takes a minute or two. */
describe.skipIf(reason !== undefined || !isLong)('a service', () => {
  const play = (mode: 'offline' | 'online'): Outcome => {
    const scenario = fileURLToPath(new URL('offline/scenario.ts', import.meta.url));
    const [command = '', ...args] = inNamespace([process.execPath, scenario, mode]);
    const { stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' });
    try {
      return JSON.parse(stdout) as Outcome;
    } catch {
      throw new Error(stderr.slice(-4000));
    }
  };

  test('offline opens no outside socket, and does what it can without', { timeout: 400_000 }, () => {
    const outcome = play('offline');
    expect(outcome.outside).toEqual([]);
    // The trace worked: it contains the git host, the model, the forge and the receiver.
    expect(outcome.here.length).toBeGreaterThanOrEqual(4);
    expect(outcome.exported).toMatchObject({
      status: 'completed',
      findings: { remote_image: 7, openapi_remote: 2 },
    });
    for (const why of outcome.exported.reasons)
      expect(why).toMatch(/OFFLINE is on: |^The image .* is on another host/);
    expect(outcome.remote).toEqual({
      status: 'failed',
      code: 'source_refused',
      message: 'OFFLINE is on: 93.184.215.14 is not contacted.',
    });
    expect(outcome.agent).toEqual({ status: 'completed', reason: 'done', pullRequest: true });
    expect(outcome.webhooks.map(({ status, attempts }) => [status, attempts])).toEqual([
      ['delivered', 1],
      ['pending', 0],
      ['pending', 0],
    ]);
  });

  test('online tries all of it, so the trap would have seen it', { timeout: 400_000 }, () => {
    const outcome = play('online');
    expect(outcome.outside).toEqual(expect.arrayContaining([farAway, aNameServer]));
    expect(outcome.remote).toMatchObject({ status: 'failed', code: 'source_unavailable' });
    for (const { attempts } of outcome.webhooks) expect(attempts).toBeGreaterThan(0);
  });
});
