/** Measures an export of a 1,000-page site through the API, relative to the command line on the same sources. */
import { join } from 'node:path';
import { waitForExport } from '@docyard/api';
import { commitAll, git, startService, temporaryFolder } from '../test/service.ts';
import { writeCorpus } from './corpus.ts';
import { docyardBuild } from './docyard.ts';
import { median, megabytes, rounded, type Measurement } from './measurement.ts';
import { memoryKind, watchMemory } from './process-tree.ts';

const runs = 3;

interface Run {
  seconds: number;
  peakBytes: number;
}

export const exportPages: Measurement = {
  name: 'export-pages',
  about: '1,000 pages of MDX through the API, relative to `docyard build`',
  async run(report, { pages = 1000 }) {
    const folder = temporaryFolder('corpus');
    const { sourceFiles, sourceBytes } = writeCorpus(folder, pages);
    report(`docyard build, ${runs} times`);
    const built = await repeat((run) => docyardBuild(folder, join(temporaryFolder('out'), `site-${run}`)));
    git(folder, 'init', '--quiet', '--initial-branch=main');
    commitAll(folder, 'Corpus');
    report(`export through the API, ${runs} times`);
    const { exported, archive } = await exportThroughApi(folder);
    const [first] = built;
    return {
      columns: ['', 'seconds', 'pages/s', 'peak memory MB', 'files', 'output MB'],
      rows: [
        [...speed('docyard build', pages, built), first?.files ?? 0, megabytes(first?.bytes ?? 0)],
        [
          ...speed('export through the API', pages, exported),
          archive.fileCount,
          `${megabytes(archive.sizeBytes)}, packed`,
        ],
      ],
      notes: [
        `Median of ${runs} runs with the sources in the file cache; ${sourceFiles} source files, ${megabytes(sourceBytes)} MB. Each run finds nothing of another one: a new folder, a new project. The API export fetches from git, renders, packs and stores durably. Peak memory is ${memoryKind}, the service included.`,
      ],
    };
  },
};

function speed(name: string, pages: number, all: readonly Run[]): (string | number)[] {
  const seconds = median(all.map((run) => run.seconds));
  const peak = Math.max(...all.map((run) => run.peakBytes));
  return [name, rounded(seconds, 2), Math.round(pages / seconds), Math.round(peak / 1e6)];
}

async function repeat<T>(once: (run: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (let run = 0; run < runs; run += 1) results.push(await once(run));
  return results;
}

async function exportThroughApi(folder: string) {
  const service = await startService({ sample: false });
  try {
    let archive = { fileCount: 0, sizeBytes: 0 };
    const exported = await repeat(async (run): Promise<Run> => {
      const domain = `corpus-${run}.example.com`;
      const source = { repository: `file://${folder}`, ref: 'main' };
      await service.client.call('createProject', { body: { name: `Corpus ${run}`, domain, source } });
      const began = performance.now();
      const peak = watchMemory(service.pid);
      const { jobId } = await service.client.call('startExport', { body: { domain } });
      const job = await waitForExport(service.client, jobId);
      const seconds = (performance.now() - began) / 1000;
      if (job.bundle === null) throw new Error(`The export ended as ${JSON.stringify(job.failure)}`);
      archive = job.bundle;
      return { seconds, peakBytes: peak() };
    });
    return { exported, archive };
  } finally {
    await service.stop();
  }
}
