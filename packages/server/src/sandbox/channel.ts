/**
 * The server's end of the message channel: one JSON text per line, as Node's IPC writes it. Node's own end
 * would accept messages of any size and open files from a compromised process; this one accepts text within
 * limits.
 */
import type { Duplex } from 'node:stream';
import { withBytesAsText, withTextAsBytes } from './protocol.ts';

export interface ChannelLimits {
  messageBytes: number;
  /** For all messages together, at the start. */
  bytes: number;
  /** Added to `bytes` per second, so that a long job can report progress. */
  bytesPerSecond: number;
}

/** The largest legitimate message is a manifest in base64. */
export const defaultChannelLimits: ChannelLimits = {
  messageBytes: 96 * 1024 ** 2,
  bytes: 256 * 1024 ** 2,
  bytesPerSecond: 1024 ** 2,
};

/** The process violated the protocol or its limits. */
export class ChannelError extends Error {
  override name = 'ChannelError';
}

export interface Channel {
  send(message: object): void;
  /** Resolves when the channel closes; rejects when `onMessage` throws or a limit is exceeded. */
  ended: Promise<void>;
}

export function openChannel(
  stream: Duplex,
  onMessage: (message: unknown) => void,
  limits: ChannelLimits = defaultChannelLimits,
): Channel {
  const began = performance.now();
  let received = 0;
  let line: Buffer[] = [];
  let lineBytes = 0;
  const take = (part: Buffer): void => {
    line.push(part);
    lineBytes += part.length;
    if (lineBytes > limits.messageBytes)
      throw new ChannelError(`The rendering process sent a message of over ${limits.messageBytes} bytes.`);
  };
  const endLine = (): void => {
    const text = Buffer.concat(line).toString();
    line = [];
    lineBytes = 0;
    onMessage(parse(text));
  };
  const receive = (chunk: Buffer): void => {
    received += chunk.length;
    const seconds = (performance.now() - began) / 1000;
    if (received > limits.bytes + seconds * limits.bytesPerSecond)
      throw new ChannelError(`The rendering process sent over ${limits.bytes} bytes of messages.`);
    let from = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, from)) {
      take(chunk.subarray(from, end));
      endLine();
      from = end + 1;
    }
    if (from < chunk.length) take(chunk.subarray(from));
  };
  const ended = new Promise<void>((resolve, reject) => {
    stream.on('data', (chunk: Buffer) => {
      try {
        receive(chunk);
      } catch (error) {
        stream.destroy();
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    });
    // A killed process closes its end with an error; its exit status has the cause.
    stream.on('error', () => undefined);
    stream.once('close', resolve);
  });
  return {
    send(message) {
      if (stream.writable) stream.write(`${JSON.stringify(withBytesAsText(message))}\n`);
    },
    ended,
  };
}

const newline = 0x0a;

function parse(text: string): unknown {
  try {
    return withTextAsBytes(JSON.parse(text));
  } catch {
    throw new ChannelError('The rendering process sent invalid JSON.');
  }
}
