/** Runs podman with storage and settings of its own, so that containers of the machine are neither seen nor changed. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../deploy/dockerfile.ts';

export const folder = join(root, '.cache/image');

const programs = ['podman', 'buildah', 'podman-compose', 'crun', 'iptables', 'mmdebstrap', 'openssl'];
const packages = [...programs, 'netavark', 'aardvark-dns'];

const insideVariable = 'DOCYARD_IMAGE_NAMESPACE';

/**
 * Starts the program again in a mount namespace of its own and returns its status; undefined inside of it. crun refuses a
 * machine that has both versions of cgroups, so the second one is unmounted there.
 */
export function enterNamespace(): number | undefined {
  if (process.env[insideVariable] !== undefined) return undefined;
  const script = 'umount /sys/fs/cgroup/unified 2>/dev/null; exec "$@"';
  const command = ['--mount', 'sh', '-c', script, 'sh', process.execPath, ...process.argv.slice(1)];
  const env = { ...process.env, [insideVariable]: 'on' };
  return spawnSync('unshare', command, { stdio: 'inherit', env }).status ?? 1;
}

/** Installs what is missing. Returns why containers cannot be used here, or undefined. */
export function findObstacle(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    return 'containers are started by root on Linux only';
  const missing = programs.filter((name) => spawnSync('which', [name]).status !== 0);
  if (missing.length === 0) return undefined;
  if (spawnSync('which', ['apt-get']).status !== 0) return `${missing.join(', ')} not installed`;
  console.log(`Installing ${missing.join(', ')} …`);
  spawnSync('apt-get', ['update', '-qq'], { stdio: 'inherit' });
  const install = ['install', '-y', '-qq', '--no-install-recommends', ...packages];
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const { status } = spawnSync('apt-get', install, { stdio: ['ignore', 'ignore', 'inherit'], env });
  return status === 0 ? undefined : `${missing.join(', ')} cannot be installed`;
}

export const temporaryFiles = join(folder, 'tmp');
const settingsFile = join(folder, 'containers.conf');
const storageFile = join(folder, 'storage.conf');

/** Without cgroups, because not every machine lets them be created; containers here need no limits. */
const settings = `[containers]
cgroups = "disabled"
default_ulimits = ["nofile=1024:1024", "nproc=4096:4096"]
log_driver = "k8s-file"
[engine]
runtime = "crun"
cgroup_manager = "cgroupfs"
events_logger = "file"
`;

const storage = `[storage]
driver = "overlay"
graphroot = "${folder}/storage"
runroot = "${folder}/run"
`;

export function writeSettings(): void {
  mkdirSync(temporaryFiles, { recursive: true });
  writeFileSync(settingsFile, settings);
  writeFileSync(storageFile, storage);
}

export const environment: NodeJS.ProcessEnv = {
  ...process.env,
  CONTAINERS_CONF: settingsFile,
  CONTAINERS_STORAGE_CONF: storageFile,
  TMPDIR: temporaryFiles,
};

export interface Ended {
  status: number | null;
  stdout: string;
  stderr: string;
}

export interface RunOptions {
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  onOutput?: (text: string) => void;
}

/** Does not block, because servers of this process answer the program. */
export function run(command: string, args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  const { cwd = root, env = environment, onOutput } = options;
  const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended: Ended = { status: null, stdout: '', stderr: '' };
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      ended.stdout += text;
      onOutput?.(text);
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      ended.stderr += text;
      onOutput?.(text);
    });
    child.once('close', (status) => resolve({ ...ended, status }));
  });
}

/** Returns the standard output. */
export async function succeed(
  command: string,
  args: readonly string[],
  options?: RunOptions,
): Promise<string> {
  const { status, stdout, stderr } = await run(command, args, options);
  if (status === 0) return stdout.trim();
  const output = `${stdout}\n${stderr}`.split('\n').slice(-40).join('\n');
  throw new Error(`${command} ${args.join(' ')} ended with ${status}:\n${output}`);
}

export const podman = (...args: string[]): Promise<string> => succeed('podman', args);

export async function imageMegabytes(image: string): Promise<number> {
  return Number(await podman('image', 'inspect', '--format', '{{.Size}}', image)) / 1e6;
}

/** Containers of a killed run are removed too, although podman reports that their network is gone with its namespace. */
export async function removeContainers(): Promise<void> {
  if (existsSync(storageFile)) await run('podman', ['rm', '--all', '--force', '--depend', '--time', '0']);
}
