import type { FilePlace } from '../model/diagnostic.ts';
import type { DiagnosticCode } from '../model/finding-codes.ts';

/** The page cannot be rendered; `code` is the finding code. */
export class DocumentError extends Error {
  readonly code: DiagnosticCode;
  readonly place: FilePlace | undefined;
  readonly excerpt: string[];
  readonly excerptStart: number;

  constructor(
    code: DiagnosticCode,
    message: string,
    place: FilePlace | undefined,
    excerpt: { lines: string[]; start: number } = { lines: [], start: 1 },
  ) {
    super(message);
    this.name = 'DocumentError';
    this.code = code;
    this.place = place;
    this.excerpt = excerpt.lines;
    this.excerptStart = excerpt.start;
  }
}
