/** Measures the processor time of building the search index, relative to the whole export. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { heapFlags, pageHeap } from '../packages/render/src/pipeline/process-settings.ts';
import { temporaryFolder } from '../test/service.ts';
import { floors } from './floors.ts';
import { sharedCorpus } from './corpus.ts';
import { docyardBuild, docyardExport } from './docyard.ts';
import { medianRun } from './generators.ts';
import { counted, rounded, verdict, type Measurement } from './measurement.ts';
import type { IndexCost } from './search-index-process.ts';

const defaultPages = 1000;
const target = floors.maxSearchIndexShare;

export const searchIndex: Measurement = {
  name: 'search-index',
  about: 'processor time of the search index of 1,000 pages relative to that of the whole export',
  async run(report, { pages = defaultPages }) {
    const { folder } = sharedCorpus(pages);
    const scratch = temporaryFolder('search');
    report('docyard export');
    const exported = await medianRun(() => docyardExport(folder, join(scratch, 'site.tar.gz')));
    report('docyard build');
    await docyardBuild(folder, join(scratch, 'site'));
    report('the index alone');
    const index = await medianRun(() => indexAlone(join(scratch, 'site')));
    rmSync(scratch, { recursive: true, force: true });
    const share = index.seconds / exported.cpuSeconds;
    return {
      columns: ['', 'CPU seconds', 'CPU ms a page', 'share'],
      rows: [
        ['docyard export', rounded(exported.cpuSeconds, 2), perPage(exported.cpuSeconds, pages), '100 %'],
        ['the search index alone', rounded(index.seconds, 2), perPage(index.seconds, pages), percent(share)],
      ],
      notes: [
        `${counted(pages)} pages; the index has ${index.files} files of ${rounded(index.bytes / 1e6)} MB together. Alone means in a separate process that has just started, as the processes of an export have; sending words from process to process and writing the files belong to the export.`,
      ],
      verdicts: [
        verdict(
          'Search index, share of the export’s processor time',
          `≤ ${percent(target)}`,
          percent(share),
          share <= target,
          pages === defaultPages,
        ),
      ],
    };
  },
};

async function indexAlone(site: string): Promise<IndexCost> {
  const program = fileURLToPath(new URL('search-index-process.ts', import.meta.url));
  // The same heap limits as a page process.
  const child = fork(program, [site], { execArgv: heapFlags(512, pageHeap) });
  const ended = once(child, 'exit');
  const [cost] = (await Promise.race([
    once(child, 'message'),
    ended.then(([code]) => {
      throw new Error(`The process that makes the index ended with ${String(code)}.`);
    }),
  ])) as [IndexCost];
  await ended;
  return cost;
}

function perPage(seconds: number, pages: number): number {
  return rounded((1000 * seconds) / pages, 2);
}

function percent(share: number): string {
  return `${rounded(100 * share)} %`;
}
