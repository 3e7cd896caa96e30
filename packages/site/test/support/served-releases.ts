/** Releases, a real server and a low-level client for tests of serving. */
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createConnection, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { cleanUp } from '../../../../test/cleanups.ts';
import { temporaryFolder } from '../../../../test/temporary-resources.ts';
import { precompress } from '../../src/serving/compressed-files.ts';
import { SiteServer, type SiteServerOptions } from '../../src/serving/site-server.ts';
import type { Gate } from '../../src/serving/gate.ts';
import { HostedSite, type HostedSiteOptions } from '../../src/serving/hosted-site.ts';
import { openSite, type ReleaseFiles, type ServedSite } from '../../src/serving/served-site.ts';
import type { SiteStatus } from '../../src/serving/status-response.ts';

export type Files = Record<string, string | Uint8Array>;

let releases = 0;

/** A release on disk as an installation leaves it. */
export async function makeRelease(
  files: Files,
  { isCompressed = true }: { isCompressed?: boolean } = {},
): Promise<ReleaseFiles> {
  const folder = temporaryFolder('release');
  const siteFolder = join(folder, 'site');
  const entries = Object.entries(files).map(([path, content]) => {
    const file = join(siteFolder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
    const bytes = Buffer.from(content);
    return { path, sizeBytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
  });
  releases += 1;
  const release: ReleaseFiles = {
    id: `r${releases}`,
    siteFolder,
    compressedFolder: join(folder, 'compressed'),
    manifest: { files: entries },
  };
  if (isCompressed) await precompress(release);
  return release;
}

export async function makeSite(files: Files): Promise<ServedSite> {
  return openSite(await makeRelease(files));
}

export function statusOf(status: Partial<SiteStatus> = {}): SiteStatus {
  return { release: null, lastRefresh: null, refreshes: {}, refusals: {}, ...status };
}

export interface TestServer {
  server: SiteServer;
  hosted: HostedSite;
  port: number;
  statusPort: number;
  /** Uses a new connection. */
  get(target: string, headers?: Record<string, string>): Promise<Answer>;
  ask(request: string): Promise<Answer>;
  connect(): Promise<Client>;
}

export async function startServer(
  site: ServedSite | undefined,
  { gate, ...options }: Partial<SiteServerOptions & HostedSiteOptions & { gate: Gate }> = {},
): Promise<TestServer> {
  const hosted = new HostedSite({ status: () => statusOf(), ...options });
  if (gate !== undefined) hosted.protect(gate);
  const server = new SiteServer({ host: '127.0.0.1', port: 0, sites: [hosted], ...options });
  if (site !== undefined) hosted.activate(site);
  const { port, statusPort = 0 } = await server.listen();
  cleanUp(() => server.close(0));
  const connect = () => connectTo(port);
  const ask = async (request: string): Promise<Answer> => {
    const client = await connect();
    try {
      return await client.ask(request);
    } finally {
      client.close();
    }
  };
  return {
    server,
    hosted,
    port,
    statusPort,
    connect,
    ask,
    get: (target, headers) => ask(requestFor(target, headers)),
  };
}

/** A generous timeout for a busy machine. */
export function eventually<T>(look: () => T) {
  return expect.poll(look, { timeout: 30_000, interval: 20 });
}

export function requestFor(target: string, headers: Record<string, string> = {}, method = 'GET'): string {
  const lines = Object.entries({ Host: 'docs.example.com', ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return `${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`;
}

export interface Answer {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
  text: string;
}

export interface Client {
  socket: Socket;
  isClosed(): boolean;
  /** Bytes that are not part of a response yet. */
  received(): Buffer;
  /** Sends a request and waits for the response. */
  ask(request: string): Promise<Answer>;
  next(method?: string): Promise<Answer>;
  close(): void;
}

export async function connectTo(port: number): Promise<Client> {
  const socket = createConnection({ port, host: '127.0.0.1' });
  let chunks: Buffer[] = [];
  let bytes = 0;
  /** Parsing makes no sense before this many bytes. */
  let wantedBytes = 0;
  let isClosed = false;
  let look = (): void => {};
  const received = (): Buffer => {
    chunks = [Buffer.concat(chunks)];
    return chunks[0] ?? Buffer.alloc(0);
  };
  socket.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= wantedBytes) look();
  });
  socket.on('error', () => {});
  socket.once('close', () => {
    isClosed = true;
    look();
  });
  await new Promise<void>((resolve) => socket.once('connect', resolve));
  cleanUp(() => void socket.destroy());
  const next = (method = 'GET'): Promise<Answer> =>
    new Promise((resolve, reject) => {
      look = () => {
        const all = received();
        const taken = takeAnswer(all, method);
        if (typeof taken === 'object') {
          chunks = [Buffer.from(taken.rest)];
          bytes = taken.rest.length;
          wantedBytes = 0;
          resolve(taken.answer);
        } else if (isClosed) {
          const start = all.toString('latin1', 0, 300);
          reject(new Error(`The connection was closed after ${bytes} bytes: ${JSON.stringify(start)}.`));
        } else wantedBytes = taken;
      };
      look();
    });
  return {
    socket,
    isClosed: () => isClosed,
    received,
    next,
    ask: (request) => {
      socket.write(request, 'latin1');
      return next(request.slice(0, request.indexOf(' ')));
    },
    close: () => void socket.destroy(),
  };
}

/** Returns the minimum number of bytes when the response is incomplete. */
function takeAnswer(bytes: Buffer, method: string): { answer: Answer; rest: Buffer } | number {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd < 0) return 0;
  const [line = '', ...lines] = bytes.toString('latin1', 0, headEnd).split('\r\n');
  const headers = Object.fromEntries(
    lines.map((each) => {
      const colon = each.indexOf(':');
      return [each.slice(0, colon).toLowerCase(), each.slice(colon + 1).trim()];
    }),
  );
  const status = Number(line.split(' ')[1]);
  const isBare = method === 'HEAD' || status === 304 || status === 204;
  const end = headEnd + 4 + (isBare ? 0 : Number(headers['content-length']));
  if (bytes.length < end) return end;
  const body = bytes.subarray(headEnd + 4, end);
  return { answer: { status, headers, body, text: body.toString() }, rest: bytes.subarray(end) };
}
