/** The published client package: its contents, its types, and the examples of its pages. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startService, type Service } from '../service.ts';
import { clientIn, installClient, root, run, snippetsOf } from './install-client.ts';

const readme = 'packages/api/README.md';
const pages = [readme, 'docs/reference/client.mdx'];
let folder: string;
let installed: string;

beforeAll(async () => {
  folder = await installClient();
  installed = clientIn(folder);
});

describe('the package', () => {
  test('holds JavaScript, its types and what a person reads, and nothing else', () => {
    const files = readdirSync(installed, { recursive: true, encoding: 'utf8' }).filter((file) =>
      statSync(join(installed, file)).isFile(),
    );
    const code = files.filter((file) => /^src\/[\w-]+\.js$/.test(file));
    const types = code.map((file) => file.replace(/js$/, 'd.ts'));
    const readable = ['LICENSE', 'README.md', 'package.json'];
    expect(files.toSorted()).toEqual([...code, ...types, ...readable].toSorted());
    expect(code.filter((file) => /test/.test(file))).toEqual([]);
  });

  test('needs zod and nothing else', () => {
    const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as Record<
      string,
      object
    >;
    expect(Object.keys(manifest['dependencies'] ?? {})).toEqual(['zod']);
    expect(Object.keys(manifest)).not.toEqual(
      expect.arrayContaining(['private', 'devDependencies', 'peerDependencies', 'scripts']),
    );
  });

  test('gives publint nothing to say', async () => {
    const { messages, pkg } = await publint({
      pkgDir: installed,
      level: 'suggestion',
      strict: true,
      pack: false,
    });
    expect(messages.map((message) => formatMessage(message, pkg ?? {}))).toEqual([]);
  });

  test('reaches nothing of Node through its main door', () => {
    const reached = new Set([join(installed, 'src/index.js')]);
    const outside = new Set<string>();
    for (const file of reached) {
      const imports = readFileSync(file, 'utf8').matchAll(/^(?:import|export)\s[^;]*?from\s+'([^']+)'/gm);
      for (const [, named = ''] of imports) {
        if (named.startsWith('.')) reached.add(resolve(dirname(file), named));
        else outside.add(named);
      }
    }
    expect([...outside]).toEqual(['zod']);
    expect([...reached].some((file) => file.endsWith('/wait.js'))).toBe(true);
    expect([...reached].some((file) => file.endsWith('/download.js'))).toBe(false);
  });
});

/** Declarations that the examples assume. */
const assumed = `
import { DocyardClient, type ExportJob } from '@docyard/api';
declare global {
  const client: DocyardClient;
  const job: ExportJob;
  const jobId: string;
  const projectId: string;
}
`;

const wrong = `
const client = new DocyardClient({ baseUrl: 'http://127.0.0.1:4400', apiKey: 'docyard_x' });
// @ts-expect-error There is no such operation.
await client.call('explode');
// @ts-expect-error A domain is needed.
await client.call('startExport', { body: {} });
const job: ExportJob = await client.call('readExport', { params: { jobId: 'se_1' } });
// @ts-expect-error A status is text.
job.status satisfies number;
`;

describe('a compiler', () => {
  test.each([
    // Checking the declarations of zod and Node would dominate the time, so libraries are checked once.
    { manner: 'as for Node', options: ['--module', 'nodenext', '--lib', 'es2024'] },
    {
      manner: 'as for a bundler',
      options: [
        '--module',
        'esnext',
        '--moduleResolution',
        'bundler',
        '--lib',
        'es2024,dom',
        '--skipLibCheck',
      ],
    },
  ])('takes the types and every example of the pages, $manner', ({ options }) => {
    const examples = pages.flatMap((page) => snippetsOf(page, 'ts'));
    expect(examples.length).toBeGreaterThan(8);
    writeFileSync(join(folder, 'assumed.d.ts'), assumed);
    writeFileSync(join(folder, 'wrong.ts'), wrong);
    const files = examples.map((code, index) => {
      writeFileSync(join(folder, `example-${index}.ts`), `${code}\nexport {};\n`);
      return `example-${index}.ts`;
    });
    const strict = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--target', 'es2024'];
    const types = ['--types', 'node', '--typeRoots', join(root, 'node_modules/@types')];
    const tsc = join(root, 'node_modules/.bin/tsc');
    run(tsc, [...strict, ...options, ...types, 'assumed.d.ts', 'wrong.ts', ...files], folder);
  });
});

describe('the first example of the package', () => {
  let service: Service;
  const [example = ''] = snippetsOf(readme, 'ts');

  beforeAll(async () => {
    service = await startService({ environment: { RENDER_PROCESSES: '1' } });
    const { data } = await service.client.call('listProjects');
    writeFileSync(join(folder, 'example.js'), example.replace('docs.example.com', data[0]?.domain ?? ''));
  });
  afterAll(async () => void (await service.stop()));

  /** The system's Node may be older. */
  const systemNode = '/usr/bin/node';
  const systemVersion = spawnSync(systemNode, ['--version'], { encoding: 'utf8' }).stdout?.trim() ?? '';
  if (systemVersion === '')
    console.warn(`SKIPPED: the client on another Node, because there is no ${systemNode}.`);

  test.each([
    { name: process.version, node: process.execPath },
    ...(systemVersion === '' ? [] : [{ name: systemVersion, node: systemNode }]),
  ])('makes an export and downloads it, on Node $name', ({ node }) => {
    const output = run(node, ['example.js'], folder, {
      DOCYARD_URL: service.origin,
      DOCYARD_API_KEY: service.key,
    });
    expect(output).toMatch(/done 100\n\d+ pages are in bundle\.tar\.gz\n$/);
    expect(run('tar', ['-tzf', 'bundle.tar.gz'], folder)).toContain('index.html');
  });
});
