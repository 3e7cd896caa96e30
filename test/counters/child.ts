/**
 * Exports a site in one process and counts allocated bytes and steps (function calls and branches taken). `count.ts` starts it with
 * a young generation that is never collected and without optimized code, which makes the counts deterministic.
 */
import { EventEmitter } from 'node:events';
import { Session } from 'node:inspector';
import { createRequire, syncBuiltinESMExports } from 'node:module';
import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import type { Counted } from './count.ts';

const stages = [
  'highlight',
  'search',
  'document',
  'page',
  'components',
  'openapi',
  'facts',
  'text',
  'check',
  'theme',
  'outputs',
];
const { send } = process;

async function main([warmUp = '', measured = '']: string[]): Promise<void> {
  renderPagesHere();
  const { loadSite, renderSite } = await import('@docyard/render');
  const steps = startCounting();
  await exportSite(warmUp);
  steps();
  globalThis.gc?.();
  let collections = 0;
  const observer = new PerformanceObserver((seen) => (collections += seen.getEntries().length));
  observer.observe({ entryTypes: ['gc'] });
  const before = getHeapStatistics().used_heap_size;
  const written = await exportSite(measured);
  const allocated = getHeapStatistics().used_heap_size - before;
  if (collections + observer.takeRecords().length > 0)
    throw new Error('The garbage collector ran, so the count of allocations is invalid.');
  const counted: Counted = { ...written, allocated, steps: steps() };
  send?.call(process, counted, () => process.exit());

  async function exportSite(root: string): Promise<Pick<Counted, 'pages' | 'files' | 'outputBytes'>> {
    const counts = { pages: 0, files: 0, outputBytes: 0 };
    const site = await loadSite({ root });
    for await (const event of renderSite(site, { concurrency: 1 })) {
      if (event.type === 'report' && event.report.errors > 0)
        throw new Error(
          `The site was rendered with an error: ${JSON.stringify(event.report.diagnostics[0])}`,
        );
      if (event.type !== 'file') continue;
      counts.files += 1;
      if (event.file.kind === 'page') counts.pages += 1;
      if ('read' in event.file.content) counts.outputBytes += event.file.content.sizeBytes;
    }
    return counts;
  }
}

/** Loads the program of page processes into this process, so that their work is counted too. */
function renderPagesHere(): void {
  const processes = createRequire(import.meta.url)('node:child_process') as { fork: unknown };
  processes.fork = (program: string) => new InProcessChild(program);
  syncBuiltinESMExports();
}

class InProcessChild extends EventEmitter {
  readonly connected = true;
  readonly #loaded: Promise<unknown>;

  constructor(program: string) {
    super();
    this.#loaded = import(program);
    process.send = (answer: object) => {
      const copy = structuredClone(answer);
      return setImmediate(() => this.emit('message', copy)).hasRef();
    };
  }

  send(message: object): void {
    const copy = structuredClone(message);
    void this.#loaded.then(() => process.emit('message', copy, undefined));
  }

  kill(): void {}
}

/** The returned function gives the steps since its last call, by folder of the renderer. */
function startCounting(): () => Record<string, number> {
  const session = new Session();
  session.connect();
  const ask = (method: string, parameters: object = {}): unknown => {
    let answer: unknown;
    session.post(method, parameters, (error, result) => {
      if (error) throw error;
      answer = result;
    });
    return answer;
  };
  ask('Profiler.enable');
  ask('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  return () => {
    const counts = Object.fromEntries([...stages, 'rest'].map((stage) => [stage, 0]));
    const { result } = ask('Profiler.takePreciseCoverage') as Coverage;
    for (const { url, functions } of result) {
      const [, folder = ''] = /\/packages\/render\/src\/([a-z-]+)\//.exec(url) ?? [];
      const stage = stages.includes(folder) ? folder : 'rest';
      if (!url.startsWith('file:')) continue;
      for (const { ranges } of functions) {
        for (const { count } of ranges) counts[stage] = (counts[stage] ?? 0) + count;
      }
    }
    return counts;
  };
}

interface Coverage {
  result: { url: string; functions: { ranges: { count: number }[] }[] }[];
}

await main(process.argv.slice(2));
