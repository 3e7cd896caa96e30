/** The bill of materials in CycloneDX 1.6, from the lockfile: packages of an installation and those inside the dashboard. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { productionPackages, type LockedPackage } from '../production-packages.ts';

/** The same lockfile and time yield the same bytes. */
export function billOfMaterials(root: string, version: string, epoch: number): string {
  const packages = productionPackages(join(root, 'package-lock.json'));
  const references = new Map([...packages].map(([path, each]) => [path, packageUrl(each)]));
  const sorted = [...packages.values()].toSorted((a, b) => (packageUrl(a) < packageUrl(b) ? -1 : 1));
  const components = new Map(
    sorted
      .filter(({ name }) => name !== 'docyard')
      .map((each): [string, object] => [packageUrl(each), component(each)]),
  );
  const needs = new Map<string, Set<string>>();
  for (const each of sorted) {
    const known = needs.get(packageUrl(each)) ?? new Set<string>();
    for (const path of each.needs) known.add(references.get(path) ?? '');
    needs.set(packageUrl(each), known);
  }
  const own = packageUrl({ name: 'docyard', version });
  const content = {
    metadata: {
      timestamp: new Date(epoch * 1000).toISOString(),
      component: {
        type: 'application',
        'bom-ref': own,
        name: 'docyard',
        version,
        purl: own,
        licenses: [{ license: { id: 'MIT' } }],
      },
    },
    components: [...components.values()],
    dependencies: [...needs].map(([ref, on]) => ({ ref, dependsOn: [...on].toSorted() })),
  };
  const bom = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${uuidOf(JSON.stringify(content))}`,
    version: 1,
    ...content,
  };
  return `${JSON.stringify(bom, null, 2)}\n`;
}

function component(each: LockedPackage): object {
  const { name, version, license, integrity } = each;
  const hash = /^sha512-(.+)$/.exec(integrity ?? '')?.[1];
  const [scope, plain] = name.startsWith('@') ? name.split('/') : [undefined, name];
  return {
    type: 'library',
    'bom-ref': packageUrl(each),
    ...(scope !== undefined && { group: scope }),
    name: plain,
    version,
    purl: packageUrl(each),
    ...(license !== undefined && { licenses: [licenseChoice(license)] }),
    ...(hash !== undefined && {
      hashes: [{ alg: 'SHA-512', content: Buffer.from(hash, 'base64').toString('hex') }],
    }),
  };
}

function licenseChoice(license: string): object {
  return / (?:AND|OR) /.test(license) ? { expression: license } : { license: { id: license } };
}

function packageUrl({ name, version }: { name: string; version: string }): string {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`;
}

/** A name-based UUID, version 8. */
function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`];
  return [...parts, hex.slice(20, 32)].join('-');
}
