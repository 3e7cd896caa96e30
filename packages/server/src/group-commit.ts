/**
 * Group commit: what arrives while one transaction is under way is done together in the next one. A single item begins at
 * once; under load a transaction, its locks and its wait for the disk are shared by many.
 */
interface Waiting<Item, Result> {
  item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

export class GroupCommit<Item, Result> {
  readonly #commit: (items: Item[]) => Promise<Result[]>;
  readonly #isShared: (error: unknown) => boolean;
  readonly #maxItems: number;
  readonly #waiting: Waiting<Item, Result>[] = [];
  #isCommitting = false;

  /**
   * `commit` gives the results in the order of the items. When it rejects, each item is done on its own, so that one does
   * not fail the others, unless the error is shared by all of them.
   */
  constructor(
    commit: (items: Item[]) => Promise<Result[]>,
    options: { isShared: (error: unknown) => boolean; maxItems: number },
  ) {
    this.#commit = commit;
    this.#isShared = options.isShared;
    this.#maxItems = options.maxItems;
  }

  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      void this.#commitAll();
    });
  }

  async #commitAll(): Promise<void> {
    if (this.#isCommitting) return;
    this.#isCommitting = true;
    while (this.#waiting.length > 0) await this.#commitGroup(this.#waiting.splice(0, this.#maxItems));
    this.#isCommitting = false;
  }

  async #commitGroup(group: Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.#commit(group.map(({ item }) => item));
      for (const [index, { resolve }] of group.entries()) resolve(results[index] as Result);
    } catch (error) {
      if (group.length === 1 || this.#isShared(error)) for (const { reject } of group) reject(error);
      else for (const each of group) await this.#commitGroup([each]);
    }
  }
}
