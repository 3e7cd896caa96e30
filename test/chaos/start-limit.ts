/** Decides when a process that fails to start is given up. */

export const maxFailedStarts = 5;

/** Thrown when a process fails to start repeatedly although its dependencies are available. */
export class StartFailedError extends Error {
  override name = 'StartFailedError';
}

export class StartLimit {
  readonly #name: string;
  #failures = 0;

  constructor(name: string) {
    this.#name = name;
  }

  started(): void {
    this.#failures = 0;
  }

  /** A failure during an outage does not count. */
  failed(error: unknown, isOutage: boolean): void {
    if (isOutage) return;
    this.#failures += 1;
    if (this.#failures < maxFailedStarts) return;
    throw new StartFailedError(
      `${this.#name} failed to start ${maxFailedStarts} times in a row: ${reasonOf(error)}`,
      { cause: error },
    );
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
