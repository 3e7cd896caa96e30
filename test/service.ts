/** Starts `docyard serve` as a child process with a data folder on a free port. Nothing of the server is imported. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DocyardClient } from '@docyard/api';
import { endWithTest, temporaryFolder } from './temporary-resources.ts';
import { freshDatabase } from './postgres.ts';

export { temporaryFolder } from './temporary-resources.ts';

export const program = fileURLToPath(new URL('../packages/server/bin/docyard.js', import.meta.url));

const crashingProgram = fileURLToPath(
  new URL('../packages/server/test/support/crashing-service.ts', import.meta.url),
);

export interface Service {
  origin: string;
  key: string;
  client: DocyardClient;
  dataDir: string;
  pid: number;
  /** A request with the admin key; `init.headers` are added to it. */
  request(path: string, init?: RequestInit): Promise<Response>;
  /** Sends SIGTERM and waits. */
  stop(): Promise<number | null>;
  /** Sends SIGKILL. */
  kill(): Promise<void>;
}

export interface ServiceOptions {
  port?: number;
  /** A worker has no key. */
  role?: 'api' | 'worker';
  dataDir?: string;
  environment?: Record<string, string>;
  sample?: boolean;
  /** The default is `warn`. */
  logLevel?: 'trace' | 'info';
  /** Where the program and its children run. */
  workingFolder?: string;
  /** The path of another `docyard.js`, such as one of an earlier version. */
  program?: string | undefined;
  /** Kills the process after this step of an agent job (`runSteps`). */
  crashAfter?: string;
  /** Called before the process is ready. */
  onSpawn?: (child: ChildProcess) => void;
  onLog?: (text: string) => void;
}

/** No limits unless a test sets them. */
const openLimits = {
  LIMIT_READS_PER_MINUTE: '1000000',
  LIMIT_WRITES_PER_MINUTE: '1000000',
  LIMIT_EXPORT_STARTS_PER_HOUR: '1000000',
  LIMIT_AGENT_INSTRUCTIONS_PER_HOUR: '1000000',
};

export async function startService(options: ServiceOptions = {}): Promise<Service> {
  const dataDir = options.dataDir ?? temporaryFolder('data');
  const keyFile = join(dataDir, 'admin-key');
  const args = [
    'serve',
    '--port',
    String(options.port ?? 0),
    '--data',
    dataDir,
    '--admin-key-file',
    keyFile,
    '--log-level',
    options.logLevel ?? 'warn',
  ];
  if (options.sample === false) args.push('--no-sample');
  if (options.role !== undefined) args.push('--role', options.role);
  const started =
    options.crashAfter === undefined ? [options.program ?? program] : ['--no-warnings', crashingProgram];
  const child = spawn(process.execPath, [...started, ...args], {
    env: {
      ...process.env,
      ...openLimits,
      ...(await databaseFor(dataDir)),
      ...options.environment,
      ...(options.crashAfter === undefined ? {} : { CRASH_AFTER: options.crashAfter }),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(options.workingFolder === undefined ? {} : { cwd: options.workingFolder }),
  });
  endWithTest(child);
  options.onSpawn?.(child);
  child.stderr?.on('data', (text: Buffer | string) => options.onLog?.(String(text)));
  const origin = await readOrigin(child);
  const key = options.role === 'worker' ? '' : (await readFile(keyFile, 'utf8')).trim();
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  return {
    origin,
    key,
    client: new DocyardClient({ baseUrl: origin, apiKey: key }),
    dataDir,
    pid: child.pid ?? 0,
    request: (path, init = {}) =>
      fetch(origin + path, {
        redirect: 'manual',
        ...init,
        headers: { authorization: `Bearer ${key}`, ...(init.headers as Record<string, string>) },
      }),
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

const databases = new Map<string, string>();

/** With TEST_DATABASE=postgres each data folder has a PostgreSQL database. */
async function databaseFor(dataDir: string): Promise<Record<string, string>> {
  if (process.env['TEST_DATABASE'] === 'postgres' && !databases.has(dataDir))
    databases.set(dataDir, await freshDatabase());
  return databaseOf(dataDir);
}

/** The environment of a command that uses the database of this data folder. */
export function databaseOf(dataDir: string): { DATABASE_URL?: string } {
  const url = databases.get(dataDir);
  return url === undefined ? {} : { DATABASE_URL: url };
}

async function readOrigin(child: ChildProcess): Promise<string> {
  let output = '';
  let complaint = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(-10_000);
  });
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`docyard ended with ${code}: ${complaint}`)));
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      const [, origin] = /running at (\S+)/.exec(output) ?? [];
      if (origin !== undefined) resolve(origin.replace('localhost', '127.0.0.1'));
    });
  });
}

/** Returns the folder of a git repository with these files in one commit. */
export function gitRepository(files: Record<string, string> | { copyOf: string }): string {
  const folder = temporaryFolder('repository');
  if ('copyOf' in files && typeof files['copyOf'] === 'string')
    cpSync(files['copyOf'], folder, { recursive: true });
  else writeFiles(folder, files);
  git(folder, 'init', '--quiet', '--initial-branch=main');
  commitAll(folder, 'First');
  return folder;
}

export function commitAll(folder: string, message: string): string {
  git(folder, 'add', '--all');
  git(
    folder,
    '-c',
    'user.name=Test',
    '-c',
    'user.email=test@example.com',
    'commit',
    '--quiet',
    '-m',
    message,
  );
  return git(folder, 'rev-parse', 'HEAD').trim();
}

export function git(folder: string, ...args: string[]): string {
  const ended = spawnSync('git', args, { cwd: folder, encoding: 'utf8' });
  if (ended.status !== 0) throw new Error(`git ${args.join(' ')}: ${ended.stderr}`);
  return ended.stdout;
}

export function writeFiles(folder: string, files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

export function siteFiles(pages: number): Record<string, string> {
  const names = Array.from({ length: pages }, (_, index) => (index === 0 ? 'index' : `guides/page-${index}`));
  const docs = {
    theme: 'mint',
    name: 'Test site',
    colors: { primary: '#0f766e' },
    navigation: { groups: [{ group: 'Guides', pages: names }] },
  };
  return {
    'docs.json': JSON.stringify(docs, null, 2),
    ...Object.fromEntries(
      names.map((name, index) => [
        `${name}.mdx`,
        `---\ntitle: Page ${index}\n---\n\n## First part\n\nText of page ${index}, see [home](/index).\n\n\`\`\`js\nconst page = ${index};\n\`\`\`\n`,
      ]),
    ),
  };
}
