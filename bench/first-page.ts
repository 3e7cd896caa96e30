/** Measures the time from a request for an export to the first response that counts a rendered page, on a warm service. */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { waitForExport } from '@docyard/api';
import { commitAll, git, startService, temporaryFolder, type Service } from '../test/service.ts';
import { writeCorpus } from './corpus.ts';
import { counted, median, percentile, rounded, verdict, type Measurement } from './measurement.ts';

const defaultPages = 1000;
const runs = 10;
const askEveryMs = 3;
/** Exports start on an idle service. */
const restMs = 1000;
const targetMs = 300;

export const firstPage: Measurement = {
  name: 'first-page',
  about:
    'from the request that starts an export of 1,000 pages to its first rendered page, on a warm service',
  async run(report, { pages = defaultPages }) {
    const folder = temporaryFolder('corpus');
    writeCorpus(folder, pages);
    git(folder, 'init', '--quiet', '--initial-branch=main');
    git(folder, 'config', 'gc.auto', '0');
    commitAll(folder, 'Corpus');
    const source = { repository: `file://${folder}`, ref: 'main' };
    const service = await startService({ sample: false });
    const again: number[] = [];
    const anew: number[] = [];
    try {
      for (let run = 0; run <= runs; run += 1) {
        report(run === 0 ? 'an export that warms the service' : `round ${run} of ${runs}`);
        const domain = `corpus-${run}.example.com`;
        await service.client.call('createProject', { body: { name: `Corpus ${run}`, domain, source } });
        const first = await millisecondsToFirstPage(service, domain);
        appendFileSync(join(folder, 'index.mdx'), `\nA sentence of round ${run}.\n`);
        commitAll(folder, 'Edit');
        const second = await millisecondsToFirstPage(service, domain);
        if (run === 0) continue;
        anew.push(first);
        again.push(second);
      }
    } finally {
      await service.stop();
    }
    return {
      columns: ['', 'median ms', 'p90 ms', 'slowest ms'],
      rows: [
        ['after an edit of one page', ...figures(again)],
        ['first export of a project', ...figures(anew)],
      ],
      notes: [
        `${counted(pages)} pages, ${runs} exports of each kind after others that are not counted. The clock runs from before the POST to the first answer about the job with a page count above zero; fetching from git, starting the renderer and reading the site are in it. The service has been at rest for a second each time.`,
      ],
      verdicts: [
        verdict(
          'Start of an export → first page rendered, warm service',
          `≤ ${targetMs} ms`,
          `${rounded(median(again), 0)} ms (first export of a project: ${rounded(median(anew), 0)} ms)`,
          median(again) <= targetMs,
          pages === defaultPages,
        ),
      ],
    };
  },
};

function figures(times: readonly number[]): number[] {
  return [median(times), percentile(times, 0.9), Math.max(...times)].map((ms) => rounded(ms, 0));
}

async function millisecondsToFirstPage(service: Service, domain: string): Promise<number> {
  await pause(restMs);
  const began = performance.now();
  const { jobId } = await service.client.call('startExport', { body: { domain } });
  while (!(await hasPage(service, jobId))) await pause(askEveryMs);
  const ms = performance.now() - began;
  const { failure } = await waitForExport(service.client, jobId);
  if (failure !== null) throw new Error(`The export ended as ${JSON.stringify(failure)}`);
  return ms;
}

async function hasPage(service: Service, jobId: string): Promise<boolean> {
  const { pageCount, failure } = await service.client.call('readExport', { params: { jobId } });
  return pageCount > 0 || failure !== null;
}
