/** Group commit: items that arrive during a transaction are committed together in the next one. */
interface PendingItem<Item, Result> {
  item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

export class GroupCommit<Item, Result> {
  readonly #commit: (items: Item[]) => Promise<Result[]>;
  readonly #isShared: (error: unknown) => boolean;
  readonly #maxItems: number;
  readonly #pending: PendingItem<Item, Result>[] = [];
  #isCommitting = false;

  /**
   * `commit` returns results in the order of the items. When it rejects, each item is committed separately so that
   * one item does not fail the others, unless the error is shared by all.
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
      this.#pending.push({ item, resolve, reject });
      void this.#commitAll();
    });
  }

  async #commitAll(): Promise<void> {
    if (this.#isCommitting) return;
    this.#isCommitting = true;
    while (this.#pending.length > 0) await this.#commitGroup(this.#pending.splice(0, this.#maxItems));
    this.#isCommitting = false;
  }

  async #commitGroup(group: PendingItem<Item, Result>[]): Promise<void> {
    try {
      const results = await this.#commit(group.map(({ item }) => item));
      for (const [index, { resolve }] of group.entries()) resolve(results[index] as Result);
    } catch (error) {
      if (group.length === 1 || this.#isShared(error)) for (const { reject } of group) reject(error);
      else for (const each of group) await this.#commitGroup([each]);
    }
  }
}
