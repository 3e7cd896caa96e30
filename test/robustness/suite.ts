/** All cases of the robustness suite, and how they are run. */
import { runCase, type CaseReport, type Group, type RobustnessCase } from './case.ts';
import { clumsyCase } from './clumsy/clumsy-case.ts';
import { createLargeSite, type LargeSite } from './clumsy/large-site.ts';
import { contextCases } from './context-ladder.ts';
import { dialectCases } from './dialects/dialect-case.ts';
import { serviceCases } from './service.ts';
import { timeoutCases } from './timeouts.ts';

const largeSitePages = 5000;

export function allCases(seeds: readonly number[]): RobustnessCase[] {
  let site: Promise<LargeSite> | undefined;
  const largeSite = (): Promise<LargeSite> => (site ??= createLargeSite(largeSitePages));
  const clumsyCases = seeds.map((seed) => clumsyCase(seed, largeSite));
  return [...dialectCases, ...contextCases, ...timeoutCases, ...clumsyCases, ...serviceCases];
}

export function nameOf({ group, server, name }: Pick<RobustnessCase, 'group' | 'server' | 'name'>): string {
  return `${group}: ${server}: ${name}`;
}

/** Cases at the same time. Those of one group wait mostly for pauses; clumsy cases share one site. */
const parallel: Readonly<Record<Group, number>> = {
  dialects: 8,
  context: 2,
  timeouts: 4,
  clumsy: 1,
  service: 1,
};

export async function runCases(
  cases: readonly RobustnessCase[],
  onReport: (report: CaseReport, done: number) => void = () => {},
): Promise<CaseReport[]> {
  const reports: CaseReport[] = [];
  for (const [group, inGroup] of Map.groupBy(cases, ({ group }) => group)) {
    const waiting = [...inGroup];
    const worker = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const report = await runCase(next);
        reports.push(report);
        onReport(report, reports.length);
      }
    };
    await Promise.all(Array.from({ length: parallel[group] }, worker));
  }
  return reports;
}
