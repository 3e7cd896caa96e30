/** Measures time, memory and output size for growing sites, relative to Hugo. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../test/service.ts';
import { floors } from './floors.ts';
import type { Bar } from './chart.ts';
import { run } from './command.ts';
import { sharedCorpus } from './corpus.ts';
import { docyardExport, type Exported } from './docyard.ts';
import { medianRun, type Figures } from './generators.ts';
import { counted, megabytes, rounded, verdict, type Measurement, type Verdict } from './measurement.ts';
import { hugo } from './peers/hugo.ts';
import { sizeOf } from './plain-files.ts';
import { memoryKind } from './process-tree.ts';

const defaultPages = 50_000;

interface Size {
  pages: number;
  own: Exported;
  hugo: Figures | undefined;
}

export const scale: Measurement = {
  name: 'scale',
  about: 'export of 1,000, 5,000, 10,000 and 50,000 pages, relative to Hugo (--pages is the maximum size)',
  async run(report, { pages: maxPages = defaultPages, timeLimitSeconds }) {
    const sizes: Size[] = [];
    const notes: string[] = [];
    for (const part of [50, 10, 5, 1]) {
      const pages = Math.ceil(maxPages / part);
      report(`a corpus of ${pages} pages`);
      const { folder } = sharedCorpus(pages);
      report(`${pages} pages, docyard export`);
      const own = await exportOf(folder);
      const isCompared = part === 50 || part === 5;
      try {
        if (isCompared) report(`${pages} pages, Hugo`);
        sizes.push({ pages, own, hugo: isCompared ? await hugoOf(folder, timeLimitSeconds) : undefined });
      } catch (error) {
        notes.push(
          `Skipped Hugo at ${pages} pages: ${error instanceof Error ? error.message : String(error)}.`,
        );
        sizes.push({ pages, own, hugo: undefined });
      }
    }
    return {
      columns: [
        'pages',
        '',
        'seconds',
        'CPU seconds',
        'pages/s',
        'peak memory MB',
        'files',
        'output MB',
        'kB a page',
        'Hugo to Docyard',
      ],
      rows: sizes.flatMap((size) => rowsOf(size)),
      notes: [
        `\`docyard export\`, nothing kept from an earlier run, archive included, whose size is the output; Hugo with its bare layout, the output as files. The median of three runs, one run of what takes longer than 30 s. Peak memory is ${memoryKind}.`,
        ...notes,
      ],
      verdicts: verdictsOf(sizes, maxPages === defaultPages),
      panels: [
        {
          title: 'Pages per second as sites grow',
          about: 'Higher is better.',
          bars: sizes.flatMap((size) => speedBars(size)),
        },
        {
          title: 'Peak memory as sites grow',
          about: 'Lower is better. All processes together.',
          bars: sizes.flatMap((size) => memoryBars(size)),
        },
      ],
    };
  },
};

async function exportOf(folder: string): Promise<Exported> {
  const scratch = temporaryFolder('scale');
  const exported = await medianRun(() => docyardExport(folder, join(scratch, 'site.tar.gz')));
  rmSync(scratch, { recursive: true, force: true });
  return exported;
}

function hugoOf(sources: string, timeLimitSeconds: number): Promise<Figures> {
  return medianRun(async () => {
    const scratch = temporaryFolder('scale');
    try {
      const build = hugo.prepare(sources, scratch);
      return { ...(await run({ ...build, timeLimitSeconds })), ...sizeOf(build.output) };
    } finally {
      rmSync(scratch, { recursive: true, force: true });
    }
  });
}

function rowsOf({ pages, own, hugo: peer }: Size): (string | number)[][] {
  const row = (name: string, figures: Figures, ratio: string) => [
    counted(pages),
    name,
    rounded(figures.seconds, 2),
    rounded(figures.cpuSeconds, 2),
    Math.round(pages / figures.seconds),
    Math.round(figures.peakBytes / 1e6),
    figures.files,
    megabytes(figures.bytes),
    rounded(figures.bytes / 1000 / pages),
    ratio,
  ];
  if (peer === undefined) return [row('Docyard', own, '–')];
  return [row('Docyard', own, `${rounded(peer.seconds / own.seconds, 2)} ×`), row('Hugo', peer, '–')];
}

function verdictsOf(sizes: readonly Size[], isTargetSize: boolean): Verdict[] {
  const [small, middle, large, largest] = sizes;
  if (small === undefined || middle === undefined || large === undefined || largest === undefined) return [];
  const speed = ({ pages, own }: Size): number => pages / own.seconds;
  const times = large.hugo === undefined ? undefined : large.hugo.seconds / large.own.seconds;
  const growth = largest.own.peakBytes / middle.own.peakBytes;
  const peakMegabytes = largest.own.peakBytes / 1e6;
  return [
    verdict(
      `Cold export of ${counted(large.pages)} pages, relative to Hugo`,
      `≥ ${floors.timesHugoAt10000Pages} × as fast`,
      times === undefined ? 'not measured' : `${rounded(times, 1)} ×`,
      times === undefined ? undefined : times >= floors.timesHugoAt10000Pages,
      isTargetSize,
    ),
    verdict(
      `Pages/s at ${counted(large.pages)} relative to ${counted(small.pages)} pages`,
      'not fewer',
      `${Math.round(speed(large))} and ${Math.round(speed(small))}`,
      speed(large) >= speed(small),
      isTargetSize,
    ),
    verdict(
      `Peak memory, ${counted(largest.pages)} pages`,
      `≤ ${floors.maxPeakMegabytesAt50000Pages} MB`,
      `${Math.round(peakMegabytes)} MB`,
      peakMegabytes <= floors.maxPeakMegabytesAt50000Pages,
      isTargetSize,
    ),
    verdict(
      `Peak memory, ${counted(largest.pages)} relative to ${counted(middle.pages)} pages`,
      '≤ 1.5 ×',
      `${rounded(growth, 2)} ×`,
      growth <= 1.5,
      isTargetSize,
    ),
    verdict(
      `Pages/s at ${counted(largest.pages)} pages`,
      'time linear in the pages',
      `${Math.round(speed(largest))}, ${rounded((100 * speed(largest)) / speed(small), 0)} % of those at ${counted(small.pages)}`,
      speed(largest) >= 0.9 * speed(small),
      isTargetSize,
    ),
  ];
}

function speedBars({ pages, own, hugo: peer }: Size): Bar[] {
  const bar = (name: string, { seconds }: Figures, isOwn: boolean): Bar => ({
    label: `${name}, ${counted(pages)}`,
    value: pages / seconds,
    text: counted(pages / seconds),
    isOwn,
  });
  return [bar('Docyard', own, true), ...(peer === undefined ? [] : [bar('Hugo', peer, false)])];
}

function memoryBars({ pages, own, hugo: peer }: Size): Bar[] {
  const bar = (name: string, { peakBytes }: Figures, isOwn: boolean): Bar => ({
    label: `${name}, ${counted(pages)}`,
    value: peakBytes,
    text: `${counted(peakBytes / 1e6)} MB`,
    isOwn,
  });
  return [bar('Docyard', own, true), ...(peer === undefined ? [] : [bar('Hugo', peer, false)])];
}
