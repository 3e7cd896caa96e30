/** HTTPS: certificates by host, their replacement, limits for clients and the redirect from HTTP. */
import { once } from 'node:events';
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { connect as connectTls, type ConnectionOptions, type TLSSocket } from 'node:tls';
import { beforeAll, describe, expect, test } from 'vitest';
import { cleanUp } from '../../../../test/cleanups.ts';
import { temporaryFolder } from '../../../../test/temporary-resources.ts';
import { eventually, makeSite } from '../../test/support/served-releases.ts';
import { startServers, type SeveralSites } from '../../test/support/several-sites.ts';
import { makeCertificate, opensslMissing, textsOf } from '../../test/support/test-certificates.ts';
import { Certificates } from './certificates.ts';
import type { SiteServerOptions } from './site-server.ts';

const folder = temporaryFolder('certificates');
const files = (name: string) => ({
  certFile: join(folder, name, 'tls.crt'),
  keyFile: join(folder, name, 'tls.key'),
});

interface Logged {
  lines: string[];
  log: ConstructorParameters<typeof Certificates>[1];
}

function logged(): Logged {
  const lines: string[] = [];
  const add = (first: unknown, second?: string) => void lines.push(second ?? String(first));
  return { lines, log: { error: add, info: add, warn: add } as Logged['log'] };
}

async function start(
  certificates: Certificates,
  options: Partial<SiteServerOptions> = {},
): Promise<SeveralSites> {
  const running = await startServers(
    [
      { name: 'docs', hosts: ['docs.example.com'] },
      { name: 'api', hosts: ['api.example.com'] },
    ],
    { certificates, ...options },
  );
  cleanUp(() => running.server.close(0));
  for (const [name, hosted] of Object.entries(running.hosted))
    hosted.activate(await makeSite({ 'index.html': name }));
  return running;
}

async function connect(port: number, options: ConnectionOptions = {}): Promise<TLSSocket> {
  const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false, ...options });
  cleanUp(() => void socket.destroy());
  await once(socket, 'secureConnect');
  return socket;
}

async function ask(socket: TLSSocket, host = 'docs.example.com'): Promise<string> {
  socket.write(`GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  const [chunk] = (await once(socket, 'data')) as [Buffer];
  return chunk.toString();
}

async function nameOf(port: number, servername?: string): Promise<string> {
  const socket = await connect(port, servername === undefined ? {} : { servername });
  const name = String(socket.getPeerCertificate().subject.CN);
  socket.destroy();
  return name;
}

describe.skipIf(opensslMissing !== undefined)('HTTPS', () => {
  const { log } = logged();
  let certificates: Certificates;
  let running: SeveralSites;

  beforeAll(async () => {
    for (const name of ['docs', 'api', 'new']) makeCertificate(join(folder, name), `${name}.example.com`);
    certificates = new Certificates(
      [
        { hosts: ['docs.example.com'], files: files('docs') },
        { hosts: ['api.example.com'], files: files('api') },
      ],
      log,
    );
    running = await start(certificates, { redirectPort: 0 });
  });

  test('a client gets the certificate and the site of its host, and the first one otherwise', async () => {
    const { port } = running;
    expect(await nameOf(port, 'api.example.com')).toBe('api.example.com');
    expect(await nameOf(port, 'DOCS.example.com')).toBe('docs.example.com');
    expect(await nameOf(port, 'unknown.example.com')).toBe('docs.example.com');
    expect(await nameOf(port)).toBe('docs.example.com');
    const socket = await connect(port, { servername: 'api.example.com' });
    expect(await ask(socket, 'api.example.com')).toMatch(/^HTTP\/1\.1 200 [^]*\r\n\r\napi$/);
  });

  test('protocols before TLS 1.2 are refused', async () => {
    const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT:@SECLEVEL=0' } as const;
    await expect(connect(running.port, old)).rejects.toThrow(/protocol version|EPROTO|alert/);
    const socket = await connect(running.port, { maxVersion: 'TLSv1.2' });
    expect(socket.getProtocol()).toBe('TLSv1.2');
  });

  test('a request without encryption is disconnected', async () => {
    await expect(running.get('docs.example.com', '/')).rejects.toThrow('closed after 0 bytes');
  });

  test('the redirect port leads to the same address with HTTPS', async () => {
    const { redirectPort, port } = running;
    const location = async (host: string, target = '/guide?a=b') => {
      const socket = createConnection({ port: redirectPort ?? 0, host: '127.0.0.1' });
      socket.end(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
      const [chunk] = (await once(socket, 'data')) as [Buffer];
      const [, status] = /^HTTP\/1\.1 (\d+)/.exec(chunk.toString()) ?? [];
      return `${status} ${/^location: (.*)\r$/im.exec(chunk.toString())?.[1] ?? ''}`;
    };
    expect(await location('docs.example.com')).toBe('308 https://docs.example.com/guide?a=b');
    expect(await location(`docs.example.com:${redirectPort}`)).toBe(
      `308 https://docs.example.com:${port}/guide?a=b`,
    );
    expect(await location('evil.example.com')).toBe('404 ');
    expect(await location('docs.example.com', 'http://evil.example.com/')).toBe('400 ');
  });

  test('the end of validity is a metric', async () => {
    const socket = await connect(running.port);
    socket.write('GET /metrics HTTP/1.1\r\nHost: docs.example.com\r\n\r\n');
    const [chunk] = (await once(socket, 'data')) as [Buffer];
    const [, seconds] =
      /not_after_timestamp_seconds\{file="[^"]*docs\/tls\.crt"\} (\d+)/.exec(chunk.toString()) ?? [];
    expect(Number(seconds) * 1000).toBeGreaterThan(Date.now());
  });

  test('a replaced certificate is used for new connections, and open ones stay open', async () => {
    // As Kubernetes mounts a secret: links into a folder that is exchanged.
    const mounted = join(folder, 'mounted');
    makeCertificate(join(mounted, '..1'), 'docs.example.com');
    makeCertificate(join(mounted, '..2'), 'new.example.com');
    symlinkSync('..1', join(mounted, '..data'));
    for (const name of ['tls.crt', 'tls.key']) symlinkSync(join('..data', name), join(mounted, name));
    const { log: ownLog, lines } = logged();
    const replaced = new Certificates([{ hosts: [], files: files('mounted') }], ownLog);
    const { port } = await start(replaced);
    const open = await connect(port);
    expect(await ask(open)).toContain('docs');
    expect(replaced.reload()).toBe(false);
    symlinkSync('..2', join(mounted, '..data_tmp'));
    renameSync(join(mounted, '..data_tmp'), join(mounted, '..data'));
    expect(replaced.reload()).toBe(true);
    expect(await nameOf(port)).toBe('new.example.com');
    expect(await ask(open)).toContain('docs');
    expect(lines).toEqual(['a new certificate is in use']);
  });

  test('a certificate that cannot be used is logged once and leaves the former one in place', async () => {
    makeCertificate(join(folder, 'changing'), 'docs.example.com');
    const { cert, key } = textsOf(files('new'));
    const { log: ownLog, lines } = logged();
    const changing = new Certificates([{ hosts: [], files: files('changing') }], ownLog);
    const { port } = await start(changing);
    for (const wrong of ['not a certificate', cert]) {
      writeFileSync(files('changing').certFile, wrong);
      for (const _ of [1, 2]) expect(changing.reload()).toBe(false);
      expect(await nameOf(port)).toBe('docs.example.com');
    }
    expect(lines).toHaveLength(2);
    expect(lines[1]).toContain(`cannot be used with the key ${files('changing').keyFile}`);
    expect(lines[1]).toContain('mismatch. The former certificate stays in use.');
    writeFileSync(files('changing').keyFile, key);
    expect(changing.reload()).toBe(true);
    expect(await nameOf(port)).toBe('new.example.com');
  });

  test('a missing certificate is reported at the start', () => {
    expect(() => new Certificates([{ hosts: [], files: files('nowhere') }], log)).toThrow(
      'tls.crt cannot be read: no such file or folder (ENOENT)',
    );
  });
});

