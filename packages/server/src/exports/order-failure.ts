/** Why a sandboxed process cannot carry out an order, as the message for the server. */
import { SiteLoadError, type Diagnostic } from '@docyard/render';
import { isDiskFullOrLimited } from '@docyard/site/disk';
import type { Message } from './messages.ts';

type Failed = Message & { type: 'failed' };

export class OrderFailedError extends Error {
  override name = 'OrderFailedError';
  readonly failed: Failed;

  constructor(code: Failed['code'], message: string, where: Partial<Diagnostic> = {}) {
    super(message);
    const { file, line, hint } = where;
    this.failed = {
      type: 'failed',
      code,
      message,
      ...(file === undefined ? {} : { file }),
      ...(line === undefined ? {} : { line }),
      ...(hint === undefined ? {} : { hint }),
    };
  }
}

export function failureMessage(error: unknown): Failed {
  if (error instanceof OrderFailedError) return error.failed;
  if (error instanceof SiteLoadError) {
    const { diagnostic } = error;
    const code = diagnostic.code === 'site_empty' ? 'no_pages' : 'config_invalid';
    return new OrderFailedError(code, diagnostic.message, diagnostic).failed;
  }
  if (isDiskFullOrLimited(error)) {
    const hint = 'Free some space, then retry the job.';
    return new OrderFailedError('storage_failed', 'The disk is full.', { hint }).failed;
  }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return new OrderFailedError('internal', text.slice(0, 4000)).failed;
}
