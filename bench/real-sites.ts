/** Sites that people really have, with everything they use: how many of their pages are exported in a second. */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findSites } from '../scripts/measure/find-sites.ts';
import { temporaryFolder } from '../test/service.ts';
import { docyardExport, type Exported } from './docyard.ts';
import { medianRun } from './generators.ts';
import { counted, megabytes, rounded, verdict, type Measurement } from './measurement.ts';
import { memoryKind } from './process-tree.ts';

const usualSites = fileURLToPath(new URL('../../shared/sites', import.meta.url));
const target = 500;

export const realSites: Measurement = {
  name: 'real-sites',
  about: 'every site below --sites, all features on: pages a second',
  async run(tell, { sites: folder = usualSites }) {
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
    if (!existsSync(folder)) {
      const skipped = 'Skipped: there is no folder of real sites. Name one with --sites.';
      tell(skipped);
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
    for (const { name, root } of findSites([folder], join(scratch, 'sources'))) {
      tell(name);
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
        `\`docyard export --offline\`, nothing kept from an earlier run, the start of the program included; the median of three runs. Pages that API descriptions bring count. The last line adds up, with the highest peak. Peak memory is ${memoryKind}.`,
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
