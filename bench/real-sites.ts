/** Measures how many pages per second of real sites are exported. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { findSites, noSitesMessage, siteFolders } from '../scripts/measure/find-sites.ts';
import { temporaryFolder } from '../test/service.ts';
import { floors } from './floors.ts';
import { docyardExport, type Exported } from './docyard.ts';
import { medianRun } from './generators.ts';
import { counted, megabytes, rounded, verdict, type Measurement } from './measurement.ts';
import { memoryKind } from './process-tree.ts';

const target = floors.realSitesPagesPerSecond;

export const realSites: Measurement = {
  name: 'real-sites',
  about: 'every real site, all features on: pages per second',
  async run(report, { sites }) {
    const columns = [
      'site',
      'pages',
      'seconds',
      'CPU seconds',
      'pages/s',
      'peak memory MB',
      'files',
      'archive MB',
    ];
    const folders = siteFolders(sites === undefined ? [] : [sites]);
    if (folders.length === 0) {
      const skipped = `Skipped. ${noSitesMessage}`;
      report(skipped);
      const missing = verdict(
        'Real sites, all features on',
        `≥ ${target} pages/s`,
        'not measured',
        undefined,
      );
      return { columns, rows: [], notes: [skipped], verdicts: [missing] };
    }
    const scratch = temporaryFolder('sites');
    const measured = new Map<string, Exported>();
    const failed: string[] = [];
    for (const { name, root } of findSites(folders, join(scratch, 'sources'))) {
      report(name);
      const archive = join(scratch, 'site.tar.gz');
      try {
        measured.set(name, await medianRun(() => docyardExport(root, archive, { isOffline: true })));
      } catch (error) {
        failed.push(`${name} failed: ${error instanceof Error ? error.message : String(error)}.`);
      }
    }
    rmSync(scratch, { recursive: true, force: true });
    const all = sumOf([...measured.values()]);
    const perSecond = all.pages / all.seconds;
    return {
      columns,
      rows: [...measured, ['all', all] as const].map(([name, exported]) => row(name, exported)),
      notes: [
        `\`docyard export --offline\` without a build cache, including the program start; the median of three runs. Generated API pages count. The last row is the sum, with the highest peak. Peak memory is ${memoryKind}.`,
        ...failed,
      ],
      verdicts: [
        verdict(
          `Real sites, all features on (${measured.size} sites, ${counted(all.pages)} pages)`,
          `≥ ${target} pages/s`,
          `${Math.round(perSecond)} pages/s`,
          failed.length === 0 && perSecond >= target,
        ),
      ],
    };
  },
};

type Figures = Pick<Exported, 'pages' | 'seconds' | 'cpuSeconds' | 'peakBytes' | 'files' | 'bytes'>;

function sumOf(all: readonly Figures[]): Figures {
  const sum = (name: keyof Figures): number => all.reduce((total, each) => total + each[name], 0);
  return {
    pages: sum('pages'),
    seconds: sum('seconds'),
    cpuSeconds: sum('cpuSeconds'),
    peakBytes: Math.max(...all.map(({ peakBytes }) => peakBytes)),
    files: sum('files'),
    bytes: sum('bytes'),
  };
}

function row(
  name: string,
  { pages, seconds, cpuSeconds, peakBytes, files, bytes }: Figures,
): (string | number)[] {
  return [
    name,
    pages,
    rounded(seconds, 2),
    rounded(cpuSeconds, 2),
    Math.round(pages / seconds),
    Math.round(peakBytes / 1e6),
    files,
    megabytes(bytes),
  ];
}
