/**
 * Starts the program that reads the tags of rendered HTML, and stands between its memory and JavaScript. What the program does
 * is told in `assembly/tags`.
 */
import { readFileSync } from 'node:fs';

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

export class TagProgram {
  readonly run: Exports;
  #bytes: Buffer;
  #source = 0;

  constructor() {
    this.run = new WebAssembly.Instance(compiled()).exports as unknown as Exports;
    this.#bytes = Buffer.from(this.run.memory.buffer);
  }

  get memoryBytes(): number {
    return this.bytes.length;
  }

  /** All of its memory, which moves when it grows. */
  get bytes(): Buffer {
    if (this.#bytes.length === 0) this.#bytes = Buffer.from(this.run.memory.buffer);
    return this.#bytes;
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

  numbers(place: number, count: number): Int32Array {
    return new Int32Array(this.run.memory.buffer, place, count);
  }
}

let module: WebAssembly.Module | undefined;

function compiled(): WebAssembly.Module {
  module ??= new WebAssembly.Module(readFileSync(new URL('tag-program.wasm', import.meta.url)));
  return module;
}
