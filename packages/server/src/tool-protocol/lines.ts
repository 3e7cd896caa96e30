/** Lines of a stream whose sender is not trusted: nothing longer than a limit is ever kept. */

export interface LineLimits {
  lineBytes: number;
  /** Of all lines together; the rest is not read. */
  bytes: number;
}

/** Undefined stands for a line that is longer than it may be. */
export async function* linesOf(
  input: AsyncIterable<Uint8Array>,
  limits: LineLimits,
): AsyncGenerator<string | undefined> {
  let leftBytes = limits.bytes;
  let parts: Uint8Array[] = [];
  let sizeBytes = 0;
  const take = (): string | undefined => {
    const line = sizeBytes > limits.lineBytes ? undefined : Buffer.concat(parts).toString();
    parts = [];
    sizeBytes = 0;
    return line;
  };
  for await (const chunk of input) {
    leftBytes -= chunk.length;
    if (leftBytes < 0) return;
    let from = 0;
    for (;;) {
      const newline = chunk.indexOf(0x0a, from);
      const part = chunk.subarray(from, newline === -1 ? chunk.length : newline);
      sizeBytes += part.length;
      if (sizeBytes > limits.lineBytes) parts = [];
      else parts.push(part);
      if (newline === -1) break;
      yield take();
      from = newline + 1;
    }
  }
  if (sizeBytes > 0) yield take();
}
