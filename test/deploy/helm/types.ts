/** Compiles the rendered charts against the types of the Kubernetes API, which are installed from npm on demand. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../service.ts';
import { root } from '../dockerfile.ts';
import { minSiteValues, minValues, maxSiteValues, maxValues, openChart, type Manifest } from './chart.ts';

const typesPackage = 'kubernetes-models@5.1.0';
/** From the Prometheus operator, not from Kubernetes. */
const foreignKinds = ['PodMonitor'];

/** Returns the number of compared objects. */
export function checkChartTypes(): number {
  const folder = temporaryFolder('kubernetes');
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
  run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', typesPackage], folder);
  const [service, site] = [openChart('docyard'), openChart('docyard-site')];
  const manifests = [
    ...service.render(minValues),
    ...service.render(maxValues, 'docs'),
    ...site.render(minSiteValues),
    ...site.render(maxSiteValues, 'docs'),
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
