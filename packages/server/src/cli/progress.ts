/** A line on the terminal that says how far rendering is. It shows nothing where nobody watches. */
const everyMs = 100;

export class PageProgress {
  readonly #total: number;
  readonly #shown: boolean;
  #toldAt = 0;

  constructor(total: number, wanted: boolean) {
    this.#total = total;
    this.#shown = wanted && process.stderr.isTTY;
  }

  tell(pages: number): void {
    if (!this.#shown || Date.now() - this.#toldAt < everyMs) return;
    this.#toldAt = Date.now();
    process.stderr.write(`\rRendering ${pages} of ${this.#total} pages\u001b[K`);
  }

  clear(): void {
    if (this.#shown) process.stderr.write('\r\u001b[K');
  }
}
