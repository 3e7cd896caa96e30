/**
 * The only error type that callers see. Features throw it with a code; the HTTP layer turns it into a response. Any
 * other error becomes `internal`.
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

/** Rejects a change based on an outdated version. Call it while the record is locked. */
export function requireVersion(record: { version: number }, expected: number | undefined): void {
  if (expected === undefined || expected === record.version) return;
  throw new Problem(
    'version_conflict',
    `The record has version ${record.version}, but the change is based on version ${expected}. Read the record again and repeat the change.`,
  );
}
