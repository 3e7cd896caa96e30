/** How a job ends other than well, as whoever runs it says so. It loads neither the database nor the worker. */
import type { Failure, FailureCode } from '@docyard/api';
import { failureTable } from '@docyard/api/errors';

export class JobFailure extends Error {
  readonly failure: Failure;
  /** What the job has to show all the same. */
  result: unknown;

  constructor(...args: Parameters<typeof failureOf>) {
    super(args[1]);
    this.name = 'JobFailure';
    this.failure = failureOf(...args);
  }
}

/** What ran the job was lost through no fault of its own, such as a process killed for its memory. Worth another try. */
export class RunnerLost extends Error {
  override name = 'RunnerLost';
}

export function failureOf(
  code: FailureCode,
  message: string,
  where: { file?: string; line?: number; hint?: string } = {},
): Failure {
  return {
    code,
    message,
    file: where.file ?? null,
    line: where.line ?? null,
    hint: where.hint ?? null,
    retryable: failureTable[code].retryable,
  };
}
