/**
 * Measures pages per second and latency of one `docyard site` process, relative to one nginx worker with the same files: with
 * the configuration from the bundle, and with a minimal one.
 */
import { fork, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { freePort } from '../test/free-port.ts';
import { program, temporaryFolder } from '../test/service.ts';
import { floors } from './floors.ts';
import { writeCorpus } from './corpus.ts';
import type { Readings, ToReaders } from './file-readers.ts';
import { median, percentile, rounded, verdict, type Measurement, type Verdict } from './measurement.ts';
import { cpuSecondsOf, watchMemory } from './process-tree.ts';

const rounds = 5;
const warmUpMs = 500;
const measureMs = 3000;
const connections = 64;
const pagesAskedFor = 200;
/** The rate of all readers together when they pause between requests. */
const pacedPerSecond = 5000;

interface Target {
  name: string;
  port: number;
  pid: number;
  /** Of a signed-in reader. */
  cookie?: string | undefined;
  stop(): void;
}

type Kind = 'pages' | 'unchanged pages';
const kinds: readonly Kind[] = ['pages', 'unchanged pages'];

interface Figures {
  perSecond: number;
  p50: number;
  p99: number;
  pacedP99: number;
  cpuMicroseconds: number;
  errors: number;
}

export const staticServing: Measurement = {
  name: 'static-serving',
  about: 'pages per second and their latency from `docyard site`, relative to nginx with the same files',
  async run(report, { pages = 1000 }) {
    report(`a site of ${pages} pages`);
    const folder = join(temporaryFolder('served'), 'site');
    await buildSite(folder, pages);
    const paths = pagesOf(folder);
    const { targets, notes } = await startTargets(folder, report);
    const readers = startReaders();
    const memory = new Map(targets.map((target) => [target, watchMemory(target.pid)]));
    const measured = new Map<string, Figures[]>();
    try {
      for (const kind of kinds) {
        for (let round = 0; round < rounds; round += 1) {
          // Rotates the order, so that no target benefits from its position.
          for (let turn = 0; turn < targets.length; turn += 1) {
            const target = targets[(round + turn) % targets.length] as Target;
            report(`${kind}, round ${round + 1} of ${rounds}: ${target.name}`);
            const key = `${kind} ${target.name}`;
            const figures = await measure(readers, target, await requestsFor(kind, target, paths));
            measured.set(key, [...(measured.get(key) ?? []), figures]);
          }
        }
      }
    } finally {
      readers.stop();
      for (const target of targets) target.stop();
    }
    const peaks = new Map([...memory].map(([target, end]) => [target, Math.round(end() / 1e6)]));
    const rowsOf = (kind: Kind) => {
      const of = (target: Target) => medians(measured.get(`${kind} ${target.name}`) ?? []);
      const [own] = targets;
      return targets.map((target) => row(kind, target, of(target), own && of(own), peaks.get(target) ?? 0));
    };
    return {
      columns: [
        'asked for',
        'served by',
        'requests/s',
        'p50 ms',
        'p99 ms',
        `p99 ms at ${pacedPerSecond}/s`,
        'CPU µs a request',
        'peak memory MB',
        'errors',
        'docyard: requests/s',
        'docyard: p99',
      ],
      rows: kinds.flatMap(rowsOf),
      notes: [
        `One process each, ${connections} kept-alive connections, ${paths.length} pages in turn, gzip of the same bytes for all; medians of ${rounds} interleaved rounds of ${measureMs / 1000} s. First every reader asks again as soon as it has its answer, then all together ask ${pacedPerSecond} times a second. The readers share the cores with the servers. The last two columns are the figure of docyard divided by that of the row. The private site verifies a session cookie and serves the files of an audience.`,
        ...notes,
      ],
      verdicts: [verdictOf(targets, measured)],
    };
  },
};

/** Compares with the nginx that sends the same headers; the minimal one is in the table. */
function verdictOf(targets: readonly Target[], measured: ReadonlyMap<string, readonly Figures[]>): Verdict {
  const [own, nginx] = targets.map(({ name }) => medians(measured.get(`pages ${name}`) ?? []).perSecond);
  const ratio = (own ?? 0) / (nginx ?? Number.NaN);
  return verdict(
    'Static serving of a bundle, relative to nginx',
    `≥ ${floors.timesNginx} ×`,
    nginx === undefined ? 'not measured' : `${rounded(ratio, 2)} ×`,
    nginx === undefined ? undefined : ratio >= floors.timesNginx,
  );
}

async function buildSite(folder: string, pages: number): Promise<void> {
  const corpus = temporaryFolder('corpus');
  writeCorpus(corpus, pages);
  const { status, stderr } = spawnSync(process.execPath, [program, 'build', corpus, '--out', folder], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`docyard build failed: ${stderr}`);
}

/** Without print documents, which are large. */
function pagesOf(folder: string): string[] {
  return htmlFiles(folder)
    .filter((path) => path.includes('/') && !/^(?:print|_docyard)\//.test(path))
    .toSorted()
    .slice(0, pagesAskedFor);
}

function htmlFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.html'))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
}

async function startTargets(folder: string, report: (progress: string) => void) {
  const own = await startOwn(folder);
  const targets: Target[] = [own.target];
  const notes = [`Compressing everything took docyard ${rounded(own.precompressSeconds)} s at the start.`];
  if (spawnSync('nginx', ['-v'], { env: environment }).status === 0) {
    report('nginx');
    const root = copyWithGzip(folder);
    const bundled = `include ${root}/_hosts/nginx.conf;`;
    targets.push(await startNginx('nginx, with the configuration of the bundle', root, bundled));
    targets.push(await startNginx('nginx, bare', root, 'types { text/html html; }'));
  } else {
    notes.push('Skipped nginx: it is not installed (Debian package: nginx).');
  }
  targets.push((await startOwn(folder, { isPrivate: true })).target);
  return { targets, notes };
}

async function startOwn(
  folder: string,
  { isPrivate = false } = {},
): Promise<{ target: Target; precompressSeconds: number }> {
  const script = fileURLToPath(new URL('site-process.ts', import.meta.url));
  const child = fork(script, [folder, temporaryFolder('compressed'), ...(isPrivate ? ['private'] : [])]);
  const [{ precompressSeconds, ...started }] = await firstMessage<{
    port: number;
    cookie?: string;
    precompressSeconds: number;
  }>(child);
  const name = isPrivate ? 'docyard site, private, to a member of a group' : 'docyard site';
  const stop = () => void child.kill();
  return { target: { ...started, name, pid: child.pid ?? 0, stop }, precompressSeconds };
}

/** `gzip_static` needs a compressed file beside each page. */
function copyWithGzip(folder: string): string {
  const root = join(temporaryFolder('nginx-root'), 'site');
  cpSync(folder, root, { recursive: true });
  for (const path of htmlFiles(root)) {
    const file = join(root, path);
    writeFileSync(`${file}.gz`, gzipSync(readFileSync(file), { level: 6 }));
  }
  return root;
}

const environment = { PATH: `${process.env['PATH'] ?? ''}:/usr/sbin:/usr/local/sbin` };

async function startNginx(name: string, root: string, inServer: string): Promise<Target> {
  const folder = temporaryFolder('nginx');
  const port = await freePort();
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const file = join(folder, 'nginx.conf');
  writeFileSync(
    file,
    `daemon off; master_process off; worker_processes 1; pid ${folder}/pid; error_log stderr error;
events { worker_connections 1024; }
http { access_log off; sendfile on; tcp_nopush on; gzip_static on; keepalive_requests 1000000000;
open_file_cache max=10000 inactive=10m; open_file_cache_valid 10m;
${temporary.map((each) => `${each}_temp_path ${folder}/${each};`).join('\n')}
server { listen 127.0.0.1:${port}; root ${root}; ${inServer} } }\n`,
  );
  const child = spawn('nginx', ['-p', folder, '-c', file, '-e', 'stderr'], {
    env: environment,
    stdio: 'inherit',
  });
  process.once('exit', () => child.kill());
  while (!(await answers(port))) {
    if (child.exitCode !== null) throw new Error(`nginx ended with ${child.exitCode}.`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return { name, port, pid: child.pid ?? 0, stop: () => void child.kill() };
}

function answers(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/`).then(
    (answer) => answer.ok,
    () => false,
  );
}

async function requestsFor(
  kind: Kind,
  { port, cookie }: Target,
  paths: readonly string[],
): Promise<string[]> {
  const session = cookie === undefined ? '' : `Cookie: ${cookie}\r\n`;
  const headers = `Host: docs.example.com\r\nAccept-Encoding: gzip\r\nUser-Agent: bench\r\nAccept: text/html\r\n${session}`;
  const plain = (path: string) => `GET /${path} HTTP/1.1\r\n${headers}`;
  if (kind === 'pages') return paths.map((path) => `${plain(path)}\r\n`);
  const requests = [];
  for (const path of paths) {
    const known = await fetch(`http://127.0.0.1:${port}/${path}`, {
      headers: { 'accept-encoding': 'gzip', ...(cookie === undefined ? {} : { cookie }) },
    });
    await known.arrayBuffer();
    requests.push(`${plain(path)}If-None-Match: ${known.headers.get('etag')}\r\n\r\n`);
  }
  return requests;
}

