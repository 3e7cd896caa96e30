/** The edits that give the repository a version: manifests, lockfile, charts, the places that name a release, the changelogs. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Manifest {
  version: string;
  dependencies?: Record<string, string>;
}

const semver = /^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$/;

/** Files in which an image, a package or a tarball is named with its version. */
const naming = [
  'deploy/compose.yaml',
  'deploy/github-action/export.sh',
  'deploy/gitlab-component/templates/export.yml',
  'docs/operate/docker.mdx',
  'docs/reference/client.mdx',
];

const changelog = 'CHANGELOG.md';
const manualChangelog = 'docs/changelog.mdx';

export function currentVersion(root: string): string {
  return (JSON.parse(readFileSync(join(root, 'packages/server/package.json'), 'utf8')) as Manifest).version;
}

/** Returns the new contents by path. `day` has the form 2026-11-19. */
export function versionEdits(root: string, version: string, day: string): Map<string, string> {
  if (!semver.test(version))
    throw new Error(`The version ${version} is invalid. Use the form 1.2.3 or 1.2.3-beta.1.`);
  const current = currentVersion(root);
  const read = (file: string): string => readFileSync(join(root, file), 'utf8');
  const manifests = globSync('packages/*/package.json', { cwd: root }).toSorted();
  const charts = globSync('deploy/helm/*/Chart.yaml', { cwd: root }).toSorted();
  return new Map<string, string>([
    ...manifests.map((file) => [file, ofManifest(read(file), version)] as const),
    ['package-lock.json', ofLockfile(read('package-lock.json'), version)],
    ...charts.map((file) => [file, ofChart(read(file), version)] as const),
    ...naming.map((file) => [file, renamed(read(file), current, version)] as const),
    [changelog, cutChangelog(read(changelog), version, day)],
    [manualChangelog, cutManualChangelog(read(manualChangelog), version, day)],
  ]);
}

function ofManifest(text: string, version: string): string {
  const manifest = JSON.parse(text) as Manifest;
  return `${JSON.stringify(withVersion(manifest, version), null, 2)}\n`;
}

function ofLockfile(text: string, version: string): string {
  const lock = JSON.parse(text) as { packages: Record<string, Manifest> };
  for (const [path, entry] of Object.entries(lock.packages))
    if (/^packages\/[^/]+$/.test(path)) lock.packages[path] = withVersion(entry, version);
  return `${JSON.stringify(lock, null, 2)}\n`;
}

/** Packages of one release need exactly each other. */
function withVersion(manifest: Manifest, version: string): Manifest {
  if (manifest.dependencies === undefined) return { ...manifest, version };
  const dependencies = Object.entries(manifest.dependencies).map(([name, range]) => [
    name,
    name.startsWith('@docyard/') ? version : range,
  ]);
  return { ...manifest, version, dependencies: Object.fromEntries(dependencies) as Record<string, string> };
}

function ofChart(text: string, version: string): string {
  return text
    .replace(/^version: .*$/m, `version: ${version}`)
    .replace(/^appVersion: .*$/m, `appVersion: '${version}'`);
}

function renamed(text: string, from: string, to: string): string {
  const escaped = from.replaceAll('.', String.raw`\.`);
  return text.replaceAll(
    new RegExp(`(docyard(?:-(?:api|site))?[:@-])${escaped}(?![\\w.-]*\\d)`, 'g'),
    `$1${to}`,
  );
}

const unreleasedHeading = /^## \[[^\]]+\] - unreleased$/m;

export function cutChangelog(text: string, version: string, day: string): string {
  if (!unreleasedHeading.test(text)) throw new Error(nothingToRelease(changelog));
  return text.replace(unreleasedHeading, `## [${version}] - ${day}`);
}

const unreleasedUpdate = /<Update label="[^"]+" description="Unreleased">/;

function cutManualChangelog(text: string, version: string, day: string): string {
  if (!unreleasedUpdate.test(text)) throw new Error(nothingToRelease(manualChangelog));
  return text.replace(unreleasedUpdate, `<Update label="${version}" description="${day}">`);
}

function nothingToRelease(file: string): string {
  return `${file} has no unreleased section. Describe the changes of the version in one, then run the command again.`;
}

/** The section of a version, without its heading. */
export function releaseNotes(text: string, version: string): string {
  const [, ...sections] = text.split(/^## \[/m);
  const section = sections.find((each) => each.startsWith(`${version}]`));
  if (section === undefined) throw new Error(`${changelog} has no section for ${version}. Add one.`);
  return `${section.slice(section.indexOf('\n')).trim()}\n`;
}
