/**
 * Errors with which a runner ends a job. Sandboxed processes load this file, so it imports neither the
 * database nor the worker.
 */
import type { Failure, FailureCode } from '@docyard/api';
import { failureTable } from '@docyard/api/errors';

export class JobFailedError extends Error {
  readonly failure: Failure;
  /** A partial result, such as the draft of an agent. */
  result: unknown;

  constructor(...args: Parameters<typeof failureOf>) {
    super(args[1]);
    this.name = 'JobFailedError';
    this.failure = failureOf(...args);
  }
}

/**
 * A signal ended the rendering process of an export, for example because the machine ran out of memory. The memory
 * limit of Docyard is a `too_large` failure instead.
 */
export class RunnerLostError extends Error {
  override name = 'RunnerLostError';
}

export function failureOf(
  code: FailureCode,
  message: string,
  location: { file?: string; line?: number; hint?: string } = {},
): Failure {
  return {
    code,
    message,
    file: location.file ?? null,
    line: location.line ?? null,
    hint: location.hint ?? null,
    retryable: failureTable[code].retryable,
  };
}