async function measure(readers: Readers, target: Target, requests: string[]): Promise<Figures> {
  await readers.ask({ type: 'connect', port: target.port, requests, connections });
  const read = (forMs: number, everyMs: number) =>
    readers.ask({ type: 'read', forMs, everyMs }) as Promise<Readings>;
  await read(warmUpMs, 0);
  const cpuBefore = cpuSecondsOf(target.pid);
  const fast = await read(measureMs, 0);
  const cpuSeconds = cpuSecondsOf(target.pid) - cpuBefore;
  const paced = await read(measureMs, (connections / pacedPerSecond) * 1000);
  await readers.ask({ type: 'disconnect' });
  return {
    perSecond: fast.latencies.length / fast.seconds,
    p50: percentile(fast.latencies, 0.5),
    p99: percentile(fast.latencies, 0.99),
    pacedP99: percentile(paced.latencies, 0.99),
    cpuMicroseconds: (cpuSeconds * 1e6) / fast.latencies.length,
    errors: fast.errors + paced.errors,
  };
}

function medians(figures: readonly Figures[]): Figures {
  const middle = (name: keyof Figures) => median(figures.map((each) => each[name]));
  return {
    perSecond: middle('perSecond'),
    p50: middle('p50'),
    p99: middle('p99'),
    pacedP99: middle('pacedP99'),
    cpuMicroseconds: middle('cpuMicroseconds'),
    errors: figures.reduce((sum, { errors }) => sum + errors, 0),
  };
}

