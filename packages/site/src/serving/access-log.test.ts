import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cleanUp } from '../../../../test/cleanups.ts';
import { temporaryFolder } from '../../../../test/temporary-resources.ts';
import { eventually, makeSite, requestFor, startServer } from '../../test/support/served-releases.ts';
import { AccessLog, type AccessLogOptions } from './access-log.ts';
import { accessLogLine, type LoggedRequest, withoutSecrets } from './access-log-line.ts';

const usual: LoggedRequest = {
  startedAt: new Date('2026-11-19T13:45:06.789Z'),
  durationMs: 1.23456,
  site: 'docs',
  remoteAddress: '::ffff:203.0.113.7',
  method: 'GET',
  target: '/guide?q=tls',
  httpVersion: '1.1',
  host: 'docs.example.com',
  referer: 'https://example.com/?token=abc',
  userAgent: 'Mozilla/5.0 (X11)',
  status: 200,
  bodyBytes: 2326,
  isComplete: true,
};

/** As Apache documents the combined format. */
const combined =
  /^(\S+) (\S+) (\S+) \[(\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d [+-]\d{4})\] "([^"]*)" (\d{3}) (\d+|-) "([^"]*)" "([^"]*)"\n$/;

describe('a line', () => {
  test('has the fields of the common and the combined format', () => {
    const [, address, , , time, request, status, bytes, referer, agent] =
      combined.exec(accessLogLine('combined', usual)) ?? [];
    expect([address, request, status, bytes]).toEqual([
      '203.0.113.7',
      'GET /guide?q=tls HTTP/1.1',
      '200',
      '2326',
    ]);
    expect(Date.parse(String(time).replace(':', ' ').replaceAll('/', ' '))).toBe(
      Date.parse('2026-11-19T13:45:06Z'),
    );
    expect([referer, agent]).toEqual(['https://example.com/?token=[hidden]', 'Mozilla/5.0 (X11)']);
    const common = accessLogLine('common', { ...usual, bodyBytes: 0 });
    expect(common).toMatch(/^203\.0\.113\.7 - - \[[^\]]+\] "GET \/guide\?q=tls HTTP\/1\.1" 200 -\n$/);
  });

  test('states the offset of the local time', () => {
    const module = new URL('./access-log-line.ts', import.meta.url).href;
    const code = `import { accessLogLine } from ${JSON.stringify(module)};
      const request = { startedAt: new Date('2026-11-19T02:05:06Z'), method: 'GET', target: '/', httpVersion: '1.1', status: 200, bodyBytes: 1 };
      console.log(accessLogLine('common', request));`;
    const timeIn = (zone: string) => {
      const args = ['--input-type=module', '-e', code];
      const { stdout } = spawnSync(process.execPath, args, {
        encoding: 'utf8',
        env: { ...process.env, TZ: zone },
      });
      return /\[([^\]]*)\]/.exec(stdout)?.[1];
    };
    expect(timeIn('America/St_Johns')).toBe('18/Nov/2026:22:35:06 -0330');
    expect(timeIn('Asia/Kolkata')).toBe('19/Nov/2026:07:35:06 +0530');
  });

  test('in JSON has stable fields', () => {
    expect(JSON.parse(accessLogLine('json', usual))).toEqual({
      time: '2026-11-19T13:45:06.789Z',
      site: 'docs',
      remoteAddress: '203.0.113.7',
      method: 'GET',
      host: 'docs.example.com',
      target: '/guide?q=tls',
      protocol: 'HTTP/1.1',
      status: 200,
      bodyBytes: 2326,
      isComplete: true,
      durationMs: 1.235,
      referer: 'https://example.com/?token=[hidden]',
      userAgent: 'Mozilla/5.0 (X11)',
    });
  });

  test('is one line for any text that a client sends', () => {
    const character = fc.integer({ min: 0, max: 0x2fff }).map((code) => String.fromCharCode(code));
    const text = fc.string({ unit: character, maxLength: 60 });
    fc.assert(
      fc.property(text, text, text, text, (target, referer, userAgent, host) => {
        const request = { ...usual, target, referer, userAgent, host };
        const line = accessLogLine('combined', request);
        expect(line).toMatch(combined);
        expect(line).toMatch(/^[ -~]*\n$/);
        const record = accessLogLine('json', request);
        expect(record.indexOf('\n')).toBe(record.length - 1);
        expect(JSON.parse(record)).toHaveProperty('status', 200);
      }),
    );
    expect(accessLogLine('combined', { ...usual, userAgent: 'a" 200\n\x1b[2J\\é' })).toContain(
      String.raw`"a\x22 200\x0A\x1B[2J\x5C\xC3\xA9"`,
    );
  });

  test('is bounded', () => {
    const long = 'x'.repeat(16_000);
    const line = accessLogLine('json', { ...usual, target: `/${long}`, referer: long, userAgent: long });
    expect(line.length).toBeLessThan(10_000);
  });
});

