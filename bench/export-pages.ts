/**
 * How long a 1,000-page site takes, from the command line and through the API, beside the floor: reading the same
 * sources and writing the same bytes with plain file copies.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { waitForExport } from '@docyard/api';
import { commitAll, git, program, startService, temporaryFolder } from '../test/service.ts';
import { writeCorpus } from './corpus.ts';
import { median, megabytes, rounded, type Measurement } from './measurement.ts';
import { secondsToCopy } from './plain-files.ts';
import { watchMemory } from './process-tree.ts';

const runs = 3;
const domain = 'corpus.example.com';

export const exportPages: Measurement = {
  name: 'export-pages',
  about: '1,000 pages with `docyard build` and through the API, beside plain file copies',
  async run(tell, { pages = 1000 }) {
    const folder = temporaryFolder('corpus');
    const corpus = await writeCorpus(folder, pages);
    const out = join(temporaryFolder('out'), 'site');
    tell(`docyard build, ${runs} times`);
    const built = await repeat(() => build(folder, out));
    tell(`plain file copies, ${runs} times`);
    const copied = await repeat(() => secondsToCopy(folder, out, join(temporaryFolder('copy'), 'site')));
    git(folder, 'init', '--quiet', '--initial-branch=main');
    commitAll(folder, 'Corpus');
    tell(`export through the API, ${runs} times`);
    const { runs: exported, archive } = await exportThroughApi(folder);
    const [first] = built;
    return {
      columns: ['', 'seconds', 'pages/s', 'peak memory MB', 'files', 'output MB', 'archive MB'],
      rows: [
        [...speed('docyard build', pages, built), first?.files ?? 0, megabytes(first?.bytes ?? 0), '–'],
        [
          ...speed('export through the API', pages, exported),
          archive.fileCount,
          '–',
          megabytes(archive.sizeBytes),
        ],
        [
          'plain file copies',
          rounded(median(copied), 2),
          Math.round(pages / median(copied)),
          '–',
          '–',
          '–',
          '–',
        ],
      ],
      notes: [
        `Median of ${runs} runs with the sources in the file cache; ${corpus.sourceFiles} source files, ${megabytes(corpus.sourceBytes)} MB. Peak memory is the sum over the process and its children, the service included. The API export runs from the request to the completed record: it fetches from git, renders, packs and stores durably.`,
      ],
    };
  },
};

interface Run {
  seconds: number;
  peakBytes: number;
}

function speed(name: string, pages: number, all: readonly Run[]): (string | number)[] {
  const seconds = median(all.map((run) => run.seconds));
  const peak = Math.max(...all.map((run) => run.peakBytes));
  return [name, rounded(seconds, 2), Math.round(pages / seconds), Math.round(peak / 1e6)];
}

async function repeat<T>(once: () => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (let run = 0; run < runs; run += 1) results.push(await once());
  return results;
}

async function build(folder: string, out: string): Promise<Run & { files: number; bytes: number }> {
  const began = performance.now();
  const child = spawn(process.execPath, [program, 'build', folder, '--out', out, '--json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const peak = watchMemory(child.pid ?? 0);
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  const status = await new Promise<number | null>((resolve) => child.once('close', resolve));
  const seconds = (performance.now() - began) / 1000;
  if (status !== 0) throw new Error(`docyard build ended with ${status}`);
  const { files, bytes, errors } = JSON.parse(output) as { files: number; bytes: number; errors: number };
  if (errors > 0) throw new Error(`The corpus has ${errors} errors.`);
  return { seconds, peakBytes: peak(), files, bytes };
}

async function exportThroughApi(folder: string) {
  const service = await startService({ sample: false });
  try {
    const source = { repository: `file://${folder}`, ref: 'main' };
    await service.client.call('createProject', { body: { name: 'Corpus', domain, source } });
    let archive = { fileCount: 0, sizeBytes: 0 };
    const all = await repeat(async (): Promise<Run> => {
      const began = performance.now();
      const peak = watchMemory(service.pid);
      const { jobId } = await service.client.call('startExport', { body: { domain } });
      const job = await waitForExport(service.client, jobId);
      const seconds = (performance.now() - began) / 1000;
      if (job.bundle === null) throw new Error(`The export ended as ${JSON.stringify(job.failure)}`);
      archive = job.bundle;
      return { seconds, peakBytes: peak() };
    });
    return { runs: all, archive };
  } finally {
    await service.stop();
  }
}
