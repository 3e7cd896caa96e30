/**
 * A program for WebAssembly that was started, and its memory. What each of them does is told in `assembly/`; where its file lies
 * is told by whoever starts it, since a bundler looks for addresses that are written out.
 */
import { readFileSync } from 'node:fs';

export class AssemblyProgram<Exports extends { memory: WebAssembly.Memory }> {
  readonly run: Exports;
  #bytes: Buffer;

  constructor(module: WebAssembly.Module, imports?: WebAssembly.Imports) {
    this.run = new WebAssembly.Instance(module, imports).exports as unknown as Exports;
    this.#bytes = Buffer.from(this.run.memory.buffer);
  }

  /** All of its memory, which moves when it grows. */
  get bytes(): Buffer {
    if (this.#bytes.length === 0) this.#bytes = Buffer.from(this.run.memory.buffer);
    return this.#bytes;
  }

  numbers(place: number, count: number): Int32Array {
    return new Int32Array(this.run.memory.buffer, place, count);
  }
}

/** Compiles it when it is first asked for. */
export function compiledOnce(file: URL): () => WebAssembly.Module {
  let module: WebAssembly.Module | undefined;
  return () => (module ??= new WebAssembly.Module(readFileSync(file)));
}
