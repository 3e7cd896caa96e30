/** Checks the tarballs: installs them into an empty folder, runs the program and type-checks the client. */
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { packAll } from '../../scripts/pack.ts';
import { temporaryFolder } from '../service.ts';
import { root } from './dockerfile.ts';
import { visit, type VisitFigures } from './smoke-check.ts';

export interface PackageFigures extends VisitFigures {
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
  checkTypes(folder);
  const args = ['docyard', 'serve', '--port', '0', '--data', 'data', '--admin-key-file', 'data/admin-key'];
  const child = spawn('npx', args, { cwd: folder });
  const figures = await visit(child, join(folder, 'data'));
  const sizes = tarballs.map((file) => [basename(file), statSync(file).size / 1000]);
  const tarballKilobytes = Object.fromEntries(sizes) as Record<string, number>;
  return { tarballKilobytes, installSeconds, ...figures };
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
  const unwanted = paths.filter((path) => /\.test\.|fixture|(?<!\.d)\.ts$|secret-key/.test(path));
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

function checkTypes(folder: string): void {
  writeFileSync(join(folder, 'caller.ts'), caller);
  const options = [
    '--noEmit',
    '--strict',
    '--module',
    'nodenext',
    '--target',
    'es2024',
    '--skipLibCheck',
    'true',
  ];
  const types = ['--types', 'node', '--typeRoots', join(root, 'node_modules/@types')];
  run(join(root, 'node_modules/.bin/tsc'), [...options, ...types, 'caller.ts'], folder);
}

function run(command: string, args: string[], cwd = root): string {
  const ended = spawnSync(command, args, { cwd, encoding: 'utf8', maxBuffer: 64e6 });
  if (ended.status !== 0) throw new Error(`${command} ${args.join(' ')}\n${ended.stdout}${ended.stderr}`);
  return ended.stdout;
}