function row(
  kind: Kind,
  target: Target,
  figures: Figures,
  own: Figures | undefined,
  memoryMegabytes: number,
) {
  return [
    kind,
    target.name,
    Math.round(figures.perSecond),
    rounded(figures.p50, 2),
    rounded(figures.p99, 2),
    rounded(figures.pacedP99, 2),
    rounded(figures.cpuMicroseconds),
    memoryMegabytes,
    figures.errors,
    rounded((own?.perSecond ?? 0) / figures.perSecond, 2),
    rounded((own?.p99 ?? 0) / figures.p99, 2),
  ];
}

interface Readers {
  ask(message: ToReaders): Promise<unknown>;
  stop(): void;
}

function startReaders(): Readers {
  const script = fileURLToPath(new URL('file-readers.ts', import.meta.url));
  const child = fork(script, [], { serialization: 'advanced' });
  return {
    async ask(message) {
      const answered = firstMessage<unknown>(child);
      child.send(message);
      const [answer] = await answered;
      return answer;
    },
    stop: () => void child.kill(),
  };
}

async function firstMessage<T>(child: ChildProcess): Promise<[T]> {
  const ended = new AbortController();
  const failed = once(child, 'exit', { signal: ended.signal }).then(([code]) => {
    throw new Error(`${child.spawnargs.join(' ')} ended with ${String(code)}.`);
  });
  try {
    return (await Promise.race([once(child, 'message', { signal: ended.signal }), failed])) as [T];
  } finally {
    failed.catch(() => {});
    ended.abort();
  }
}
