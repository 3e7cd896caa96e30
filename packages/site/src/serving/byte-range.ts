/** Parses the Range header (RFC 9110). */
export interface ByteRange {
  start: number;
  /** Inclusive. */
  end: number;
}

/** Supports a single range. Several ranges or an invalid one yield undefined: the whole content is sent. */
export function byteRangeOf(
  header: string | undefined,
  sizeBytes: number,
): ByteRange | 'unsatisfiable' | undefined {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return undefined;
  if (first === '') {
    const length = Math.min(Number(last), sizeBytes);
    return length === 0 ? 'unsatisfiable' : { start: sizeBytes - length, end: sizeBytes - 1 };
  }
  const start = Number(first);
  const end = last === '' ? sizeBytes - 1 : Math.min(Number(last), sizeBytes - 1);
  if (last !== '' && Number(last) < start) return undefined;
  return start >= sizeBytes ? 'unsatisfiable' : { start, end };
}
