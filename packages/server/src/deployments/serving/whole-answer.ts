/**
 * An answer as the bytes that go over the wire, head and body in one piece, to be sent again and again. Only the date in
 * it changes, once a second and in place.
 */
export const keepAliveSeconds = 72;

const dateCharacters = 29;

export class WholeAnswer {
  readonly body: Buffer;
  readonly #bytes: Buffer;
  readonly #dateAt: number;
  #second = 0;

  /** Headers are names and values in turn. The body is empty until somebody writes into it. */
  constructor(status: string, headers: readonly string[], bodyBytes: number) {
    let head = `HTTP/1.1 ${status}\r\n`;
    for (let at = 0; at < headers.length; at += 2) head += `${headers[at]}: ${headers[at + 1]}\r\n`;
    head += `Connection: keep-alive\r\nKeep-Alive: timeout=${keepAliveSeconds}\r\nDate: `;
    this.#dateAt = head.length;
    head += `${' '.repeat(dateCharacters)}\r\n\r\n`;
    // Not from the shared pool: these stay for long and would keep its slabs alive.
    this.#bytes = Buffer.allocUnsafeSlow(head.length + bodyBytes);
    this.#bytes.write(head, 0, 'latin1');
    this.body = this.#bytes.subarray(head.length);
  }

  get sizeBytes(): number {
    return this.#bytes.length;
  }

  /** One that is still being sent to a slow reader may tell the time of the next request: no harm is done. */
  bytes(): Buffer {
    const second = Math.floor(Date.now() / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#bytes.write(dateText(second), this.#dateAt, 'latin1');
    }
    return this.#bytes;
  }
}

let textSecond = 0;
let text = '';

function dateText(second: number): string {
  if (second === textSecond) return text;
  textSecond = second;
  text = new Date(second * 1000).toUTCString();
  return text;
}
