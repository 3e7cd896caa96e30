/**
 * Builds the content of the image without Docker: runs the steps of the first stage of deploy/Dockerfile in a folder, and
 * starts the program in bubblewrap with a read-only root as user 10001.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { temporaryFolder } from '../service.ts';
import { copiesOf, filesOf, readDockerfile, root } from './dockerfile.ts';
import { visit, type VisitFigures } from './smoke-check.ts';

export interface ImageFigures extends VisitFigures {
  buildSeconds: number;
  /** From the start of `docyard site` to a served site. */
  siteReadyMs: number;
  /** By entry of /app. */
  sizesMegabytes: Record<string, number>;
}

const instructions = readDockerfile();

export async function checkImage(): Promise<ImageFigures> {
  const app = temporaryFolder('image');
  const started = performance.now();
  build(app);
  const buildSeconds = (performance.now() - started) / 1000;
  const figures = await run(app, temporaryFolder('image-data'));
  const siteReadyMs = await runSite(app, temporaryFolder('image-site'));
  return { buildSeconds, siteReadyMs, sizesMegabytes: sizesOf(app), ...figures };
}

/** In the order of the file, because steps depend on earlier ones. */
function build(app: string): void {
  const copies = copiesOf(instructions);
  for (const { name, text, stage } of instructions) {
    if (stage !== 0) continue;
    if (name === 'COPY') {
      for (const { from, to } of filesOf(copies.shift() ?? { sources: [], target: '' })) {
        mkdirSync(dirname(join(app, to)), { recursive: true });
        cpSync(join(root, from), join(app, to));
      }
    }
    if (name === 'RUN') {
      const command = text.replaceAll(/--mount=\S+ /g, '');
      console.log(`  RUN ${command}`);
      const npmCache = join(homedir(), '.npm');
      mkdirSync(npmCache, { recursive: true });
      const walls = [
        container(),
        ['--bind', app, '/app', '--bind', npmCache, npmCache, '--chdir', '/app'],
        // The base image has no git.
        ['--ro-bind', '/dev/null', '/usr/bin/git'],
      ].flat();
      const ended = spawnSync('bwrap', [...walls, '--', 'sh', '-ec', command], { encoding: 'utf8' });
      if (ended.status !== 0) throw new Error(`${command}\n${ended.stdout}${ended.stderr}`);
    }
  }
}

async function run(app: string, data: string): Promise<VisitFigures> {
  const command = ['serve', '--admin-key-file', '/data/admin-key'];
  return visit(start(app, data, command), data, () => checkHealth());
}

/** Runs `docyard site` with a bundle that the image has exported. */
async function runSite(app: string, data: string): Promise<number> {
  const exporting = start(app, data, ['export', '/app/packages/server/sample', '--output', '/data/b.tar.gz']);
  const [status] = (await once(exporting, 'exit')) as [number | null];
  if (status !== 0) throw new Error(`docyard export ended with ${status}.`);
  const started = performance.now();
  const site = start(app, data, ['site'], { STATIC_EXPORT_BUNDLE_URL: '/data/b.tar.gz' });
  const ended = once(site, 'exit');
  while (!(await isReady())) {
    if (site.exitCode !== null) throw new Error(`docyard site ended with ${site.exitCode}.`);
    await pause(20);
  }
  const readyMs = performance.now() - started;
  checkHealth();
  site.kill('SIGTERM');
  await ended;
  return readyMs;
}

async function isReady(): Promise<boolean> {
  const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
  await answer?.body?.cancel();
  return answer?.ok === true;
}

const port = String(20_000 + (process.pid % 20_000));

function start(app: string, data: string, args: string[], more: Record<string, string> = {}): ChildProcess {
  const ofImage = instructions
    .filter(({ name }) => name === 'ENV')
    .flatMap(({ text }) => text.split(' ').map((pair) => pair.split('=')))
    .map(([name = '', value = '']) => [name, value]);
  const variables = [...ofImage, ...Object.entries({ ...more, PORT: port })];
  const walls = [
    container(),
    ['--ro-bind', app, '/app', '--bind', data, '/data', '--chdir', '/data', '--remount-ro', '/'],
    ['--unshare-user', '--uid', '10001', '--gid', '10001', '--cap-drop', 'ALL', '--die-with-parent'],
    ...variables.map(([name = '', value = '']) => ['--setenv', name, value]),
  ].flat();
  const command = ['/app/packages/server/bin/docyard.js', ...args];
  return spawn('bwrap', [...walls, '--', process.execPath, ...command]);
}

/** The health check of the container. */
function checkHealth(): void {
  const text = instructions.find(({ name }) => name === 'HEALTHCHECK')?.text ?? '';
  const [, ...args] = JSON.parse(text.slice(text.indexOf('['))) as string[];
  const ended = spawnSync(process.execPath, args, { env: { PORT: port } });
  if (ended.status !== 0) throw new Error(`The health check fails: ${String(ended.stderr)}`);
}

/** The machine is readable except for the paths of the image. */
function container(): string[] {
  const own = new Set(['app', 'data', 'tmp', 'proc', 'dev']);
  const shown = readdirSync('/', { withFileTypes: true })
    .filter((entry) => !own.has(entry.name) && (entry.isDirectory() || entry.isSymbolicLink()))
    .flatMap(({ name }) => ['--ro-bind-try', `/${name}`, `/${name}`]);
  return [...shown, '--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp'];
}

function sizesOf(app: string): Record<string, number> {
  const sizes = readdirSync(app).map((name) => [name, bytesOf(join(app, name)) / 1e6]);
  return Object.fromEntries(sizes) as Record<string, number>;
}

function bytesOf(path: string): number {
  const { size } = statSync(path);
  if (!statSync(path).isDirectory()) return size;
  return readdirSync(path, { withFileTypes: true })
    .filter((entry) => !entry.isSymbolicLink())
    .reduce((sum, entry) => sum + bytesOf(join(path, entry.name)), 0);
}
