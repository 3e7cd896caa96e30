/** A body that is made while it is sent. */
const maxChunkLength = 64 * 1024;

/** Applies backpressure. */
export function streamOf(
  parts: AsyncGenerator<string, void, undefined>,
  signal: AbortSignal,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      let text = '';
      while (text.length < maxChunkLength) {
        signal.throwIfAborted();
        const { value, done } = await parts.next();
        if (done) {
          if (text !== '') controller.enqueue(encoder.encode(text));
          controller.close();
          return;
        }
        text += value;
      }
      controller.enqueue(encoder.encode(text));
    },
    async cancel() {
      await parts.return();
    },
  });
}
