/** The site process in production: several sites, signals, and restarts behind an inherited socket. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { request } from 'node:http';
import { connect } from 'node:tls';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  makeCertificate,
  opensslMissing,
  textsOf,
} from '../../packages/site/test/support/test-certificates.ts';
import { freePort } from '../free-port.ts';
import { program } from '../service.ts';
import { endWithTest, temporaryFolder } from '../temporary-resources.ts';
import { bundle, docyard, siteOf } from './site.ts';

const patience = { timeout: 30_000 };

interface Running {
  child: ChildProcess;
  /** Standard output and error. */
  output(): string;
  ended: Promise<number | null>;
}

function run(command: string, args: readonly string[], options: object = {}): Running {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
  endWithTest(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => (output += text));
  return { child, output: () => output, ended: once(child, 'exit').then(([code]) => code as number | null) };
}

async function startSites(folder: string, settings: object, args: readonly string[] = []) {
  const config = join(folder, 'sites.json');
  writeFileSync(config, JSON.stringify(settings));
  const running = run(process.execPath, [program, 'site', '--config', config, '--port', '0', ...args]);
  await expect.poll(running.output, patience).toContain('Ctrl-C');
  const [, port = ''] = /served at https?:\/\/localhost:(\d+)/.exec(running.output()) ?? [];
  const get = (host: string, path: string) =>
    new Promise<{ status: number; text: string }>((resolve, reject) => {
      const sent = request({ port, host: '127.0.0.1', path, headers: { host }, agent: false }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.once('end', () => resolve({ status: response.statusCode ?? 0, text }));
      });
      sent.once('error', reject);
      sent.end();
    });
  return { ...running, config, port: Number(port), get };
}

async function bundleFile(folder: string, name: string): Promise<string> {
  const file = join(folder, `${name}.tar.gz`);
  writeFileSync(file, await bundle(siteOf(name), { version: name }));
  return file;
}

test('a site that cannot start does not stop the others, and starts once its key exists', async () => {
  const folder = temporaryFolder('sites');
  const [one, two] = [await bundleFile(folder, 'one'), await bundleFile(folder, 'two')];
  const settings = {
    data: 'data',
    sites: [
      { name: 'one', host: 'one.example.com', staticExport: { bundleUrl: one } },
      { name: 'two', host: 'two.example.com', staticExport: { bundleUrl: two, apiKeyFile: 'key' } },
    ],
  };
  const { get, output, child, ended, config } = await startSites(folder, settings);
  const home = async (host: string) => (await get(host, '/')).text;
  await expect.poll(() => home('one.example.com'), patience).toContain('release one');
  expect((await get('two.example.com', '/')).status).toBe(503);
  expect((await get('two.example.com', '/readyz')).status).toBe(200);
  expect((await get('one.example.com', '/readyz/two')).text).toContain('cannot be read');
  writeFileSync(join(folder, 'key'), 'docyard_key');
  await expect.poll(() => home('two.example.com'), patience).toContain('release two');
  expect(await home('one.example.com')).toContain('release one');
  expect(existsSync(join(folder, 'data/sites/two/releases'))).toBe(true);
  // Commands choose a site by its name.
  const listed = docyard(['site', 'releases', '--config', config, '--site', 'two', '--json']);
  expect(JSON.parse(listed.stdout)).toMatchObject([{ version: 'two', served: true }]);
  const unnamed = docyard(['site', 'releases', '--config', config]);
  expect([unnamed.status, unnamed.stderr]).toEqual([2, expect.stringContaining('one of one, two')]);
  child.kill('SIGTERM');
  expect(await ended, output()).toBe(0);
});

