/**
 * The evaluation budget of one page. Steps bound time, cells bound memory; both are charged before the work
 * is done.
 */
import { UnsupportedError } from './values.ts';

const maxSteps = 200_000;
const maxCells = 2_000_000;
const maxCallDepth = 100;

export class Budget {
  #steps = maxSteps;
  #cells = maxCells;
  #depth = 0;

  step(): void {
    if (--this.#steps < 0) throw new UnsupportedError('the page needs too many steps to evaluate');
  }

  cells(count: number): void {
    this.#cells -= count;
    if (this.#cells < 0) throw new UnsupportedError('the page needs too much memory to evaluate');
  }

  deeper<Result>(work: () => Result): Result {
    if (this.#depth >= maxCallDepth) throw new UnsupportedError('functions call each other too deeply');
    this.#depth++;
    try {
      return work();
    } finally {
      this.#depth--;
    }
  }
}
