/** A compromised process: the attacker controls all of it and attempts every escape. */
import { createSocket } from 'node:dgram';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { beforeAll, describe, expect, test } from 'vitest';
import { cleanUp, temporaryFolder, writeFiles } from '../../test/support/test-context.ts';
import { findIsolation } from './isolation.ts';
import { maxThreads } from './launch.ts';
import { runSandboxed, firstFileDescriptor, outputDescriptor, type SandboxedRun } from './sandbox.ts';

const isolation = await findIsolation();
if (isolation.level < 3) console.log(`Attacks are not tried here: ${isolation.statement}`);

const folder = temporaryFolder('attacks');

function attack(text: string, more: Partial<SandboxedRun<unknown>> = {}): Promise<unknown> {
  const name = `attack-${(attacks += 1)}.mjs`;
  writeFiles(folder, { [name]: text });
  return runSandboxed<unknown>({
    program: join(folder, name),
    order: {},
    memoryMegabytes: 64,
    signal: AbortSignal.timeout(60_000),
    onMessage: (raw) => ({ answer: raw }),
    ...more,
  });
}
let attacks = 0;

describe.skipIf(isolation.level < 3)('a compromised process', () => {
  let outcomes: Record<string, string> = {};
  const received: string[] = [];

  beforeAll(async () => {
    const [mine, other] = [join(folder, 'job-1', 'tree'), join(folder, 'job-2', 'tree')];
    for (const tree of [mine, other]) mkdirSync(tree, { recursive: true });
    writeFileSync(join(other, 'page.mdx'), 'of another tenant');
    const socketFile = join(folder, 'socket');
    const order = {
      mine,
      other,
      socketFile,
      port: await listen(0),
      udpPort: await listenUdp(),
      parent: process.pid,
      app: import.meta.filename,
    };
    await listen(socketFile);
    outcomes = (await attack(tries, { order, readable: [mine] })) as Record<string, string>;
  }, 60_000);

  async function listen(place: number | string): Promise<number> {
    const server = createServer(() => received.push(String(place)));
    const where = typeof place === 'number' ? { port: place, host: '127.0.0.1' } : { path: place };
    await new Promise<void>((resolve) => server.listen(where, resolve));
    cleanUp(() => void server.close());
    return place === 0 ? (server.address() as AddressInfo).port : 0;
  }

  async function listenUdp(): Promise<number> {
    const socket = createSocket('udp4', () => received.push('udp'));
    await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
    cleanUp(() => void socket.close());
    return socket.address().port;
  }

  test.each([
    ['reads a file of the machine', 'ENOENT'],
    ['reads the environment of the server', 'ENOENT'],
    ['reads the folder of another job', 'ENOENT'],
    ['lists the machine', /^(compiled|dev|lib\d*|opt|srv|tmp|usr|work|home|root|[a-z]+)(,[a-z0-9]+)*$/],
    ['writes into its own folder', 'EROFS'],
    ['writes into the program', /EACCES|EROFS/],
    ['fills /tmp', /ENOENT|EROFS/],
    ['fills shared memory', /ENOENT|EROFS/],
    ['fills the root', 'EROFS'],
    ['makes a device', /EPERM|EROFS|ENOENT/],
    ['connects over TCP', 'EPERM'],
    ['sends over UDP', 'EPERM'],
    ['connects to a socket in a file', 'EPERM'],
    ['listens', 'EPERM'],
    ['looks up a name', /ECONNREFUSED|EAI_AGAIN|EPERM|ENOTFOUND|ECANCELLED/],
    ['kills the server', 'ESRCH'],
    ['kills everybody', /ESRCH|EPERM|none/],
    ['opens a debugger on the server', 'ESRCH'],
    ['becomes root', /EPERM|EINVAL/],
    ['starts a shell', 'ENOENT'],
    ['looks at memory of others', 'ENOENT'],
  ])('that %s fails', (what, expected) => {
    expect(outcomes[what]).toMatch(expected instanceof RegExp ? expected : new RegExp(`^${expected}$`));
    expect(received).toEqual([]);
  });

  test('that allocates memory is stopped at its limit, also outside the heap', async () => {
    const hoard = `process.once('message', () => { const all = []; for (;;) all.push(Buffer.alloc(32e6, 1)); });`;
    await expect(attack(hoard)).rejects.toMatchObject({ outOfMemory: true });
    const asWasm = `process.once('message', () => {
      try { new WebAssembly.Memory({ initial: 60_000 }); process.send('got it'); } catch (error) { process.send(error.name); }
    });`;
    expect(await attack(asWasm)).toBe('RangeError');
  });

  test('that allocates memory in several processes is stopped at their common limit', async () => {
    const family = `
      import { spawn } from 'node:child_process';
      const hoard = 'globalThis.all = Buffer.alloc(400e6, 1); setInterval(() => {}, 1e6)';
      process.once('message', () => { for (let n = 0; n < 2; n += 1) spawn(process.execPath, ['--eval', hoard], { stdio: 'ignore' }); });`;
    await expect(attack(family)).rejects.toMatchObject({ outOfMemory: true });
  });

  test('that forks endlessly is stopped at the process limit', async () => {
    const bomb = `
      import { spawn } from 'node:child_process';
      process.once('message', () => {
        for (let started = 0; started < 1000; started += 1) {
          const child = spawn(process.execPath, ['--eval', 'setInterval(() => {}, 1e6)'], { stdio: 'ignore' });
          child.on('error', () => {});
          if (child.pid === undefined) return process.send(started);
        }
        process.send('as many as it likes');
      });`;
    expect(await attack(bomb)).toBeLessThan(maxThreads(0));
  });

  test('that fills its output file is stopped at the file size limit', async () => {
    const fill = `
      import { ftruncateSync } from 'node:fs';
      process.once('message', () => {
        try { ftruncateSync(${firstFileDescriptor}, 2 ** 40); process.send('done'); } catch (error) { process.send(error.code); }
      });`;
    expect(await attack(fill, { files: [{ path: join(folder, 'given'), use: 'write' }] })).toBe('EFBIG');
  });
});