test.skipIf(opensslMissing !== undefined)(
  'SIGHUP replaces the certificate and reopens the access log, SIGUSR1 only reopens the log',
  async () => {
    const folder = temporaryFolder('signals');
    const tls = makeCertificate(folder, 'old.example.com');
    const next = textsOf(makeCertificate(join(folder, 'next'), 'new.example.com'));
    const accessLog = { format: 'combined', file: 'access.log' };
    const staticExport = { bundleUrl: await bundleFile(folder, 'one') };
    const { child, port, output, ended } = await startSites(
      folder,
      { data: 'data', tls, accessLog, staticExport },
      ['--log-format', 'json'],
    );
    const name = async () => {
      const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
      await once(socket, 'secureConnect');
      const subject = socket.getPeerCertificate().subject.CN;
      socket.write('GET /guides/page-1?token=abc HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
      socket.resume();
      await once(socket, 'close');
      return subject;
    };
    expect(await name()).toBe('old.example.com');
    const file = join(folder, 'access.log');
    const textOf = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8') : '');
    await expect.poll(() => textOf(file), patience).toContain('"GET /guides/page-1?token=[hidden] HTTP/1.1"');
    renameSync(file, `${file}.1`);
    writeFileSync(tls.keyFile, next.key);
    writeFileSync(tls.certFile, next.cert);
    child.kill('SIGHUP');
    await expect.poll(name, patience).toBe('new.example.com');
    await expect.poll(() => textOf(file), patience).toContain('GET');
    renameSync(file, `${file}.2`);
    child.kill('SIGUSR1');
    await expect.poll(() => existsSync(file), patience).toBe(true);
    await name();
    child.kill('SIGTERM');
    expect(await ended, output()).toBe(0);
    expect(textOf(file)).toContain('GET');
  },
);

/** Holds the socket open, as systemd does, and starts one process after the other with it. */
const activator = `for run in 1 2 3; do sh -c 'echo "process $$"; LISTEN_PID=$$ exec "$@"' sh "$@"; done`;

test('restarts behind an inherited socket refuse and break no connection', async () => {
  const folder = temporaryFolder('restarts');
  const bundleUrl = await bundleFile(folder, 'one');
  const dataDir = join(folder, 'data');
  expect(docyard(['bundle', 'import', bundleUrl, '--data', dataDir])).toMatchObject({ status: 0 });
  const socket = createServer().listen({ port: 0, host: '127.0.0.1', backlog: 4096 });
  await once(socket, 'listening');
  const { port } = socket.address() as AddressInfo;
  const { fd } = Reflect.get(socket, '_handle') as { fd: number };
  // The port of the settings is in use, so only the inherited socket can work.
  const args = [process.execPath, program, 'site', '--data', dataDir, '--port', String(port)];
  const { output, ended } = run('/bin/sh', ['-c', activator, 'sh', ...args], {
    stdio: ['ignore', 'pipe', 'pipe', fd],
    env: { ...process.env, LISTEN_FDS: '1', LISTEN_FDNAMES: 'http' },
  });
  socket.close();
  const starts = () => output().split('Ctrl-C').length - 1;
  await expect.poll(starts, patience).toBe(1);
  const stopping = new AbortController();
  const failures: string[] = [];
  let answered = 0;
  const readers = Array.from({ length: 4 }, async () => {
    while (!stopping.signal.aborted) {
      await fetch(`http://127.0.0.1:${port}/`, { headers: { Connection: 'close' } }).then(
        async (response) => {
          answered += 1;
          if (!(await response.text()).includes('release one')) failures.push(String(response.status));
        },
        (error: Error) => void failures.push(String(error.cause)),
      );
    }
  });
  const stop = () => {
    const pids = [...output().matchAll(/^process (\d+)$/gm)].map(([, pid]) => Number(pid));
    process.kill(pids.at(-1) ?? 0, 'SIGTERM');
  };
  for (const expected of [2, 3]) {
    stop();
    await expect.poll(starts, patience).toBe(expected);
    const before = answered;
    await expect.poll(() => answered, patience).toBeGreaterThan(before + 20);
  }
  stopping.abort();
  await Promise.all(readers);
  stop();
  expect(await ended, output()).toBe(0);
  expect(failures).toEqual([]);
});

const activateMissing =
  spawnSync('systemd-socket-activate', ['--version']).error === undefined
    ? undefined
    : 'systemd-socket-activate is not installed';
if (activateMissing !== undefined) console.warn(`Skipped: ${activateMissing}.`);

test.skipIf(activateMissing !== undefined)(
  'systemd-socket-activate starts the site at the first request',
  async () => {
    const folder = temporaryFolder('activated');
    const dataDir = join(folder, 'data');
    const file = await bundleFile(folder, 'one');
    expect(docyard(['bundle', 'import', file, '--data', dataDir])).toMatchObject({ status: 0 });
    const [port, statusPort] = [await freePort(), await freePort()];
    const sockets = ['-l', `127.0.0.1:${port}`, '-l', `127.0.0.1:${statusPort}`, '--fdname=http:status'];
    const command = [process.execPath, program, 'site', '--data', dataDir];
    const { child, output, ended } = run('systemd-socket-activate', [...sockets, ...command]);
    await expect.poll(output, patience).toContain('Listening on');
    expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toContain('release one');
    expect((await fetch(`http://127.0.0.1:${statusPort}/readyz`)).status).toBe(200);
    expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(404);
    child.kill('SIGTERM');
    expect(await ended, output()).toBe(0);
  },
);
