/**
 * What one page may spend on evaluation. Steps stop endless work, cells stop large results, and both are charged
 * before the work is done.
 */
import { Unsupported } from './values.ts';

const maximumSteps = 200_000;
const maximumCells = 2_000_000;
const maximumCallDepth = 100;

export class Budget {
  #steps = maximumSteps;
  #cells = maximumCells;
  #depth = 0;

  step(): void {
    if (--this.#steps < 0) throw new Unsupported('the page needs too many steps to evaluate');
  }

  cells(count: number): void {
    this.#cells -= count;
    if (this.#cells < 0) throw new Unsupported('the page needs too much memory to evaluate');
  }

  deeper<Result>(work: () => Result): Result {
    if (this.#depth >= maximumCallDepth) throw new Unsupported('functions call each other too deeply');
    this.#depth++;
    try {
      return work();
    } finally {
      this.#depth--;
    }
  }
}
