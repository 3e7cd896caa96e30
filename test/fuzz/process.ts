/**
 * One target in a process of its own, since native code that fails takes its process along. It tells its parent how far it
 * is; of the runs `from` to `to` it tells the number of each when asked to, so that the deadly one can be found.
 */
import { targets } from './targets/index.ts';

export interface Order {
  target: string;
  from: number;
  to: number;
  everyRun: boolean;
}

export type Told =
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
      tell({ type: 'at', run });
      toldAt = began;
    }
    try {
      counts[await target.attempt(run)] += 1;
    } catch (error) {
      tell({ type: 'broken', run, message: error instanceof Error ? error.message : String(error) });
    }
    const tookMs = performance.now() - began;
    if (tookMs > counts.slowestMs) Object.assign(counts, { slowestMs: tookMs, slowestRun: run });
  }
  tell({ type: 'done', ...counts });
  process.disconnect();
  process.exit();
}

function tell(told: Told): void {
  process.send?.(told);
}
