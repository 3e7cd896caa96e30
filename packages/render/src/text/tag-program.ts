/**
 * Starts the program that reads the tags of rendered HTML, and stands between its memory and JavaScript. What the program does
 * is told in `assembly/tags`.
 */
import { AssemblyProgram, compiledOnce } from './assembly-program.ts';

/** As they are told in `assembly/tags`. */
interface Exports {
  memory: WebAssembly.Memory;
  roomForHtml(length: number): number;
  mayHoldSecrets(): number;
  scan(): number;
  tagsPlace(): number;
  roomForIdStart(bytes: number): number;
  print(): number;
  printedPlace(): number;
  addressesPlace(): number;
  addressCount(): number;
}

/** What a page of usual size needs is a hundredth of it. */
const mostMemoryBytes = 32 * 1024 * 1024;

/** One for the process. It is left behind when its memory, which never shrinks, has become large. */
let program: TagProgram | undefined;

export function tagProgram(): TagProgram {
  if (program === undefined || program.memoryBytes > mostMemoryBytes) program = new TagProgram();
  return program;
}

export class TagProgram extends AssemblyProgram<Exports> {
  #source = 0;

  constructor() {
    super(compiled());
  }

  get memoryBytes(): number {
    return this.bytes.length;
  }

  /** The HTML that is read next, in parts that follow each other. */
  take(parts: readonly Uint8Array[]): void {
    let length = 0;
    for (const part of parts) length += part.length;
    let at = (this.#source = this.run.roomForHtml(length));
    for (const part of parts) {
      this.bytes.set(part, at);
      at += part.length;
    }
  }

  /** A stretch of that, with one character for each byte. */
  byteText(from: number, to: number): string {
    return from === to ? '' : this.bytes.toString('latin1', this.#source + from, this.#source + to);
  }
}

const compiled = compiledOnce(new URL('tag-program.wasm', import.meta.url));
