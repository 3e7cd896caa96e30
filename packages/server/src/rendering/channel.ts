/**
 * Our end of the channel on which a rendering process speaks: one JSON text a line, as Node writes it on the other end. Node's
 * own end would take a message of any size, and open files; the process may have been turned by what it read, so this one
 * takes text, and not more than is bearable.
 */
import type { Duplex } from 'node:stream';
import { withBytesAsText, withTextAsBytes } from './protocol.ts';

export interface ChannelLimits {
  messageBytes: number;
  /** Of all messages together, to begin with; */
  bytes: number;
  /** and as much again each second, so that a long job can go on telling how far it is. */
  bytesPerSecond: number;
}

/** A manifest of 64 MB in base64 is the longest that anybody means to send. */
export const usualChannelLimits: ChannelLimits = {
  messageBytes: 96 * 1024 ** 2,
  bytes: 256 * 1024 ** 2,
  bytesPerSecond: 1024 ** 2,
};

/** The process said what cannot be listened to. */
export class ChannelAbused extends Error {
  override name = 'ChannelAbused';
}

export interface Channel {
  send(message: object): void;
  /** Resolves when the last word was heard; rejects when `hear` throws or the limits are passed. */
  ended: Promise<void>;
}

export function openChannel(
  stream: Duplex,
  hear: (message: unknown) => void,
  limits: ChannelLimits = usualChannelLimits,
): Channel {
  const began = performance.now();
  let received = 0;
  let line: Buffer[] = [];
  let lineBytes = 0;
  const take = (part: Buffer): void => {
    line.push(part);
    lineBytes += part.length;
    if (lineBytes > limits.messageBytes)
      throw new ChannelAbused(`The rendering process sent a message of over ${limits.messageBytes} bytes.`);
  };
  const endLine = (): void => {
    const text = Buffer.concat(line).toString();
    line = [];
    lineBytes = 0;
    hear(parse(text));
  };
  const receive = (chunk: Buffer): void => {
    received += chunk.length;
    const seconds = (performance.now() - began) / 1000;
    if (received > limits.bytes + seconds * limits.bytesPerSecond)
      throw new ChannelAbused(`The rendering process sent over ${limits.bytes} bytes of messages.`);
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
    // A process that was killed leaves its end as an error; what it is about is told by its exit.
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
    throw new ChannelAbused('The rendering process sent what is no message.');
  }
}
