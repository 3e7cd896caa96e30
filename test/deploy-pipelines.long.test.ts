/** Runs the GitHub action and the GitLab component against a real service, with the environment of their runners. */
import { createHash } from 'node:crypto';
import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { root } from './deploy/dockerfile.ts';
import {
  action,
  actionFolder,
  componentInputs,
  componentJob,
  fill,
  runAction,
  runComponent,
  type Inputs,
} from './deploy/pipelines.ts';
import { gitRepository, program, siteFiles, startService, writeFiles, type Service } from './service.ts';
import { temporaryFolder } from './temporary-resources.ts';

const script = readFileSync(join(actionFolder, 'export.sh'), 'utf8');
const command = `${process.execPath} ${program}`;

const broken = {
  ...siteFiles(2),
  'guides/page-1.mdx':
    '---\ntitle: Broken\n---\n\nSee [nothing](/nowhere) and ::warning::[more](/no-more).\n',
};

describe('the files', () => {
  test('the action fits what GitHub reads', () => {
    expect(action.runs).toMatchObject({ using: 'composite', steps: [{ id: 'export', shell: 'bash' }] });
    for (const [name, input] of Object.entries(action.inputs)) {
      expect(name).toMatch(/^[a-z][a-z-]*$/);
      expect(Object.keys(input).toSorted(), name).toEqual(['default', 'description']);
      expect(typeof input.default, name).toBe('string');
    }
    const outputs = Object.values(action.outputs).map(({ value }) => value);
    for (const value of outputs) expect(value).toMatch(/^\$\{\{ steps\.export\.outputs\.[a-z0-9-]+ \}\}$/);
  });

  test('inputs reach the script as variables alone, and every one does', () => {
    const [step] = action.runs.steps;
    expect(step?.run).not.toContain('${{');
    const used = Object.values(step?.env ?? {}).map((value) => value.slice('${{ inputs.'.length, -3));
    expect(used.toSorted()).toEqual(Object.keys(action.inputs).toSorted());
    expect(componentJob.script.join('\n')).not.toContain('$[[');
  });

  test('the script reads no variable that is not set, and both platforms set the same', () => {
    const read = new Set([...script.matchAll(/\$\{?(DOCYARD_[A-Z_0-9]+)/g)].map(([, name = '']) => name));
    const ofAction = Object.keys(action.runs.steps[0]?.env ?? {});
    const ofComponent = Object.keys(componentJob.variables);
    // These come from the variables of a project.
    for (const name of ['DOCYARD_API_KEY', 'DOCYARD_KEY']) read.delete(name);
    // The program reads DOCYARD_URL; the platforms differ in files and in the variable of the key.
    expect([...read, 'DOCYARD_URL'].toSorted()).toEqual([...ofAction, 'DOCYARD_DOTENV'].toSorted());
    expect(ofComponent.toSorted()).toEqual(
      [...ofAction, 'DOCYARD_DOTENV'].filter((name) => name !== 'DOCYARD_INPUT_KEY').toSorted(),
    );
  });

  test('the component has the inputs of the action, and carries its script', () => {
    const own = ['job-name', 'stage', 'image'];
    const shared = Object.keys(action.inputs).filter((name) => name !== 'key');
    expect(Object.keys(componentInputs).toSorted()).toEqual([...shared, ...own].toSorted());
    expect(componentJob.script).toEqual([script]);
  });

  test('the script calls the version that it came with', () => {
    const { version } = JSON.parse(readFileSync(join(root, 'packages/server/package.json'), 'utf8')) as {
      version: string;
    };
    expect(script).toContain(`npx --yes docyard@${version} "$@"`);
  });

  test('the manual lists every input and output, and its examples name no other', () => {
    const manual = readFileSync(join(root, 'docs/guides/ci.mdx'), 'utf8');
    const named = (heading: string) =>
      [...(manual.split(heading)[1]?.split('\n\n')[1] ?? '').matchAll(/^ *\| (`.*?) \|/gm)].flatMap(
        ([, cell = '']) => [...cell.matchAll(/`([\w-]+)`/g)].map(([, name = '']) => name),
      );
    const inputs = new Set([...Object.keys(action.inputs), ...Object.keys(componentInputs)]);
    expect(named('## Inputs\n\nThe action').toSorted()).toEqual([...inputs].toSorted());
    expect(named('findings and time.').toSorted()).toEqual(Object.keys(action.outputs).toSorted());
    const examples = [...manual.matchAll(/^ *(?:with|inputs):\n((?: +[\w-]+: .*\n)+)/gm)];
    expect(examples).toHaveLength(5);
    const uploaded = ['name', 'path'];
    for (const [, lines = ''] of examples) {
      const given = [...lines.matchAll(/^ +([\w-]+):/gm)].map(([, name = '']) => name);
      expect(given.filter((name) => !inputs.has(name) && !uploaded.includes(name))).toEqual([]);
    }
  });

  const shellcheckMissing =
    spawnSync('shellcheck', ['--version']).error === undefined
      ? undefined
      : 'the script of pipelines is not checked: shellcheck is not installed';
  if (shellcheckMissing !== undefined) console.warn(`Skipped: ${shellcheckMissing}.`);
  test.skipIf(shellcheckMissing !== undefined)('shellcheck has nothing to say', () => {
    const files = ['deploy/github-action/export.sh', 'deploy/make-secrets.sh'].map((file) =>
      join(root, file),
    );
    expect(spawnSync('shellcheck', files, { encoding: 'utf8' }).stdout).toBe('');
  });
});

describe('with a server', () => {
  let service: Service;
  let usual: Inputs;
  beforeAll(async () => {
    service = await startService({ sample: false });
    usual = { server: service.origin, key: service.key, 'docyard-command': command };
    const sites = { 'good.example.com': siteFiles(2), 'broken.example.com': broken };
    for (const [domain, files] of Object.entries(sites)) {
      await service.client.call('createProject', {
        body: { name: domain, domain, source: { repository: gitRepository(files) } },
      });
    }
    await service.client.call('createProject', {
      body: { name: 'Gone', domain: 'gone.example.com', source: { repository: temporaryFolder('empty') } },
    });
  });

  test('GitHub: a bundle, its hash, a report in every form and a summary', async () => {
    const { publicKey } = await service.client.call('readSigningKey', {});
    const ended = await runAction({
      ...usual,
      domain: 'good.example.com',
      version: '2.1',
      'public-key': publicKey,
    });
    expect(ended.log).toContain(`::add-mask::${service.key}\n`);
    expect(ended).toMatchObject({ status: 0 });
    const bundle = readFileSync(join(ended.workspace, 'docyard-bundle.tar.gz'));
    expect(ended.outputs).toEqual({
      'job-id': expect.stringMatching(/^se_[0-9a-z]+$/) as string,
      'bundle-path': 'docyard-bundle.tar.gz',
      sha256: createHash('sha256').update(bundle).digest('hex'),
      pages: '2',
      warnings: '0',
      'report-json': 'docyard-report/report.json',
      'report-html': 'docyard-report/report.html',
      'report-sarif': 'docyard-report/report.sarif',
      'report-xml': 'docyard-report/report.xml',
      'report-md': 'docyard-report/report.md',
    });
    const named = Object.entries(ended.outputs).filter(([name]) => name.startsWith('report-'));
    for (const [, file] of named) expect(ended.has(file), file).toBe(true);
    expect(ended.summary).toMatch(/^### Documentation exported\n\n\*\*2 pages: 0 errors/);
    expect(ended.summary).toContain(`| ${ended.outputs['job-id']} | `);
    expect(ended.log.replaceAll(`::add-mask::${service.key}\n`, '')).not.toContain(service.key);
    const { version } = await service.client.call('readExport', {
      params: { jobId: ended.outputs['job-id'] ?? '' },
    });
    expect(version).toBe('2.1');
  });

  test('GitLab: the same as artifacts, variables for later jobs and tests of the merge request', async () => {
    const inputs = { server: service.origin, domain: 'good.example.com', 'docyard-command': command };
    const ended = await runComponent(inputs, {
      DOCYARD_API_KEY: service.key,
      DOCYARD_KEY: 'docyard_of_the_runner',
    });
    expect(ended).toMatchObject({ status: 0 });
    expect(ended.outputs).toMatchObject({
      DOCYARD_JOB_ID: expect.stringMatching(/^se_/) as string,
      DOCYARD_BUNDLE_PATH: 'docyard-bundle.tar.gz',
      DOCYARD_SHA256: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      DOCYARD_PAGES: '2',
    });
    const { paths, reports, when } = componentJob.artifacts;
    for (const path of [...paths, ...Object.values(reports)])
      expect(ended.has(fill(path, inputs)), path).toBe(true);
    expect(when).toBe('always');
    expect(ended.log).not.toContain(service.key);
  });

  test('GitLab: the deprecated variable DOCYARD_KEY still gives the key', async () => {
    const inputs = { server: service.origin, domain: 'good.example.com', 'docyard-command': command };
    expect(await runComponent(inputs, { DOCYARD_KEY: service.key })).toMatchObject({ status: 0 });
  });

  test('findings fail the step, leave a report, and stand beside the lines', async () => {
    const ended = await runAction({ ...usual, domain: 'broken.example.com', 'fail-on': 'warning' });
    expect(ended).toMatchObject({ status: 5 });
    expect(ended.has('docyard-bundle.tar.gz')).toBe(false);
    expect(ended.outputs).not.toHaveProperty('sha256');
    expect(ended.summary).toContain('### Documentation export failed');
    expect(ended.summary).toMatch(/\| guides\/page-1\.mdx&#58;5&#58;\d+ \|/);
    const junit = readFileSync(join(ended.workspace, ended.outputs['report-xml'] ?? ''), 'utf8');
    expect(junit).toContain('<failure type="broken_link"');
    expect(ended.log).toMatch(/^::(warning|error) .*file=guides\/page-1\.mdx,line=5/m);
  });

  test('a failed job sets the status and prints its message', async () => {
    const ended = await runAction({ ...usual, domain: 'gone.example.com' });
    expect(ended).toMatchObject({
      status: 5,
      outputs: { 'job-id': expect.stringMatching(/^se_/) as string },
    });
    expect(ended.summary).toMatch(/### Documentation export failed\n\n {4}\S/);
    expect(ended.has('docyard-report/report.json')).toBe(false);
  });

  test.each([
    ['a server that is not there', { server: 'http://127.0.0.1:1' }, 1],
    ['a key that is none', { key: 'docyard_nothing' }, 3],
    ['an unknown domain', { domain: 'unknown.example.com' }, 4],
    ['nothing to export', { domain: '' }, 2],
    ['a key with a second line', { key: 'docyard_x\n::error::pwned' }, 2],
    ['a path with a second line', { output: 'a\njob-id=pwned' }, 2],
  ])('%s leaves no files and sets the exit status', async (_name, changes: Inputs, status) => {
    const ended = await runAction({ ...usual, domain: 'good.example.com', ...changes });
    expect(ended.status, ended.log).toBe(status);
    expect(ended.outputs['bundle-path']).toBeUndefined();
    expect(ended.outputs['job-id'] ?? '').toBe('');
    expect(readdirSync(ended.workspace)).toEqual([]);
    expect(ended.log).not.toMatch(/^::error::pwned/m);
    expect(ended.log).toMatch(/docyard: \S/);
  });

  test.each(['$(touch pwned)`touch pwned`; touch pwned \'"; touch pwned; "\'', '--help', '%0A::error::x'])(
    '%s is only text, wherever it stands',
    async (text) => {
      const paths = `guides/page-1\n${text}`;
      const ended = await runAction({
        ...usual,
        domain: text,
        version: text,
        ref: text,
        paths,
        output: `${text}/x`,
      });
      expect(ended.status).not.toBe(0);
      expect(ended.log).toMatch(/docyard: \S/);
      expect(ended.has('pwned')).toBe(false);
    },
  );

  test('a bundle of another key is refused and taken away', async () => {
    const other = join(temporaryFolder('key'), 'other.key');
    spawnSync(process.execPath, [program, 'signing-key', 'create', '--out', other]);
    const refused = await runAction({ ...usual, domain: 'good.example.com', 'public-key': `${other}.pub` });
    expect(refused.status, refused.log).toBe(7);
    expect(refused.has('docyard-bundle.tar.gz')).toBe(false);
    expect(refused.outputs).not.toHaveProperty('bundle-path');
  });
});

describe('without a server', () => {
  test('a folder becomes a bundle on the runner', async () => {
    const workspace = temporaryFolder('workspace');
    writeFiles(join(workspace, '$(touch pwned) docs'), siteFiles(2));
    const ended = await runAction(
      {
        folder: '$(touch pwned) docs',
        version: '`2`',
        'docyard-command': command,
        output: 'out/site.tar.gz',
      },
      workspace,
    );
    expect(ended.status, ended.log).toBe(0);
    expect(ended.outputs).toMatchObject({ 'job-id': '', pages: '2', 'bundle-path': 'out/site.tar.gz' });
    expect(ended.has('pwned')).toBe(false);
    const bundle = readFileSync(join(workspace, 'out/site.tar.gz'));
    expect(ended.outputs['sha256']).toBe(createHash('sha256').update(bundle).digest('hex'));
  });

  test('its findings fail the step', async () => {
    const workspace = temporaryFolder('workspace');
    writeFiles(workspace, broken);
    const ended = await runAction({ folder: '.', strict: 'true', 'docyard-command': command }, workspace);
    expect(ended.status, ended.log).toBe(7);
    expect(ended.outputs).toMatchObject({ pages: '2', 'report-xml': 'docyard-report/report.xml' });
    expect(ended.has('docyard-report/report.xml')).toBe(true);
    expect(ended.has('docyard-bundle.tar.gz')).toBe(false);
    expect(ended.summary).toContain('The site has findings that count');
    expect(ended.log).toMatch(/^::(warning|error) .*file=guides\/page-1\.mdx,line=5/m);
  });
});