describe('secrets', () => {
  test.each([
    ['/a?token=abc', '/a?token=[hidden]'],
    ['/a?q=tls&access_token=abc&lang=de', '/a?q=tls&access_token=[hidden]&lang=de'],
    ['/a?%74oken=abc', '/a?%74oken=[hidden]'],
    ['/a?Api-Key=abc;x=1', '/a?Api-Key=[hidden];x=1'],
    ['/a?X-Amz-Signature=abc', '/a?X-Amz-Signature=[hidden]'],
    ['/a?x=1?token=abc', '/a?x=1?token=[hidden]'],
    ['/a?code=abc&state=def', '/a?code=[hidden]&state=[hidden]'],
    ['/a?x=docyard_0123456789abcdefghij', '/a?x=[hidden]'],
    ['/a?eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln', '/a?[hidden]'],
    ['/a?x=1#token=abc', '/a?x=1'],
    ['https://user:password@example.com/a', 'https://example.com/a'],
    ['/a?q=how+to+configure+a+site+with+tls&page=2', '/a?q=how+to+configure+a+site+with+tls&page=2'],
    ['/a?', '/a?'],
    ['/a', '/a'],
  ])('%s is logged as %s', (target, shown) => {
    expect(withoutSecrets(target)).toBe(shown);
  });
});

async function openLog(options: Partial<AccessLogOptions> = {}) {
  const file = join(temporaryFolder('access-log'), 'access.log');
  const messages: string[] = [];
  const add = (first: unknown, second?: string) => void messages.push(second ?? String(first));
  const log = { error: add, info: add, warn: add } as AccessLogOptions['log'];
  const accessLog = await AccessLog.open({ format: 'common', file, log, flushMs: 10, ...options });
  cleanUp(() => accessLog.close());
  return { accessLog, file, messages };
}

const linesOf = (file: string) =>
  existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : [];

describe('the file', () => {
  test('has every request, with what was sent', async () => {
    const { accessLog, file } = await openLog();
    const site = await makeSite({ 'index.html': 'home', '404.html': 'none' });
    const { ask, get } = await startServer(site, { accessLog });
    await get('/');
    await get('/nowhere?key=abc');
    await ask(requestFor('/', {}, 'HEAD'));
    await ask(requestFor('/', {}, 'POST'));
    await eventually(() => linesOf(file).length).toBe(4);
    expect(linesOf(file).map((line) => line.slice(line.indexOf('"')))).toEqual([
      '"GET / HTTP/1.1" 200 4',
      '"GET /nowhere?key=[hidden] HTTP/1.1" 404 4',
      '"HEAD / HTTP/1.1" 200 -',
      '"POST / HTTP/1.1" 405 33',
    ]);
  });

  test('marks a response that the client did not read to its end', async () => {
    const { accessLog, file } = await openLog({ format: 'json' });
    const sizeBytes = 16_000_000;
    const site = await makeSite({ 'large.bin': new Uint8Array(sizeBytes) });
    const { connect } = await startServer(site, { accessLog });
    const client = await connect();
    client.socket.write(requestFor('/large.bin'));
    await eventually(() => client.received().length).toBeGreaterThan(0);
    client.close();
    await eventually(() => linesOf(file).length).toBe(1);
    const line = JSON.parse(linesOf(file)[0] ?? '') as LoggedRequest;
    expect(line).toMatchObject({ status: 200, isComplete: false });
    expect(line.bodyBytes).toBeLessThan(sizeBytes);
  });

  test('is reopened after a rotation without a lost line', async () => {
    const { accessLog, file } = await openLog({ flushMs: 1 });
    const rotated = `${file}.1`;
    for (let count = 0; count < 1000; count += 1) {
      accessLog.record({ ...usual, target: `/${count}` });
      if (count % 100 === 99) await new Promise((resolve) => setTimeout(resolve, 2));
      if (count !== 500) continue;
      renameSync(file, rotated);
      await accessLog.reopen();
    }
    await accessLog.close();
    const targets = [...linesOf(rotated), ...linesOf(file)].map((line) => /GET \/(\d+) /.exec(line)?.[1]);
    expect(targets).toEqual(Array.from({ length: 1000 }, (_, count) => String(count)));
    expect(linesOf(file).length).toBeGreaterThan(0);
  });

  test('that cannot be reopened stays in use', async () => {
    const { accessLog, file, messages } = await openLog();
    renameSync(file, `${file}.1`);
    mkdirSync(file);
    await accessLog.reopen();
    expect(messages.join()).toContain('cannot be reopened: it is a folder (EISDIR)');
    accessLog.record(usual);
    await eventually(() => linesOf(`${file}.1`).length).toBe(1);
  });

  test('that accepts nothing costs a bounded amount of memory, and lost lines are counted', async () => {
    // Every write to this device fails.
    const { accessLog, messages } = await openLog({ file: '/dev/full', maxPendingBytes: 10_000 });
    for (let count = 0; count < 1000; count += 1) accessLog.record(usual);
    const length = accessLogLine('common', usual).length;
    expect(accessLog.dropped).toBe(1000 - Math.floor(10_000 / length));
    await eventually(() => messages.join()).toContain('The access log cannot be written: the disk is full');
    await accessLog.close(0);
  });
});
