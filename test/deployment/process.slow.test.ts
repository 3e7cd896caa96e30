/** The site process: changed and invalid settings, two processes on one folder, and a full disk. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../temporary-resources.ts';
import { program } from '../service.ts';
import { bundle, docyard, siteOf, startSite } from './site.ts';

const folder = temporaryFolder('carried');

async function fileOf(name: string): Promise<string> {
  const file = join(folder, `${name}.tar.gz`);
  writeFileSync(file, await bundle(siteOf(name), { version: name }));
  return file;
}

const patience = { timeout: 30_000 };

test('changed settings apply without a restart; invalid ones are logged and ignored', async () => {
  const [one, two] = [await fileOf('one'), await fileOf('two')];
  const site = await startSite({ staticExport: { bundleUrl: one } });
  await expect.poll(() => site.text('/'), patience).toContain('release one');
  site.configure({ bundelUrl: two });
  await expect.poll(site.log, patience).toContain('Did you mean staticExport.bundleUrl?');
  expect(await site.text('/')).toContain('release one');
  site.configure({ bundleUrl: two });
  await expect.poll(() => site.text('/'), patience).toContain('release two');
  expect(site.log().split('Did you mean')).toHaveLength(2);
  expect(await site.stop()).toBe(0);
});

test.each([
  [
    'an unknown setting',
    '{ "staticExport": { "keeep": 3 } }',
    /no setting staticExport\.keeep\. Did you mean staticExport\.keep\?/,
  ],
  ['a wrong value', 'staticExport:\n  enabled: maybe\n', /staticExport\.enabled=maybe: must be on or off/],
])('%s ends the start with status 2 and one sentence', (_name, text, complaint) => {
  const config = join(folder, 'wrong.yaml');
  writeFileSync(config, text);
  const { status, stderr } = docyard(['site', '--config', config, '--data', join(folder, 'none')]);
  expect(status).toBe(2);
  expect(stderr).toMatch(complaint);
  expect(stderr.trim().split('\n')).toHaveLength(1);
});

test('two processes on one folder serve the same release', async () => {
  const dataDir = temporaryFolder('site');
  expect(docyard(['bundle', 'import', await fileOf('one'), '--data', dataDir])).toMatchObject({ status: 0 });
  const sites = await Promise.all([startSite({ dataDir }), startSite({ dataDir })]);
  for (const site of sites) expect(await site.text('/')).toContain('release one');
  expect(docyard(['bundle', 'import', await fileOf('two'), '--data', dataDir])).toMatchObject({ status: 0 });
  for (const site of sites) await expect.poll(() => site.text('/'), patience).toContain('release two');
  const { stdout } = docyard(['site', 'status', '--data', dataDir, '--json']);
  const pids = (JSON.parse(stdout) as { processes: { pid: number }[] }).processes.map(({ pid }) => pid);
  expect(pids.toSorted()).toEqual(sites.map(({ pid }) => pid).toSorted());
  await Promise.all(sites.map((site) => site.stop()));
});

const alone = ['--user', '--map-root-user', '--mount'];
const canMount =
  spawnSync('unshare', [...alone, 'mount', '-t', 'tmpfs', 'tmpfs', temporaryFolder('disk')]).status === 0;
if (!canMount) console.warn('Skipped: a small disk cannot be mounted here.');

test.skipIf(!canMount)(
  'a full disk is reported, leaves no partial release, and the current one stays live',
  async () => {
    const [small, large] = [await fileOf('small'), join(folder, 'large.tar.gz')];
    writeFileSync(large, await bundle(siteOf('large', 1000)));
    const disk = join(folder, 'disk');
    mkdirSync(disk);
    const command = `"${process.execPath}" "${program}"`;
    const script = `mount -t tmpfs -o size=600k tmpfs "${disk}" || exit 99
    ${command} bundle import "${small}" --data "${disk}" >/dev/null 2>&1 || exit 98
    ${command} bundle import "${large}" --data "${disk}"; echo "status $?"
    ls "${disk}/releases" "${disk}/staging"; cat "${disk}/current.json"`;
    const { stdout, stderr } = spawnSync('unshare', [...alone, 'sh', '-c', script], {
      encoding: 'utf8',
    });
    expect(stderr).toBe(
      'docyard: The disk is full. Free some space in the data folder, or keep fewer releases.\n',
    );
    expect(stdout).toMatch(/^status 1\n.*\/releases:\nr1-\w+\n\n.*\/staging:\n\{/s);
    expect(stdout).toMatch(/"current": "r1-/);
  },
);
