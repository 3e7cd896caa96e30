/**
 * Exports the same Markdown pages with Docyard and other generators on the same cores. Generators that cannot be installed or
 * built are reported as skipped.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../test/service.ts';
import { floors } from './floors.ts';
import type { Panel } from './chart.ts';
import { run, TimeLimitError, type Run } from './command.ts';
import { sharedCorpus } from './corpus.ts';
import { docyardBuild, docyardExport, type Exported } from './docyard.ts';
import {
  counted,
  median,
  megabytes,
  rounded,
  verdict,
  type Measurement,
  type Verdict,
} from './measurement.ts';
import { docusaurus } from './peers/docusaurus.ts';
import { fumadocs } from './peers/fumadocs.ts';
import { hugo, hugoDocs } from './peers/hugo.ts';
import type { Peer } from './peers/peer.ts';
import { rspress } from './peers/rspress.ts';
import { starlight } from './peers/starlight.ts';
import { vitePress } from './peers/vitepress.ts';
import { secondsToCopy, sizeOf } from './plain-files.ts';
import { memoryKind } from './process-tree.ts';

const peers: readonly Peer[] = [hugo, hugoDocs, docusaurus, starlight, vitePress, rspress, fumadocs];
const defaultPages = 1000;
const runs = 3;
/** A run that takes longer is not repeated. */
const longSeconds = 30;

export interface Figures {
  seconds: number;
  cpuSeconds: number;
  peakBytes: number;
  files: number;
  bytes: number;
  /** The run was stopped at the time limit. */
  isCutOff?: boolean;
}

export const generators: Measurement = {
  name: 'generators',
  about: `1,000 pages of plain Markdown with Docyard and with other generators: ${peers.map(({ id }) => id).join(', ')}`,
  async run(report, { pages = defaultPages, peers: wanted, timeLimitSeconds }) {
    const unknown = wanted?.filter((id) => !peers.some((peer) => peer.id === id)) ?? [];
    if (unknown.length > 0) throw new Error(`There is no generator called ${unknown.join(' or ')}.`);
    report(`a corpus of ${pages} pages`);
    const { folder: sources, sourceBytes } = sharedCorpus(pages);
    const scratch = temporaryFolder('generator');

    const archive = join(scratch, 'site.tar.gz');
    report('docyard export');
    const own = await medianRun(() => docyardExport(sources, archive));
    report('docyard build');
    const site = join(scratch, 'site');
    const built = await medianRun(async () => {
      rmSync(site, { recursive: true, force: true });
      return docyardBuild(sources, site);
    });
    report('plain file operations');
    const floorSeconds = await secondsToCopy(sources, site, join(scratch, 'copy'));
    rmSync(scratch, { recursive: true, force: true });

    const measured = new Map<Peer, Figures>();
    const skipped: string[] = [];
    for (const peer of peers.filter(({ id }) => wanted?.includes(id) ?? true)) {
      try {
        measured.set(peer, await measurePeer(peer, sources, { report, timeLimitSeconds }));
      } catch (error) {
        skipped.push(`Skipped ${peer.name}: ${error instanceof Error ? error.message : String(error)}.`);
        report(skipped.at(-1) ?? '');
      }
    }
    const ratio = (seconds: number): string => `${rounded(seconds / own.seconds, 2)} ×`;
    return {
      columns: [
        '',
        'seconds',
        'CPU seconds',
        'pages/s',
        'peak memory MB',
        'files',
        'output MB',
        'time to Docyard',
      ],
      rows: [
        [...row('docyard export', own, pages), `${megabytes(own.bytes)}, packed`, ratio(own.seconds)],
        [...row('docyard build', built, pages), megabytes(built.bytes), ratio(built.seconds)],
        ...[...measured].map(([{ name }, figures]) => [
          ...row(name, figures, pages),
          figures.isCutOff ? '–' : megabytes(figures.bytes),
          `${figures.isCutOff ? '> ' : ''}${ratio(figures.seconds)}`,
        ]),
        ['plain file operations', rounded(floorSeconds, 2), '–', '–', '–', '–', '–', ratio(floorSeconds)],
      ],
      notes: [
        `${counted(pages)} pages of plain Markdown, ${megabytes(sourceBytes)} MB, nothing kept from an earlier build; the median of ${runs} runs, one run of what takes longer than ${longSeconds} s. \`docyard export\` renders, highlights, makes the search index, checks links, writes the manifest and packs. ${[...measured.keys()].map(({ name, about }) => `${name}: ${about}.`).join(' ')} Plain file operations read the same sources and write what \`docyard build\` wrote. Peak memory is ${memoryKind}.`,
        ...skipped,
      ],
      verdicts: verdictsOf(own, measured, pages),
      panels: panelsOf(own, measured, pages),
    };
  },
};

