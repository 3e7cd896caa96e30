/** Makes the base image that the Dockerfile names, from Debian's packages and the Node of npm, without a registry of images. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { readDockerfile, root } from '../deploy/dockerfile.ts';
import { environment, folder, run, succeed } from './podman.ts';

const nodeImage = readDockerfile()
  .find(({ name, text }) => name === 'ARG' && text.startsWith('NODE_IMAGE='))
  ?.text.slice('NODE_IMAGE='.length);

const [, version = '', suite = ''] = /^node:([\d.]+)-(\w+)-slim$/.exec(nodeImage ?? '') ?? [];

/** Returns its name. */
export async function makeBaseImage(): Promise<string> {
  const name = `localhost/${nodeImage}`;
  if ((await run('podman', ['image', 'exists', name])).status === 0) return name;
  const files = join(folder, 'base');
  rmSync(files, { recursive: true, force: true });
  await makeDebian(files, []);
  await addNode(files);
  await importImage(files, name);
  rmSync(files, { recursive: true, force: true });
  return name;
}

/** With the packages that are named, and without what slim images lack: documents and translations. */
export async function makeDebian(files: string, packages: readonly string[]): Promise<void> {
  const excluded = ['doc', 'info', 'locale', 'man'].map(
    (name) => `--dpkgopt=path-exclude=/usr/share/${name}/*`,
  );
  const options = ['--mode=root', '--variant=minbase', '--aptopt=APT::Install-Recommends "false"'];
  const included = packages.length === 0 ? [] : [`--include=${packages.join(',')}`];
  await succeed('mmdebstrap', [...options, ...excluded, ...included, suite, files]);
}

async function addNode(files: string): Promise<void> {
  const own = join(root, `node_modules/node-linux-${process.arch}/bin/node`);
  cpSync(own, join(files, 'usr/local/bin/node'));
  const found = await succeed('chroot', [files, '/usr/local/bin/node', '--version']);
  if (found !== `v${version}`)
    throw new Error(`The Dockerfile names Node ${version}, and ${own} is ${found}.`);
  const options = ['--global', '--no-audit', '--no-fund', '--loglevel=error'];
  await succeed('npm', ['install', ...options, '--prefix', join(files, 'usr/local'), 'npm@11']);
}

export async function importImage(
  files: string,
  name: string,
  changes: readonly string[] = [],
): Promise<void> {
  const archive = spawn('tar', ['-C', files, '-c', '.'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const args = ['import', '--quiet', ...changes.flatMap((change) => ['--change', change]), '-', name];
  const importing = spawn('podman', args, { env: environment, stdio: [archive.stdout, 'ignore', 'inherit'] });
  const [status] = (await once(importing, 'exit')) as [number | null];
  if (status !== 0) throw new Error(`podman import ended with ${status}.`);
}

/** Why no container starts on this machine, or undefined. */
export async function findStartObstacle(image: string): Promise<string | undefined> {
  const { status, stderr } = await run('podman', ['run', '--rm', '--network=host', image, 'true']);
  return status === 0 ? undefined : `no container starts here: ${stderr.trim().split('\n').at(-1)}`;
}
