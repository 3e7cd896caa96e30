/** Versions, changelogs, the bill of materials and the figures of a release, without building one. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { publishedFigures } from '../../scripts/release/figures.ts';
import { billOfMaterials } from '../../scripts/release/sbom.ts';
import { currentVersion, cutChangelog, releaseNotes, versionEdits } from '../../scripts/release/version.ts';
import { productionPackages } from '../../scripts/production-packages.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (file: string): string => readFileSync(join(root, file), 'utf8');

describe('a new version', () => {
  const current = currentVersion(root);
  const edits = versionEdits(root, '7.8.9', '2026-11-19');
  const edited = (file: string): string => edits.get(file) ?? '';

  test('is in all manifests, also where packages need each other', () => {
    const manifests = [...edits.keys()].filter((file) => file.endsWith('/package.json'));
    expect(manifests).toHaveLength(6);
    for (const file of manifests) {
      const { version, dependencies = {} } = JSON.parse(edited(file)) as {
        version: string;
        dependencies?: Record<string, string>;
      };
      expect(version).toBe('7.8.9');
      for (const [name, range] of Object.entries(dependencies))
        if (name.startsWith('@docyard/')) expect(range).toBe('7.8.9');
    }
  });

  test('is in the charts, in the changelogs, and wherever an image or package is named', () => {
    expect(edited('deploy/helm/docyard/Chart.yaml')).toMatch(
      /^version: 7\.8\.9$[^]*^appVersion: '7\.8\.9'$/m,
    );
    expect(edited('CHANGELOG.md')).toContain('## [7.8.9] - 2026-11-19');
    expect(edited('docs/changelog.mdx')).toContain('<Update label="7.8.9" description="2026-11-19">');
    expect(edited('deploy/compose.yaml')).toContain('docyard:7.8.9}');
    expect(edited('deploy/github-action/export.sh')).toContain('docyard@7.8.9');
    for (const file of edits.keys()) {
      if (/changelog/i.test(file) || file === 'package-lock.json') continue;
      expect(edited(file), file).not.toMatch(
        new RegExp(`docyard[\\w-]*[@:-]${current.replaceAll('.', '\\.')}`),
      );
    }
  });

  test('changes nothing in the lockfile but the workspaces', () => {
    type Lock = { packages: Record<string, { version: string }> };
    const [before, after] = [read('package-lock.json'), edited('package-lock.json')].map(
      (text) => (JSON.parse(text) as Lock).packages,
    );
    const changed = Object.keys(after ?? {}).filter(
      (path) => JSON.stringify(after?.[path]) !== JSON.stringify(before?.[path]),
    );
    expect(changed).toHaveLength(6);
    expect(changed.every((path) => path.startsWith('packages/'))).toBe(true);
  });

  test('has to be a version', () => {
    expect(() => versionEdits(root, 'v2', '2026-11-19')).toThrow(
      'The version v2 is invalid. Use the form 1.2.3 or 1.2.3-beta.1.',
    );
  });

  test('needs an unreleased section, which becomes its notes', () => {
    const text =
      '# Changelog\n\n## [0.2.0] - unreleased\n\n### Added\n\n- A.\n\n## [0.1.0] - 2026-01-01\n\n- B.\n';
    const cut = cutChangelog(text, '0.2.0', '2026-11-19');
    expect(releaseNotes(cut, '0.2.0')).toBe('### Added\n\n- A.\n');
    expect(() => cutChangelog(cut, '0.3.0', '2026-11-20')).toThrow('CHANGELOG.md has no unreleased section.');
    expect(() => releaseNotes(cut, '0.3.0')).toThrow('CHANGELOG.md has no section for 0.3.0. Add one.');
  });
});

describe('the bill of materials', () => {
  const text = billOfMaterials(root, '7.8.9', 1_700_000_000);
  const bom = JSON.parse(text) as {
    serialNumber: string;
    components: { 'bom-ref': string; hashes?: { content: string }[] }[];
    dependencies: { ref: string; dependsOn: string[] }[];
  };
  const references = new Set(bom.components.map((each) => each['bom-ref']));

  test('is the same every time, and another for another version', () => {
    expect(billOfMaterials(root, '7.8.9', 1_700_000_000)).toBe(text);
    const other = JSON.parse(billOfMaterials(root, '8.0.0', 1_700_000_000)) as typeof bom;
    expect(other.serialNumber).not.toBe(bom.serialNumber);
    expect(bom.serialNumber).toMatch(/^urn:uuid:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  });

  test('lists every package of the lockfile once, those of npm with a hash', () => {
    const expected = new Set(
      [...productionPackages().values()].map(({ name, version }) => `${name}@${version}`),
    );
    expect(references.size).toBe(bom.components.length);
    expect(references.size).toBe(expected.size - 1);
    const withoutHash = bom.components.filter(({ hashes }) => hashes?.[0]?.content.length !== 128);
    expect(withoutHash.every((each) => each['bom-ref'].startsWith('pkg:npm/%40docyard/'))).toBe(true);
  });

  test('refers only to packages that it lists', () => {
    const unknown = bom.dependencies
      .flatMap(({ dependsOn }) => dependsOn)
      .filter((each) => !references.has(each));
    expect(unknown).toEqual([]);
  });
});

describe('npm run release', () => {
  const release = (...args: string[]) =>
    spawnSync(process.execPath, [join(root, 'scripts/release/main.ts'), ...args], { encoding: 'utf8' });

  test('describes its options', () => {
    const { status, stdout } = release('--help');
    expect(status).toBe(0);
    for (const option of ['--dry-run', '--kit', '--platform', '--out', '--key', '--no-image', '--figures'])
      expect(stdout).toContain(option);
  });

  test('refuses a kit for an unknown system', () => {
    expect(release('--kit', '--platform', 'plan9')).toMatchObject({
      status: 1,
      stderr:
        'npm run release: There is no kit for plan9. Use --platform linux-x64 or linux-arm64 or darwin-arm64.\n',
    });
  });
});

test('the workflow audits, builds twice, and publishes the packages in the order in which they need each other', () => {
  interface Workflow {
    on: { push: { tags: string[] } };
    jobs: Record<string, { needs?: string; steps: { run?: string }[] }>;
  }
  const { on, jobs } = parse(read('.github/workflows/release.yml')) as Workflow;
  expect(on.push.tags).toEqual(['v*']);
  expect(Object.entries(jobs).map(([name, { needs }]) => [name, needs])).toEqual([
    ['build', undefined],
    ['reproduce', 'build'],
    ['publish', 'reproduce'],
  ]);
  const commands = (job: string) => jobs[job]?.steps.map((step) => step.run ?? '').join('\n') ?? '';
  expect(commands('build')).toMatch(/npm audit[^]*npm test[^]*npm run release/);
  expect(commands('reproduce')).toMatch(/npm run release[^]*diff/);
  const published = /for name in (.*); do\n\s*npm publish/.exec(commands('publish'))?.[1]?.split(' ') ?? [];
  const known = new Set<string>();
  for (const name of published.map((each) => each.replace(/^-/, '').replace("''", 'server'))) {
    const { dependencies = {} } = JSON.parse(read(`packages/${name}/package.json`)) as {
      dependencies?: Record<string, string>;
    };
    const own = Object.keys(dependencies).filter((each) => each.startsWith('@docyard/'));
    expect(own.filter((each) => !known.has(each))).toEqual([]);
    known.add(`@docyard/${name}`);
  }
  expect(known.size).toBe(6);
});

test('the manual shows the stored sizes and times', () => {
  const { file, content } = publishedFigures(root);
  expect(readFileSync(file, 'utf8')).toBe(content);
});

const shellcheckMissing = spawnSync('shellcheck', ['--version']).error !== undefined;
if (shellcheckMissing) console.warn('Skipped: verify.sh is not checked: shellcheck is not installed.');

test.skipIf(shellcheckMissing)('shellcheck accepts the script that verifies a kit', () => {
  const { stdout } = spawnSync('shellcheck', [join(root, 'scripts/release/verify.sh')], { encoding: 'utf8' });
  expect(stdout).toBe('');
});
