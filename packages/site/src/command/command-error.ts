import { explainListenError } from '../network/listen-error.ts';

/** The names of the commands in messages; `docyard` and `docyard-site` share them. */
export interface CommandNames {
  program: string;
  site: string;
  import: string;
}

export const exitStatuses = { failed: 1, usage: 2, not_found: 4, problems_found: 7, conflict: 8 } as const;
export type SiteExit = keyof typeof exitStatuses;

/** A failure with a message for the caller. */
export class SiteCommandError extends Error {
  override name = 'SiteCommandError';
  readonly exit: SiteExit;

  constructor(message: string, exit: SiteExit = 'failed') {
    super(message);
    this.exit = exit;
  }
}

export function explained(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  if (error.name === 'ConfigError')
    return new SiteCommandError(error.message, error.cause === undefined ? 'usage' : 'failed');
  if (error.name === 'SourceError') return new SiteCommandError(error.message);
  if (error.name === 'LockTimeoutError') return new SiteCommandError(error.message, 'conflict');
  const listenError = explainListenError(error);
  return listenError === undefined ? error : new SiteCommandError(listenError);
}
