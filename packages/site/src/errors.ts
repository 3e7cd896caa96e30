/** Errors with a message for the operator. */

/** An invalid setting of the environment, a file or an option. */
export class ConfigError extends Error {
  override name = 'ConfigError';
  /** Whether the value came from a command-line option. */
  readonly isUsage: boolean;

  constructor(message: string, { isUsage = false, cause }: { isUsage?: boolean; cause?: unknown } = {}) {
    super(message, { cause });
    this.isUsage = isUsage;
  }
}

export class DataFolderError extends Error {
  override name = 'DataFolderError';
}