describe.skipIf(opensslMissing !== undefined)('limits for clients over TLS', () => {
  let certificates: Certificates;
  beforeAll(() => {
    mkdirSync(join(folder, 'limits'), { recursive: true });
    makeCertificate(join(folder, 'limits'), 'docs.example.com');
    certificates = new Certificates([{ hosts: [], files: files('limits') }], logged().log);
  });

  test('a client that does not end the handshake is disconnected', async () => {
    const { port } = await start(certificates, { timeLimits: { headersMs: 300, checkMs: 50 } });
    const socket = createConnection({ port, host: '127.0.0.1' });
    await once(socket, 'close');
  });

  test('a client that sends no request is disconnected', async () => {
    const { port } = await start(certificates, { timeLimits: { headersMs: 300, checkMs: 50 } });
    const socket = await connect(port);
    socket.resume();
    socket.write('GET / HTTP/1.1\r\n');
    await once(socket, 'close');
  });

  test('a new connection replaces the one that was idle longest', async () => {
    const { port } = await start(certificates, { connections: 3 });
    const handshake = createConnection({ port, host: '127.0.0.1' });
    handshake.resume();
    await once(handshake, 'connect');
    const idle = await connect(port);
    expect(await ask(idle)).toContain('docs');
    const used = await connect(port);
    expect(await ask(used)).toContain('docs');
    const next = await connect(port);
    expect(await ask(next)).toContain('docs');
    await eventually(() => handshake.closed).toBe(true);
    expect(await ask(used)).toContain('docs');
    const last = await connect(port);
    idle.resume();
    await eventually(() => idle.closed).toBe(true);
    expect(await ask(last)).toContain('docs');
  });

  test('unused and idle connections do not delay the end', async () => {
    const { port, server } = await start(certificates);
    const [unused, idle] = [await connect(port), await connect(port)];
    await ask(idle);
    const began = performance.now();
    await server.close(30);
    expect(performance.now() - began).toBeLessThan(15_000);
    for (const socket of [unused, idle]) {
      socket.resume();
      await eventually(() => socket.closed).toBe(true);
    }
  });
});
