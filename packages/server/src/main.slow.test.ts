/** Runs the real binary: its help, hints, JSON and exit statuses. */
import { spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Manifest } from '@docyard/api';
import { beforeAll, describe, expect, test } from 'vitest';
import { setUpFirstRun } from './first-run.ts';
import { authenticate } from './keys/authenticate.ts';
import {
  composeForTest,
  temporaryFolder,
  writeFiles,
  type TestContext,
} from '../test/support/test-context.ts';
import { version } from './version.ts';

const binary = fileURLToPath(new URL('../bin/docyard.js', import.meta.url));

function docyard(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [binary, ...args], {
    cwd: temporaryFolder('cwd'),
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

function json(...args: string[]): unknown {
  const { status, stdout, stderr } = docyard(...args, '--json');
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return JSON.parse(stdout) as unknown;
}

let context: TestContext;
let data: string[];

beforeAll(async () => {
  context = await composeForTest();
  await setUpFirstRun(context, { sample: false, adminKeyFile: undefined });
  data = ['--data', context.config.dataDir];
});

/** cli/texts.isolated.test.ts covers the texts of all commands and of invalid calls. */
describe('the program', () => {
  test('prints its version with --version', () => {
    expect(docyard('--version')).toEqual({ status: 0, stdout: `${version}\n`, stderr: '' });
  });

  test('prints how to start without a command', () => {
    const { status, stdout, stderr } = docyard();
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toContain('docyard check ./docs');
  });

  test('exits with status 2 and a hint after an invalid call', () => {
    const { status, stdout, stderr } = docyard('sevre');
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain('Did you mean serve?');
  });

  test('exits without an error message when its output pipe is closed', () => {
    const { stderr } = spawnSync('bash', ['-c', `"${process.execPath}" "${binary}" --help | head -n 1`], {
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
  });
});

describe('one sentence and an exit status are printed for', () => {
  test('a folder without data', () => {
    const folder = temporaryFolder();
    expect(docyard('keys', 'list', '--data', folder)).toEqual({
      status: 1,
      stdout: '',
      stderr: `docyard: ${folder} contains no Docyard data. Start the service once, or pass the data folder with --data.\n`,
    });
    expect(readdirSync(folder)).toEqual([]);
  });

  test('an invalid setting', () => {
    const { status, stderr } = docyard('serve', '--port', '99999999');
    expect(status).toBe(2);
    expect(stderr).toContain('--port 99999999: must be at most 65535.');
  });

  test('an unknown key, project or organization', () => {
    expect(docyard('keys', 'revoke', 'key_none', ...data).stderr).toContain('There is no such API key.');
    expect(docyard('projects', 'delete', 'pr_none', ...data).stderr).toContain('There is no such project.');
    expect(docyard('keys', 'list', '--org', 'org_none', ...data).stderr).toContain(
      'Organization not found: org_none.',
    );
    expect(docyard('orgs', 'plan', 'org_none', 'pro', ...data)).toMatchObject({ status: 4 });
  });
});

describe('keys, projects and organizations', () => {
  test('a key is created, listed, rolled and revoked', async () => {
    interface Key {
      id: string;
      key?: string;
      scopes: string[];
      allowedAddresses: string[];
      revokedAt: string | null;
      expiresAt: string | null;
    }
    const created = json(
      ...'keys create --name CI --scope exports:read exports:write --expires none'.split(' '),
      '--address',
      '203.0.113.0/24',
      ...data,
    ) as Key;
    expect(created).toMatchObject({
      scopes: ['exports:read', 'exports:write'],
      allowedAddresses: ['203.0.113.0/24'],
      expiresAt: null,
    });
    expect(await authenticate(context, created.key ?? '')).toMatchObject({ key: { id: created.id } });
    const rolled = json('keys', 'roll', created.id, '--overlap', '0', ...data) as Key & {
      rolledFrom: string;
    };
    expect(rolled.rolledFrom).toBe(created.id);
    expect(docyard('keys', 'revoke', rolled.id, ...data)).toMatchObject({
      status: 0,
      stdout: `${rolled.id} is revoked.\n`,
    });
    const listed = json('keys', 'list', ...data) as Key[];
    expect(listed.find(({ id }) => id === rolled.id)?.revokedAt).not.toBeNull();
    expect(JSON.stringify(listed)).not.toContain(created.key);
    const table = docyard('keys', 'list', ...data).stdout;
    expect(table).toContain('revoked');
    expect(table).not.toContain(created.key);
  });

  test('a project is created, changed and deleted, and its folder may be a relative path', () => {
    interface Project {
      id: string;
      name: string;
      source: { repository: string; ref: string | null; directory: string | null };
    }
    const args = ['--name', 'Docs', '--domain', 'cli.example.com', '--directory', 'docs'];
    const created = json('projects', 'create', ...args, '--repository', './site', ...data) as Project;
    expect(created.source).toMatchObject({ directory: 'docs', ref: null });
    expect(created.source.repository).toMatch(/^\/.*\/site$/);
    const changed = json('projects', 'update', created.id, '--name', 'Handbook', ...data) as Project;
    expect(changed).toMatchObject({ name: 'Handbook', source: created.source });
    expect(json('projects', 'list', ...data) as Project[]).toEqual([changed]);
    expect(docyard('projects', 'delete', created.id, ...data).stdout).toContain(
      `Deleted ${created.id} and 0 jobs.`,
    );
    expect(docyard('projects', 'list', ...data).stdout).toBe('None.\n');
  });

  test('an organization is created and its plan changed; with several, one must be named', async () => {
    interface Organization {
      id: string;
      plan: string;
      localSources: boolean;
    }
    const own = await composeForTest();
    await setUpFirstRun(own, { sample: false, adminKeyFile: undefined });
    const there = ['--data', own.config.dataDir];
    const [created] = json(
      'orgs',
      'create',
      '--name',
      'Second',
      '--local-sources',
      ...there,
    ) as Organization[];
    expect(created).toMatchObject({ plan: 'free', localSources: true });
    const id = created?.id ?? '';
    expect(json('orgs', 'plan', id, 'enterprise', ...there) as Organization[]).toMatchObject([
      { id, plan: 'enterprise' },
    ]);
    expect(json('orgs', 'list', ...there) as Organization[]).toHaveLength(2);
    const ambiguous = docyard('keys', 'list', ...there);
    expect(ambiguous.status).toBe(2);
    expect(ambiguous.stderr).toContain('Choose one with --org: ');
    expect(ambiguous.stderr).toContain(id);
    expect(json('keys', 'list', '--org', id, ...there) as unknown[]).toEqual([]);
  });
});

describe('docyard build', () => {
  function site(): string {
    const folder = temporaryFolder('site');
    writeFiles(folder, {
      'docs.json': JSON.stringify({
        theme: 'mint',
        name: 'Site',
        colors: { primary: '#0f766e' },
        navigation: { groups: [{ group: 'Guides', pages: ['index', 'second'] }] },
      }),
      'index.mdx': '---\ntitle: Home\n---\n\nHello, see [second](/second).\n',
      'second.mdx': '---\ntitle: Second\n---\n\nText.\n',
    });
    return folder;
  }

  test('prints only the figures with --json', () => {
    const out = join(temporaryFolder(), 'out');
    const summary = json('build', site(), '--out', out) as Record<string, number>;
    expect(Object.keys(summary)).toEqual(['pages', 'warnings', 'errors', 'files', 'bytes', 'seconds']);
    expect(summary).toMatchObject({ pages: 2, errors: 0 });
    const files = readdirSync(out, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );
    expect(summary['files']).toBe(files.filter(({ name }) => name !== '.docyard-build').length);
    expect(readFileSync(join(out, 'index.html'), 'utf8')).toContain('Hello');
    expect(existsSync(`${out}.docyard-draft`)).toBe(false);
  });

  test('writes a manifest.json with the hash of every other file', () => {
    const out = join(temporaryFolder(), 'out');
    const summary = json('build', site(), '--out', out) as Record<string, number>;
    const manifest = Manifest.parse(JSON.parse(readFileSync(join(out, 'manifest.json'), 'utf8')));
    expect(manifest.files).toHaveLength((summary['files'] ?? 0) - 1);
    for (const { path, sha256, sizeBytes } of manifest.files) {
      const bytes = readFileSync(join(out, path));
      expect([path, hash('sha256', bytes), bytes.length]).toEqual([path, sha256, sizeBytes]);
    }
  });

  test('exits with status 7 for a failing finding and still writes the files', () => {
    const [folder, out] = [site(), join(temporaryFolder(), 'out')];
    writeFiles(folder, { 'second.mdx': '[home](/#nowhere)\n' });
    const run = (...args: string[]) => docyard('build', folder, '--out', out, ...args);
    expect(run().status).toBe(0);
    expect(run('--fail-on', 'error').status).toBe(0);
    const { status, stdout } = run('--strict');
    expect(status).toBe(7);
    expect(stdout).toContain('The link "/#nowhere" names an id that is not on the page "index"');
    expect(readFileSync(join(out, 'report.json'), 'utf8')).toContain('broken_anchor');
    expect(readFileSync(join(out, 'report.html'), 'utf8')).toContain('broken_anchor');
  });

  test('replaces an earlier build and refuses a folder with other files without --force', () => {
    const [folder, out] = [site(), join(temporaryFolder(), 'out')];
    json('build', folder, '--out', out);
    json('build', folder, '--out', out);
    const foreign = join(temporaryFolder(), 'home');
    mkdirSync(foreign);
    writeFileSync(join(foreign, 'precious.txt'), 'kept');
    const refused = docyard('build', folder, '--out', foreign);
    expect(refused.status).toBe(1);
    expect(refused.stderr).toBe(
      `docyard: The folder ${foreign} contains other files. Choose another --out, or pass --force to replace it.\n`,
    );
    expect(readdirSync(foreign)).toEqual(['precious.txt']);
    json('build', folder, '--out', foreign, '--force');
    expect(existsSync(join(foreign, 'index.html'))).toBe(true);
  });

  test('rejects a folder that is missing or contains no site and writes nothing', () => {
    const out = join(temporaryFolder(), 'out');
    for (const folder of [join(temporaryFolder(), 'missing'), temporaryFolder('empty')]) {
      const { status, stderr, stdout } = docyard('build', folder, '--out', out);
      expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
      expect(stderr).toMatch(/^docyard: .+/);
      expect(stderr).not.toContain('    at ');
      expect(existsSync(out)).toBe(false);
    }
  });
});

describe('the launcher on an older Node', () => {
  /** The installed Node, if it is too old to run TypeScript. */
  const path = (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => !folder.includes('node_modules'))
    .join(delimiter);
  const found = spawnSync('node', ['--version'], { env: { PATH: path }, encoding: 'utf8' });
  const [, major, minor] = /^v(\d+)\.(\d+)/.exec(found.stdout ?? '') ?? [];
  const older = major !== undefined && (Number(major) < 22 || (Number(major) === 22 && Number(minor) < 18));
  if (!older)
    console.log(
      `Skipped: no Node older than 22.18 on this machine (found ${found.stdout?.trim() || 'none'}).`,
    );

  test.runIf(older)('continues with the Node 24 of the packages and returns its exit status', () => {
    const run = (...args: string[]) =>
      spawnSync('node', [binary, ...args], { env: { PATH: path }, encoding: 'utf8' });
    expect(run('--version')).toMatchObject({ status: 0, stdout: `${version}\n` });
    expect(run('nothing').status).toBe(2);
    expect(run('keys', 'list', '--data', temporaryFolder()).status).toBe(1);
  });
});
