/** Errors with a sentence for the operator. */

/** A setting of the environment, of a file or of a command-line option cannot be used. */
export class ConfigError extends Error {
  override name = 'ConfigError';
  /** The value of a command-line option is wrong, and not one of the environment. */
  readonly isUsage: boolean;

  constructor(message: string, { isUsage = false } = {}) {
    super(message);
    this.isUsage = isUsage;
  }
}

export class DataFolderError extends Error {
  override name = 'DataFolderError';
}