/** Each run starts from a clean state; the preparation is not measured. */
async function measurePeer(
  peer: Peer,
  sources: string,
  { report, timeLimitSeconds }: { report: (progress: string) => void; timeLimitSeconds: number },
): Promise<Figures> {
  let turn = 0;
  try {
    return await medianRun(async () => {
      turn += 1;
      const folder = temporaryFolder('generator');
      try {
        report(`${peer.name}, preparing`);
        const build = peer.prepare(sources, folder);
        report(`${peer.name}, run ${turn}`);
        const { seconds, cpuSeconds, peakBytes } = await run({ ...build, timeLimitSeconds });
        return { seconds, cpuSeconds, peakBytes, ...sizeOf(build.output) };
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    });
  } catch (error) {
    if (!(error instanceof TimeLimitError)) throw error;
    const { limitSeconds: seconds, peakBytes } = error;
    return { seconds, peakBytes, cpuSeconds: 0, files: 0, bytes: 0, isCutOff: true };
  }
}

/** The run with the median time. The duration of the first run decides whether there are more. */
export async function medianRun<T extends Pick<Run, 'seconds'>>(once: () => Promise<T>): Promise<T> {
  const all = [await once()];
  while (all.length < runs && (all[0]?.seconds ?? 0) <= longSeconds) all.push(await once());
  const middle = median(all.map(({ seconds }) => seconds));
  return all.find(({ seconds }) => seconds === middle) as T;
}

function row(name: string, figures: Figures, pages: number): (string | number)[] {
  const { seconds, cpuSeconds, peakBytes, files, isCutOff } = figures;
  const memory = Math.round(peakBytes / 1e6);
  if (isCutOff) return [name, `> ${seconds}`, '–', `< ${rounded(pages / seconds)}`, `> ${memory}`, '–'];
  return [name, rounded(seconds, 2), rounded(cpuSeconds, 2), Math.round(pages / seconds), memory, files];
}

function verdictsOf(own: Exported, measured: ReadonlyMap<Peer, Figures>, pages: number): Verdict[] {
  const isTargetSize = pages === defaultPages;
  const times = (peer: Peer): number => (measured.get(peer)?.seconds ?? Number.NaN) / own.seconds;
  const format = (ratio: number): string => (Number.isNaN(ratio) ? 'not measured' : `${rounded(ratio, 1)} ×`);
  const finished = [...measured.keys()].filter((peer) => peer.isJavaScript && !measured.get(peer)?.isCutOff);
  const fastest = finished.toSorted((a, b) => times(a) - times(b))[0];
  const kilobytesAPage = own.bytes / 1000 / pages;
  const filesAPage = own.files / pages;
  const size = `${counted(pages)} pages`;
  return [
    verdict(
      `Cold export of ${size}, relative to Hugo`,
      `≥ ${floors.timesHugoAt1000Pages} × as fast`,
      `${format(times(hugo))} (documentation layout: ${format(times(hugoDocs))})`,
      measured.has(hugo) ? times(hugo) >= floors.timesHugoAt1000Pages : undefined,
      isTargetSize,
    ),
    verdict(
      `Cold export of ${size}, relative to the fastest JavaScript generator`,
      `≥ ${floors.timesFastestJavaScriptGenerator} × as fast`,
      fastest === undefined ? 'not measured' : `${format(times(fastest))} (${fastest.name})`,
      fastest === undefined ? undefined : times(fastest) >= floors.timesFastestJavaScriptGenerator,
      isTargetSize,
    ),
    verdict(
      `Peak memory, ${size}`,
      `≤ ${floors.maxPeakMegabytesAt1000Pages} MB`,
      `${Math.round(own.peakBytes / 1e6)} MB`,
      own.peakBytes <= floors.maxPeakMegabytesAt1000Pages * 1e6,
      isTargetSize,
    ),
    verdict(
      `Output packed, ${size}`,
      `≤ ${floors.maxPackedKilobytesPerPage} kB a page`,
      `${rounded(kilobytesAPage)} kB a page`,
      kilobytesAPage <= floors.maxPackedKilobytesPerPage,
      isTargetSize,
    ),
    verdict(
      `Files, ${size}`,
      `≤ ${floors.maxFilesPerPage} a page`,
      `${rounded(filesAPage, 2)} a page`,
      filesAPage <= floors.maxFilesPerPage,
      isTargetSize,
    ),
  ];
}

function panelsOf(own: Exported, measured: ReadonlyMap<Peer, Figures>, pages: number): Panel[] {
  const all: [string, Figures][] = [
    ['Docyard', own],
    ...[...measured]
      .map(([{ name }, figures]): [string, Figures] => [name, figures])
      .toSorted(([, a], [, b]) => a.seconds - b.seconds),
  ];
  const bars = (value: (figures: Figures) => number, unit: string, digits: number) =>
    all.map(([label, figures], index) => {
      const shown = Number(value(figures).toFixed(digits)).toLocaleString('en-US');
      const text = `${figures.isCutOff ? '> ' : ''}${shown} ${unit}`;
      return { label, value: value(figures), text, isOwn: index === 0 };
    });
  const about = 'Lower is better. Docyard with search index, checks and archive.';
  return [
    { title: `Seconds for ${counted(pages)} pages`, about, bars: bars(({ seconds }) => seconds, 's', 1) },
    {
      title: `Peak memory for ${counted(pages)} pages`,
      about: 'Lower is better. All processes together.',
      bars: bars(({ peakBytes }) => peakBytes / 1e6, 'MB', 0),
    },
  ];
}
