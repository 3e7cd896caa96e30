/** `npm run release`: builds everything that a version consists of, reproducibly, from the last commit. */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { packFolder, signChecksums, writeChecksums } from './archive.ts';
import { writeFigures, type StepFigures } from './figures.ts';
import { kitPlatforms, makeKit, type KitPlatform } from './kit.ts';
import { billOfMaterials } from './sbom.ts';
import { currentVersion, releaseNotes, versionEdits } from './version.ts';
import { applyEdits, copyCommit, git, type WorkingCopy } from './working-copy.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

const help = `Builds a release from the last commit into a folder. Publishes nothing.

  npm run release -- 1.2.0             set the version, commit and tag it, then build it
  npm run release -- 1.2.0 --dry-run   the same in a copy; the repository stays unchanged
  npm run release                      build the version of the last commit, as the release workflow does

Options:
  --dry-run          change, commit and tag nothing
  --kit              add the kit for networks without internet access
  --platform <name>  platform of the kit: ${Object.keys(kitPlatforms).join(', ')}; repeatable (default: this machine)
  --out <folder>     output folder; it is emptied first (default: .cache/release)
  --key <file>       secret key of minisign that signs the checksums
  --no-image         do not build the container image
  --figures          write the sizes and times to the manual
  --help             show help
`;

interface Release extends WorkingCopy {
  version: string;
  out: string;
  key: string | undefined;
}

interface Step {
  name: string;
  /** Why it cannot run. */
  missing?: string | undefined;
  run(): void | Promise<void>;
}

process.exitCode = await main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(`npm run release: ${(error as Error).message}`);
  return 1;
});

async function main(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      'dry-run': { type: 'boolean', default: false },
      kit: { type: 'boolean', default: false },
      platform: { type: 'string', multiple: true },
      out: { type: 'string', default: join(root, '.cache/release') },
      key: { type: 'string' },
      'no-image': { type: 'boolean', default: false },
      figures: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help || positionals.length > 1) {
    process.stdout.write(help);
    return values.help ? 0 : 2;
  }
  const platforms = (values.platform ?? [`${process.platform}-${process.arch}`]).map(kitPlatform);
  const [version] = positionals;
  if (version !== undefined && !values['dry-run']) commitVersion(version);
  const copy = copyCommit(root);
  try {
    if (version !== undefined && values['dry-run']) {
      const day = new Date(copy.epoch * 1000).toISOString().slice(0, 10);
      applyEdits(copy.folder, versionEdits(copy.folder, version, day));
    }
    const out = resolve(values.out);
    rmSync(out, { recursive: true, force: true });
    mkdirSync(out, { recursive: true });
    const key = values.key === undefined ? undefined : resolve(values.key);
    const release = { ...copy, version: currentVersion(copy.folder), out, key };
    console.log(`Docyard ${release.version}, commit ${git(root, 'rev-parse', '--short', 'HEAD')}`);
    const steps = stepsOf(release, values.kit ? platforms : [], { hasImage: !values['no-image'] });
    const figures = await runSteps(steps, out);
    if (values.figures) writeFigures(root, figures);
    console.log(`\nThe release is in ${out}.${values['dry-run'] ? ' The repository is unchanged.' : ''}`);
    return 0;
  } finally {
    copy.remove();
  }
}

function kitPlatform(name: string): KitPlatform {
  if (name in kitPlatforms) return name as KitPlatform;
  throw new Error(`There is no kit for ${name}. Use --platform ${Object.keys(kitPlatforms).join(' or ')}.`);
}

function commitVersion(version: string): void {
  if (git(root, 'status', '--porcelain') !== '')
    throw new Error('The working tree has changes. Commit or remove them, or add --dry-run.');
  if (git(root, 'tag', '--list', `v${version}`) !== '')
    throw new Error(`The tag v${version} exists. Choose a new version.`);
  const edits = versionEdits(root, version, new Date().toISOString().slice(0, 10));
  applyEdits(root, edits);
  git(root, 'add', ...edits.keys());
  git(root, 'commit', '--quiet', '--message', `release: set the version ${version}`);
  git(root, 'tag', '--annotate', `v${version}`, '--message', `Docyard ${version}`);
}

