/**
 * Measures the latency of status requests while a large site is exported, relative to an idle service. The load generator
 * competes for the same cores.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { waitForExport } from '@docyard/api';
import { commitAll, git, startService, temporaryFolder, type Service } from '../test/service.ts';
import { writeCorpus } from './corpus.ts';
import type { Load, ToGenerator } from './load-generator.ts';
import { counted, percentile, rounded, verdict, type Measurement } from './measurement.ts';

const pages = 1000;
const perSecond = 2000;
const quietSeconds = 15;
const loadedSeconds = 20;
const domain = 'corpus.example.com';
const targetMs = 20;

export const statusUnderLoad: Measurement = {
  name: 'status-under-load',
  about: `latency of ${perSecond} status GETs per second, idle and while ${pages} pages are exported`,
  async run(report) {
    const folder = temporaryFolder('corpus');
    writeCorpus(folder, pages);
    git(folder, 'init', '--quiet', '--initial-branch=main');
    commitAll(folder, 'Corpus');
    // Without a build cache, each export renders every page.
    const environment = { BUILD_CACHE_GB: '0' };
    const service = await startService({ sample: false, environment });
    try {
      const source = { repository: `file://${folder}`, ref: 'main' };
      await service.client.call('createProject', { body: { name: 'Corpus', domain, source } });
      report('a first export, so that both measurements begin warm');
      const first = await exportOnce(service);
      report(`${quietSeconds} s without an export`);
      const quiet = await measure(service, first, () => pause(quietSeconds));
      report(`${loadedSeconds} s or more while exporting`);
      let exports = 0;
      const loaded = await measure(service, first, async (aim) => {
        for (const end = Date.now() + loadedSeconds * 1000; Date.now() < end; exports += 1) {
          await exportOnce(service, aim);
        }
      });
      return {
        columns: ['', 'requests', 'errors', 'p50 ms', 'p95 ms', 'p99 ms', 'max ms', 'p99 from sending, ms'],
        rows: [row('without an export', quiet), row(`during ${exports} exports`, loaded)],
        notes: [
          `Open loop, ${counted(perSecond)} requests per second over keep-alive connections, latency from the moment a request was due. The generator shares the cores with the service and its renderers; “from sending” leaves out the time that it was itself too late.`,
        ],
        verdicts: [
          verdict(
            `Status GET at ${counted(perSecond)}/s while an export runs`,
            `p99 < ${targetMs} ms`,
            `p99 ${rounded(percentile(loaded.latencies, 0.99))} ms (without an export ${rounded(percentile(quiet.latencies, 0.99))} ms)`,
            loaded.errors === 0 && percentile(loaded.latencies, 0.99) < targetMs,
          ),
        ],
      };
    } finally {
      await service.stop();
    }
  },
};

async function exportOnce(service: Service, onStart: (url: string) => void = () => {}): Promise<string> {
  const { jobId } = await service.client.call('startExport', { body: { domain } });
  const url = `${service.origin}/v1/static-export/jobs/${jobId}`;
  onStart(url);
  const { status, failure } = await waitForExport(service.client, jobId);
  if (status !== 'completed') throw new Error(`The export ended as ${status}: ${JSON.stringify(failure)}`);
  return url;
}

async function measure(
  service: Service,
  url: string,
  meanwhile: (aim: (url: string) => void) => Promise<void>,
): Promise<Load> {
  const generator = fork(fileURLToPath(new URL('load-generator.ts', import.meta.url)), [], {
    serialization: 'advanced',
  });
  const send = (message: ToGenerator) => generator.send(message);
  const answered = once(generator, 'message') as Promise<[Load]>;
  try {
    send({ type: 'begin', url, key: service.key, perSecond });
    await meanwhile((next) => send({ type: 'aim', url: next }));
    send({ type: 'end' });
    const [load] = await answered;
    return load;
  } finally {
    generator.kill();
  }
}

function row(name: string, { latencies, fromSending, errors }: Load): (string | number)[] {
  const shares = [0.5, 0.95, 0.99, 1].map((share) => rounded(percentile(latencies, share)));
  return [name, latencies.length, errors, ...shares, rounded(percentile(fromSending, 0.99))];
}

function pause(seconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1000));
}
