/**
 * `npm run charts`: renders every case of the charts, compares the result with its expected objects and with the Kubernetes
 * API. Exits with 1 on a difference.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import {
  casesOf,
  chartNames,
  formatManifests,
  goMissing,
  openChart,
  readManifests,
  type ChartCase,
  type Manifest,
} from './chart.ts';
import { schemaProblem, typeProblems } from './kubernetes.ts';

const help = `Renders the Helm charts with the values of test/deploy/helm/cases, without Helm. Needs Go.

  npm run charts [-- --write]

  --write  accept the rendered objects as the expected ones
`;

process.exitCode = main(process.argv.slice(2));

function main(args: string[]): number {
  const options = { write: { type: 'boolean' }, help: { type: 'boolean' } } as const;
  const { values } = parseArgs({ args, options });
  if (values.help) {
    process.stdout.write(help);
    return 0;
  }
  if (goMissing !== undefined) {
    console.error(`Not checked: ${goMissing}. Install Go, then run the command again.`);
    return 1;
  }
  const isWriting = values.write ?? false;
  const reports = chartNames.flatMap((chart) => casesOf(chart).map((each) => checkCase(each, isWriting)));
  const rows = reports.map(({ manifests, seconds, problems, ...row }) => ({
    ...row,
    objects: manifests.length,
    problems: problems.length,
    seconds: seconds.toFixed(2),
  }));
  console.table(rows);
  const startedMs = performance.now();
  const manifests = reports.flatMap((report) => report.manifests);
  const types = typeProblems(manifests);
  const total = `${manifests.length} objects in ${reports.length} files`;
  console.log(`${total}, compared with the types of Kubernetes in ${secondsSince(startedMs).toFixed(1)} s`);
  const problems = [...reports.flatMap((report) => report.problems), ...(types === '' ? [] : [types])];
  for (const problem of problems) console.error(problem);
  const isDifferent = reports.some(({ expected }) => expected === 'different');
  if (isDifferent) console.error('Review the difference, then accept it with npm run charts -- --write.');
  return isDifferent || problems.length > 0 ? 1 : 0;
}

interface CaseReport {
  chart: string;
  name: string;
  expected: 'equal' | 'different' | 'written';
  manifests: Manifest[];
  problems: string[];
  seconds: number;
}

function checkCase({ chart, name, values, expectedFile }: ChartCase, isWriting: boolean): CaseReport {
  const startedMs = performance.now();
  const manifests = openChart(chart).render(values);
  const isEqual =
    existsSync(expectedFile) &&
    isDeepStrictEqual(readManifests(readFileSync(expectedFile, 'utf8')), manifests);
  if (isWriting && !isEqual) writeFileSync(expectedFile, formatManifests(manifests));
  return {
    chart,
    name,
    expected: isEqual ? 'equal' : isWriting ? 'written' : 'different',
    manifests,
    problems: manifests.flatMap((manifest) => schemaProblem(manifest) ?? []),
    seconds: secondsSince(startedMs),
  };
}

function secondsSince(startedMs: number): number {
  return (performance.now() - startedMs) / 1000;
}
