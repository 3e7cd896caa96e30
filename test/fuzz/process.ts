/**
 * Runs one target in a process, because a failure of native code kills its process. It reports progress, and every run number
 * on request.
 */
import { targets } from './targets/index.ts';

export interface Order {
  target: string;
  from: number;
  to: number;
  everyRun: boolean;
}

export type Progress =
  | { type: 'at'; run: number }
  | { type: 'broken'; run: number; message: string }
  | { type: 'done'; taken: number; refused: number; slowestMs: number; slowestRun: number };

process.once('message', (order: Order) => void work(order));

async function work({ target: name, from, to, everyRun }: Order): Promise<void> {
  const target = targets.find((each) => each.name === name);
  if (target === undefined) throw new Error(`there is no target ${name}`);
  const counts = { taken: 0, refused: 0, slowestMs: 0, slowestRun: from };
  let toldAt = 0;
  for (let run = from; run < to; run += 1) {
    const began = performance.now();
    if (everyRun || began - toldAt > 500) {
      report({ type: 'at', run });
      toldAt = began;
    }
    try {
      counts[await target.attempt(run)] += 1;
    } catch (error) {
      report({ type: 'broken', run, message: error instanceof Error ? error.message : String(error) });
    }
    const tookMs = performance.now() - began;
    if (tookMs > counts.slowestMs) Object.assign(counts, { slowestMs: tookMs, slowestRun: run });
  }
  report({ type: 'done', ...counts });
  process.disconnect();
  process.exit();
}

function report(progress: Progress): void {
  process.send?.(progress);
}
