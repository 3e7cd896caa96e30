/**
 * Builds a release with its kit twice and compares every byte, then installs from the kit in a network namespace that has only
 * loopback. It needs the npm registry or a filled npm cache.
 */
import { spawnSync } from 'node:child_process';
import { appendFileSync, cpSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { kitPlatforms } from '../../scripts/release/kit.ts';
import { inNamespace } from '../offline/connection-trace.ts';
import { temporaryFolder } from '../temporary-resources.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = temporaryFolder('release');
const platform = `${process.platform}-${process.arch}`;
const version = '7.8.9';
const keys = { public: join(folder, 'docyard.pub'), secret: join(folder, 'docyard.key') };
const kit = join(folder, `docyard-${version}-${platform}`);

function missingTool(): string | undefined {
  if (!(platform in kitPlatforms)) return `there is no kit for ${platform}`;
  if (spawnSync('minisign', ['-v']).error !== undefined) return 'minisign is not installed';
  const [command = '', ...args] = inNamespace(['true']);
  return spawnSync(command, args).status === 0 ? undefined : 'unshare cannot make a network namespace';
}

const reason = missingTool();
if (reason !== undefined) console.warn(`Skipped: releases are not built: ${reason}.`);

function run(command: string, args: string[], environment: Record<string, string> = {}) {
  const env = { ...process.env, ...environment };
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', env, maxBuffer: 64e6 });
  return { status, stdout, stderr };
}

function build(name: string): string {
  const out = join(folder, name);
  const options = ['--dry-run', '--kit', '--no-image', '--key', keys.secret, '--out', out];
  const built = run(process.execPath, [join(root, 'scripts/release/main.ts'), version, ...options]);
  if (built.status !== 0) throw new Error(`${built.stdout}${built.stderr}`);
  return out;
}

describe.skipIf(reason !== undefined)('a release', () => {
  let first: string;
  let second: string;

  beforeAll(() => {
    run('minisign', ['-G', '-W', '-p', keys.public, '-s', keys.secret]);
    const before = run('git', ['-C', root, 'status', '--porcelain']).stdout;
    first = build('first');
    second = build('second');
    expect(run('git', ['-C', root, 'status', '--porcelain']).stdout).toBe(before);
    run('tar', ['-xzf', join(first, `docyard-${version}-${platform}-air-gap.tar.gz`), '-C', folder]);
  }, 1_800_000);

  test('consists of the packages, the charts, the kit, the notes and what verifies them', () => {
    const packages = ['', '-api', '-bundle', '-dashboard', '-render', '-site'];
    expect(readdirSync(first).toSorted()).toEqual(
      [
        ...packages.map((name) => `docyard${name}-${version}.tgz`),
        `chart-docyard-${version}.tgz`,
        `chart-docyard-site-${version}.tgz`,
        `docyard-${version}-${platform}-air-gap.tar.gz`,
        'RELEASE-NOTES.md',
        'SHA256SUMS',
        'SHA256SUMS.minisig',
        'sbom.cdx.json',
      ].toSorted(),
    );
  });

  test('has the same bytes every time, with its signature', () => {
    const sums = (out: string) => readFileSync(join(out, 'SHA256SUMS'), 'utf8').split('\n');
    expect(sums(second)).toEqual(sums(first));
    const signature = (out: string) => readFileSync(join(out, 'SHA256SUMS.minisig'), 'utf8');
    expect(signature(second)).toBe(signature(first));
  });

  test('has one version in all packages', () => {
    for (const file of readdirSync(first).filter((name) => /^docyard.*\.tgz$/.test(name))) {
      const { stdout } = run('tar', ['-xzOf', join(first, file), 'package/package.json']);
      const manifest = JSON.parse(stdout) as { version: string; private?: boolean };
      expect(manifest).toMatchObject({ version, publishConfig: { access: 'public', provenance: true } });
      expect(manifest.private).toBeUndefined();
    }
  });

  test('its kit is verified, installed and used without a network', { timeout: 600_000 }, () => {
    const work = temporaryFolder('kit');
    const script = `
      set -eu
      "$1/verify.sh" "$2"
      tar -xzf "$1/docyard.tar.gz"
      docyard=$PWD/docyard-${version}/bin/docyard
      "$docyard" --version
      "$docyard" serve --offline --data data --admin-key-file data/admin-key --port 4400 >serve.log 2>&1 &
      server=$!
      trap 'kill $server' EXIT
      export DOCYARD_URL=http://127.0.0.1:4400
      for _ in $(seq 300); do
        if [ -s data/admin-key ] && "$docyard" export list --key-file data/admin-key >/dev/null 2>&1; then break; fi
        sleep 0.2
      done
      "$docyard" export start handbook.example.com --key-file data/admin-key --download bundle.tar.gz --quiet
      tar -tzf bundle.tar.gz
    `;
    const inside = inNamespace(['sh', '-c', script, 'sh', kit, keys.public]);
    const args = ['-C', work, 'PATH=/usr/sbin:/usr/bin:/sbin:/bin', ...inside];
    const { status, stdout, stderr } = run('env', args);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(/^The kit is complete and unchanged\.\n7\.8\.9\n/);
    expect(stdout).toMatch(/^index\.html$/m);
  });

  const verified = (changed: string, key = keys.public) => run(join(changed, 'verify.sh'), [key]);

  /** A copy with a change. */
  function tampered(name: string, change: (copy: string) => void): string {
    const copy = join(temporaryFolder('tampered'), name);
    mkdirSync(copy);
    cpSync(kit, copy, { recursive: true });
    change(copy);
    return copy;
  }

  test('a kit with a changed file is refused', () => {
    const copy = tampered('changed', (kitCopy) => appendFileSync(join(kitCopy, 'docyard.tar.gz'), ' '));
    expect(verified(copy)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('A file differs from its checksum. Do not use this kit.'),
    });
  });

  test('a kit with an added file is refused', () => {
    const copy = tampered('added', (kitCopy) => writeFileSync(join(kitCopy, 'manual/added.js'), ''));
    expect(verified(copy)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('files that SHA256SUMS does not list'),
    });
  });

  test('a kit whose checksums were replaced, or which another key has signed, is refused', () => {
    const copy = tampered('replaced', (kitCopy) => appendFileSync(join(kitCopy, 'SHA256SUMS'), '\n'));
    const refusal = expect.stringContaining('The signature does not match the public key.') as string;
    expect(verified(copy)).toMatchObject({ status: 1, stderr: refusal });
    const other = join(folder, 'other.pub');
    run('minisign', ['-G', '-W', '-p', other, '-s', join(folder, 'other.key')]);
    expect(verified(kit, other)).toMatchObject({ status: 1, stderr: refusal });
  });

  test('a kit is not verified without a key unless the caller asks for checksums only', () => {
    expect(run(join(kit, 'verify.sh'), [])).toMatchObject({ status: 2 });
    expect(run(join(kit, 'verify.sh'), ['--checksums-only'])).toMatchObject({
      status: 0,
      stdout: 'The signature is not verified.\nThe kit is complete and unchanged.\n',
    });
  });
});
