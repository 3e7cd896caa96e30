/** Starts the real `docyard site` for a test, and creates bundles without a renderer. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { closeSync, existsSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Archive } from '../../packages/bundle/src/archive.ts';
import { manifestBytes } from '../../packages/bundle/src/manifest.ts';
import { sign, type SigningKey } from '../../packages/bundle/src/signature.ts';
import { endWithTest, temporaryFolder } from '../temporary-resources.ts';
import { program } from '../service.ts';

export interface Site {
  origin: string;
  dataDir: string;
  pid: number;
  log(): string;
  /** The settings under `staticExport`, applied without a restart. */
  configure(staticExport: object): void;
  readiness(): Promise<Readiness>;
  text(path: string): Promise<string>;
  stop(): Promise<number | null>;
  kill(): Promise<void>;
}

export interface Readiness {
  status: string;
  release: { id: string; version: string | null } | null;
  lastRefresh: { outcome: string; detail?: string } | null;
  refreshes: Record<string, number>;
  refusals: Record<string, number>;
}

export interface SiteOptions {
  dataDir?: string;
  staticExport?: object;
  environment?: Record<string, string>;
  onSpawn?: (child: ChildProcess) => void;
  /** Started instead of `docyard site`, with the settings file and the data folder. */
  crashingProgram?: string;
}

export async function startSite(options: SiteOptions = {}): Promise<Site> {
  const dataDir = options.dataDir ?? temporaryFolder('site');
  const file = join(temporaryFolder('settings'), 'site.json');
  const configure = (staticExport: object) => writeFileSync(file, JSON.stringify({ staticExport }));
  configure(options.staticExport ?? {});
  const args =
    options.crashingProgram === undefined
      ? [program, 'site', '--config', file, '--data', dataDir, '--port', '0', '--log-level', 'debug']
      : ['--no-warnings', options.crashingProgram, file, dataDir];
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...options.environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  endWithTest(child);
  options.onSpawn?.(child);
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (log += text));
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const origin = await new Promise<string>((resolve, reject) => {
    let output = '';
    child.once('exit', (code) => reject(new Error(`docyard site ended with ${code}: ${log}`)));
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const [, found] = /served at (\S+)/.exec((output += text)) ?? [];
      if (found !== undefined) resolve(found.replace('localhost', '127.0.0.1'));
    });
  });
  return {
    origin,
    dataDir,
    pid: child.pid ?? 0,
    log: () => log,
    configure,
    readiness: async () => (await (await fetch(`${origin}/readyz`)).json()) as Readiness,
    text: async (path) => (await fetch(origin + path)).text(),
    async stop() {
      child.kill('SIGTERM');
      return ended;
    },
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

export interface Run {
  status: number | null;
  stdout: string;
  stderr: string;
}

export function docyard(args: readonly string[], { prefix = [] as string[] } = {}): Run {
  const [command = '', ...rest] = [...prefix, process.execPath, program, ...args];
  const { status, stdout, stderr } = spawnSync(command, rest, {
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1' },
  });
  return { status, stdout, stderr };
}

type Content = Record<string, string | Uint8Array>;

/** A small site whose pages name their release. */
export function siteOf(name: string, pages = 3): Content {
  const page = (title: string) =>
    `<!doctype html><html lang="en"><title>${title}</title><p>release ${name}</p>${'<p>filler</p>'.repeat(50)}</html>`;
  return {
    'index.html': page('Home'),
    '404.html': page('Not found'),
    'assets/site.css': `/* release ${name} */ ${'p{color:#123}'.repeat(50)}`,
    ...Object.fromEntries(
      Array.from({ length: pages }, (_, n) => [`guides/page-${n}.html`, page(`Page ${n}`)]),
    ),
  };
}

export interface BundleFacts {
  version?: string | null;
  commit?: string | null;
  committedAt?: string | null;
  key?: SigningKey;
}

export async function bundle(files: Content, facts: BundleFacts = {}): Promise<Buffer> {
  const { version = null, commit = null, committedAt = null, key } = facts;
  const list = Object.entries(files).map(([path, content]) => ({
    path,
    sizeBytes: Buffer.byteLength(content),
    sha256: createHash('sha256').update(content).digest('hex'),
  }));
  const manifest = manifestBytes({
    engineVersion: '1.0.0',
    version,
    commit,
    committedAt,
    pages: 3,
    files: list,
  });
  const signature = key === undefined ? {} : { 'manifest.json.minisig': sign(key, manifest, 'test') };
  return pack({ 'manifest.json': manifest, ...signature, ...files });
}

async function pack(entries: Record<string, string | Uint8Array>): Promise<Buffer> {
  const folder = temporaryFolder('bundle');
  const archive = new Archive(join(folder, 'spool'));
  for (const [path, content] of Object.entries(entries)) archive.add(path, Buffer.from(content));
  const file = join(folder, 'bundle.tar.gz');
  const output = openSync(file, 'w');
  await archive.pack(output);
  closeSync(output);
  archive.close();
  return readFileSync(file);
}

/** Complete releases, and files that should not remain when the process is idle. */
export function contentOf(dataDir: string): { releases: string[]; leftovers: string[] } {
  const releases = readdirSync(join(dataDir, 'releases'));
  const staging = readdirSync(join(dataDir, 'staging')).flatMap((name) =>
    readdirSync(join(dataDir, 'staging', name)).map((entry) => `${name}/${entry}`),
  );
  const broken = releases.filter((id) => !existsSync(join(dataDir, 'releases', id, 'release.json')));
  const expected = /\/(lock|status\.json)$/;
  return { releases, leftovers: [...broken, ...staging.filter((entry) => !expected.test(entry))] };
}