function stepsOf(release: Release, platforms: KitPlatform[], { hasImage }: { hasImage: boolean }): Step[] {
  const { folder, out, version, epoch, key } = release;
  // `info` also fails for a client whose engine does not run.
  const engine = ['docker', 'podman', 'buildah'].find((name) => spawnSync(name, ['info']).status === 0);
  const image = hasImage
    ? engine === undefined
      ? 'no container engine runs here'
      : undefined
    : '--no-image';
  return [
    { name: 'packages', run: () => packPackages(folder, out) },
    { name: 'charts', run: () => packCharts(release) },
    { name: 'image', missing: image, run: () => buildImage(engine ?? '', release) },
    {
      name: 'bill of materials and notes',
      run() {
        writeFileSync(join(out, 'sbom.cdx.json'), billOfMaterials(folder, version, epoch));
        const changelog = readFileSync(join(folder, 'CHANGELOG.md'), 'utf8');
        writeFileSync(join(out, 'RELEASE-NOTES.md'), releaseNotes(changelog, version));
      },
    },
    ...platforms.map((platform) => ({
      name: `kit for ${platform}`,
      run: () => makeKit({ source: folder, out, version, platform, epoch, key }),
    })),
    { name: 'checksums', run: () => writeChecksums(out) },
    {
      name: 'signature',
      missing: key === undefined ? 'no --key' : undefined,
      run: () => signChecksums(out, key ?? '', `docyard-${version}`),
    },
  ];
}

async function runSteps(steps: readonly Step[], out: string): Promise<StepFigures[]> {
  const figures = [];
  for (const [index, { name, missing, run }] of steps.entries()) {
    console.log(`\n── ${index + 1}/${steps.length} ${name}`);
    if (missing !== undefined) {
      console.log(`   Skipped: ${missing}.`);
      continue;
    }
    const before = new Set(readdirSync(out));
    const started = performance.now();
    await run();
    const seconds = (performance.now() - started) / 1000;
    const files = readdirSync(out).filter((file) => !before.has(file));
    const bytes = files.reduce((sum, file) => sum + statSync(join(out, file)).size, 0);
    for (const file of files.toSorted()) console.log(`   ${file}`);
    console.log(`   ${(bytes / 1e6).toFixed(1)} MB, ${seconds.toFixed(1)} s`);
    figures.push({ name, seconds, files: files.length, bytes });
  }
  return figures;
}

function packPackages(folder: string, out: string): void {
  execFileSync(process.execPath, [join(folder, 'scripts/pack.ts'), out], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, NODE_NO_WARNINGS: '1' },
  });
}

/** npm names its packages in the same way, so the name of a chart starts with `chart-`. */
function packCharts({ folder, out, version, epoch }: Release): void {
  const charts = join(folder, 'deploy/helm');
  for (const name of readdirSync(charts).toSorted())
    packFolder(join(charts, name), join(out, `chart-${name}-${version}.tgz`), epoch);
}

function buildImage(engine: string, { folder, out, version, epoch }: Release): void {
  const name = `docyard:${version}`;
  const context = join(folder, '../image');
  cpSync(folder, context, { recursive: true, filter: (path) => !path.endsWith('/docyard/node_modules') });
  const args = ['--build-arg', `SOURCE_DATE_EPOCH=${epoch}`, '-f', join(context, 'deploy/Dockerfile')];
  execFileSync(engine, ['build', ...args, '-t', name, context], { stdio: 'inherit' });
  const archive = join(out, `image-docyard-${version}.tar`);
  const save =
    engine === 'buildah' ? ['push', name, `docker-archive:${archive}`] : ['save', '-o', archive, name];
  execFileSync(engine, save, { stdio: 'inherit' });
  execFileSync('gzip', ['-n', archive]);
}
