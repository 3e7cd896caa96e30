/**
 * Holds the rendered charts to the types of the Kubernetes API, which name every field: one that is unknown, missing or of the
 * wrong type does not compile. The types come from npm, into a folder of their own; they are no dependency.
 */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../service.ts';
import { root } from '../dockerfile.ts';
import {
  leastSiteValues,
  leastValues,
  mostSiteValues,
  mostValues,
  openChart,
  type Manifest,
} from './chart.ts';

const typesPackage = 'kubernetes-models@5.1.0';
/** Not part of Kubernetes, but of an operator that many clusters have. */
const foreignKinds = ['PodMonitor'];

/** How many objects were compared. */
export function checkChartTypes(): number {
  const folder = temporaryFolder('kubernetes');
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
  run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', typesPackage], folder);
  const [service, site] = [openChart('docyard'), openChart('docyard-site')];
  const manifests = [
    ...service.render(leastValues),
    ...service.render(mostValues, 'docs'),
    ...site.render(leastSiteValues),
    ...site.render(mostSiteValues, 'docs'),
  ].filter(({ kind }) => !foreignKinds.includes(kind));
  writeFileSync(join(folder, 'manifests.ts'), manifests.map(asTyped).join('\n'));
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
  run(join(root, 'node_modules/.bin/tsc'), [...options, '--types', '', 'manifests.ts'], folder);
  return manifests.length;
}

function asTyped(manifest: Manifest, index: number): string {
  const { apiVersion, kind } = manifest;
  const from = `kubernetes-models/${apiVersion}/${kind}`;
  return `export const object${index}: import('${from}').I${kind} = ${JSON.stringify(manifest, null, 2)};`;
}

function run(command: string, args: string[], cwd: string): void {
  const ended = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (ended.status !== 0) throw new Error(`${command} ${args.join(' ')}\n${ended.stdout}${ended.stderr}`);
}
