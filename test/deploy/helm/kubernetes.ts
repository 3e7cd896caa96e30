/** Compares objects with the schemas and types of the Kubernetes API, of KEDA and of the Prometheus operator. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ScaledObject } from '@kubernetes-models/keda/keda.sh/v1alpha1/ScaledObject';
import { PodMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PodMonitor';
import { Deployment } from 'kubernetes-models/apps/v1/Deployment';
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler';
import { Job } from 'kubernetes-models/batch/v1/Job';
import { Ingress } from 'kubernetes-models/networking.k8s.io/v1/Ingress';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import { ConfigMap } from 'kubernetes-models/v1/ConfigMap';
import { Service } from 'kubernetes-models/v1/Service';
import { ServiceAccount } from 'kubernetes-models/v1/ServiceAccount';
import { root } from '../dockerfile.ts';
import type { Manifest } from './chart.ts';

interface Model {
  apiVersion: string;
  kind: string;
  new (data: never): { validate(): void };
}

const models: readonly (readonly [packageName: string, model: Model])[] = [
  ['kubernetes-models', ConfigMap],
  ['kubernetes-models', Deployment],
  ['kubernetes-models', HorizontalPodAutoscaler],
  ['kubernetes-models', Ingress],
  ['kubernetes-models', Job],
  ['kubernetes-models', NetworkPolicy],
  ['kubernetes-models', PodDisruptionBudget],
  ['kubernetes-models', Service],
  ['kubernetes-models', ServiceAccount],
  ['@kubernetes-models/keda', ScaledObject],
  ['@kubernetes-models/prometheus-operator', PodMonitor],
];

function modelOf({ apiVersion, kind }: Manifest): readonly [string, Model] {
  const found = models.find(([, model]) => model.apiVersion === apiVersion && model.kind === kind);
  if (found === undefined) throw new Error(`${apiVersion} ${kind} has no schema. Add it to kubernetes.ts.`);
  return found;
}

/** What the schema of its kind rejects: missing fields, wrong types and formats. It accepts unknown fields. */
export function schemaProblem(manifest: Manifest): string | undefined {
  const [, Model] = modelOf(manifest);
  try {
    new Model(manifest as never).validate();
    return undefined;
  } catch (error) {
    return `${manifest.kind} ${manifest.metadata.name}: ${(error as Error).message}`;
  }
}

/** What the compiler rejects, which includes unknown fields. Empty if there is nothing. */
export function typeProblems(manifests: readonly Manifest[]): string {
  const cache = join(root, '.cache');
  mkdirSync(cache, { recursive: true });
  // Below the repository, so that the compiler finds the packages.
  const folder = mkdtempSync(join(cache, 'charts-'));
  try {
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }\n');
    writeFileSync(join(folder, 'manifests.ts'), manifests.map(asTyped).join('\n'));
    const options =
      '--ignoreConfig --noEmit --strict --module nodenext --target es2024 --skipLibCheck manifests.ts';
    const compiler = join(root, 'node_modules/.bin/tsc');
    const args = ['--types', '', ...options.split(' ')];
    const ended = spawnSync(compiler, args, { cwd: folder, encoding: 'utf8' });
    return ended.status === 0 ? '' : `${ended.stdout}${ended.stderr}`;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function asTyped(manifest: Manifest, index: number): string {
  const [packageName] = modelOf(manifest);
  const { apiVersion, kind } = manifest;
  const type = `import('${packageName}/${apiVersion}/${kind}').I${kind}`;
  return `export const object${index}: ${type} = ${JSON.stringify(manifest, null, 2)};`;
}
