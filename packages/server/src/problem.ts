/**
 * The one error type that callers may see. Features throw it by code; the HTTP edge turns it into an answer.
 * Anything else that is thrown is a fault of ours and is answered as `internal`.
 */
import { errorTable, type ErrorCode } from '@docyard/api';

export interface ProblemDetail {
  path: string;
  message: string;
}

export class Problem extends Error {
  readonly code: ErrorCode;
  readonly details: ProblemDetail[] | undefined;
  readonly headers: Record<string, string>;

  constructor(
    code: ErrorCode,
    message: string,
    more: { details?: ProblemDetail[]; headers?: Record<string, string>; cause?: unknown } = {},
  ) {
    super(message, { cause: more.cause });
    this.name = 'Problem';
    this.code = code;
    this.details = more.details;
    this.headers = more.headers ?? {};
  }

  get status(): number {
    return errorTable[this.code].status;
  }
}

/** Refuses a change that is based on an outdated copy of a record. Call it while the record is locked. */
export function requireVersion(record: { version: number }, expected: number | undefined): void {
  if (expected === undefined || expected === record.version) return;
  throw new Problem(
    'version_conflict',
    `The record has version ${record.version}, and the change is based on version ${expected}. Read the record again and repeat the change.`,
  );
}