describe('a process that sends too much', () => {
  const channelLimits = { messageBytes: 1_000_000, bytes: 3_000_000, bytesPerSecond: 0 };

  test('in one message is cut off', async () => {
    const huge = `
      import { writeSync } from 'node:fs';
      process.once('message', () => { for (;;) try { writeSync(3, 'x'.repeat(65536)); } catch (error) { if (error.code !== 'EAGAIN') throw error; } });`;
    await expect(attack(huge, { channelLimits })).rejects.toThrow('a message of over 1000000 bytes');
  });

  test('in many messages is cut off', async () => {
    const many = `process.once('message', () => setInterval(() => process.send('x'.repeat(100_000)), 1));`;
    const onMessage = () => undefined;
    await expect(attack(many, { channelLimits, onMessage })).rejects.toThrow(
      'over 3000000 bytes of messages',
    );
  });

  test('as invalid JSON is cut off', async () => {
    const garbage = `import { writeSync } from 'node:fs'; process.once('message', () => writeSync(3, 'NODE_\\n'));`;
    await expect(attack(garbage)).rejects.toThrow('sent invalid JSON');
  });

  test('on standard error is no longer read, and the end of its output is reported', async () => {
    const loud = `
      import { writeSync } from 'node:fs';
      process.on('SIGPIPE', () => process.exit(7));
      process.once('message', () => { for (;;) try { writeSync(2, 'x'.repeat(65536)); } catch (error) { if (error.code !== 'EAGAIN') process.exit(7); } });`;
    await expect(attack(loud)).rejects.toThrow(/ended early \(7\)/);
  });

  test('into its output is stopped by the reader', async () => {
    const flood = `
      import { writeSync } from 'node:fs';
      process.once('message', () => { for (;;) writeSync(${outputDescriptor}, Buffer.alloc(65536)); });`;
    const takeOutput: SandboxedRun<unknown>['takeOutput'] = async (output) => {
      let bytes = 0;
      for await (const chunk of output as AsyncIterable<Buffer>) {
        bytes += chunk.length;
        if (bytes > 1_000_000) throw new Error('The bundle is too large.');
      }
      await buffer(output);
    };
    await expect(attack(flood, { takeOutput })).rejects.toThrow('The bundle is too large.');
  });

  test('or nothing is killed at its deadline', async () => {
    const stubborn = `process.on('SIGTERM', () => {}); process.once('message', () => { for (;;); });`;
    const ended = attack(stubborn, { signal: AbortSignal.timeout(1500) });
    await expect(ended).rejects.toThrow('ended early');
  });
});

const tries = `
import { spawnSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { lookup } from 'node:dns';
import { openSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';

process.once('message', async (order) => {
  const reported = {};
  const attempt = (what, work) => { try { reported[what] = String(work() ?? 'done'); } catch (error) { reported[what] = error.code ?? String(error); } };
  const waitFor = (what, work) => new Promise((resolve) => {
    const end = (value) => { reported[what] ??= String(value?.code ?? value); resolve(); };
    try { work(end); } catch (error) { end(error); }
  });
  attempt('reads a file of the machine', () => readFileSync('/etc/hostname', 'utf8'));
  attempt('reads the environment of the server', () => readFileSync('/proc/' + order.parent + '/environ', 'utf8'));
  attempt('reads the folder of another job', () => readdirSync(order.other));
  attempt('lists the machine', () => readdirSync('/').filter((name) => ['etc', 'proc', 'sys', 'var', 'run', 'boot'].includes(name)).join() || readdirSync('/').join());
  attempt('writes into its own folder', () => writeFileSync(order.mine + '/x', 'x'));
  attempt('writes into the program', () => openSync(order.app, 'r+'));
  attempt('fills /tmp', () => writeFileSync('/tmp/x', 'x'));
  attempt('fills shared memory', () => writeFileSync('/dev/shm/x', 'x'));
  attempt('fills the root', () => writeFileSync('/x', 'x'));
  attempt('makes a device', () => openSync('/dev/mem', 'r'));
  await waitFor('connects over TCP', (end) => connect(order.port, '127.0.0.1').on('error', end).on('connect', () => end('connected')));
  await waitFor('connects to a socket in a file', (end) => connect(order.socketFile).on('error', end).on('connect', () => end('connected')));
  await waitFor('sends over UDP', (end) => createSocket('udp4').on('error', end).send('x', order.udpPort, '127.0.0.1', (error) => end(error ?? 'sent')));
  await waitFor('listens', (end) => createServer().on('error', end).listen(0, () => end('listening')));
  await waitFor('looks up a name', (end) => lookup('example.com', (error) => end(error ?? 'found')));
  attempt('kills the server', () => process.kill(order.parent, 'SIGKILL'));
  attempt('opens a debugger on the server', () => process._debugProcess(order.parent));
  attempt('becomes root', () => process.setuid(0));
  attempt('starts a shell', () => { const { error } = spawnSync('/bin/sh', ['-c', 'id']); if (error) throw error; });
  attempt('looks at memory of others', () => openSync('/proc/1/mem', 'r'));
  attempt('kills everybody', () => { process.on('SIGURG', () => {}); process.kill(-1, 'SIGURG'); return 'none'; });
  process.send(reported);
});
`;
