/** Installs the dependencies of the service for both processors, and compares the files that depend on one. */
import { deepStrictEqual, ok } from 'node:assert/strict';
import { cpSync, globSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { copiesOf, filesOf, readDockerfile, root } from '../deploy/dockerfile.ts';
import { temporaryFolder } from '../temporary-resources.ts';
import { succeed } from './podman.ts';

const platforms = ['x64', 'arm64'] as const;

/** Returns the native files of one platform; the other has the same ones, with its own name in them. */
export async function checkPlatforms(): Promise<string[]> {
  const lists: string[][] = [];
  for (const platform of platforms) {
    const folder = temporaryFolder(`image-${platform}`);
    copyManifests(folder);
    const target = ['--os=linux', `--cpu=${platform}`, '--libc=glibc'];
    const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
    await succeed('npm', ['ci', '--omit=dev', ...target, ...quiet], { cwd: folder });
    lists.push(nativeFiles(join(folder, 'node_modules'), platform));
  }
  const [own = [], other = []] = lists;
  ok(own.length > 0, 'No native dependency was found.');
  deepStrictEqual(other, own);
  return own;
}

/** The files that the first stage copies before it installs. */
function copyManifests(folder: string): void {
  const manifests = copiesOf(readDockerfile()).filter(({ sources }) =>
    sources.every((source) => /package(-lock)?\.json$|\/bin$/.test(source)),
  );
  for (const { from, to } of manifests.flatMap(filesOf)) {
    mkdirSync(dirname(join(folder, to)), { recursive: true });
    cpSync(join(root, from), join(folder, to));
  }
}

/** Native modules and programs in packages of a platform, with PLATFORM for its name. */
function nativeFiles(modules: string, platform: string): string[] {
  return globSync(['**/*.node', '**/*{x64,arm64}*/**/bin/*'], { cwd: modules })
    .map((file) => file.replaceAll(platform, 'PLATFORM'))
    .toSorted();
}
