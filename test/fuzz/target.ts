/**
 * The interface of a fuzz target. A target accepts or rejects each input and throws when its promise is broken. Inputs are
 * derived from a number, so that runs can be repeated.
 */
import fc from 'fast-check';

export type Outcome = 'taken' | 'refused';

export interface Target {
  name: string;
  /** The invariant for every input, as a sentence. */
  promise: string;
  /** `run` determines the input. */
  attempt(run: number): Promise<Outcome>;
}

export function target<Input>(given: {
  name: string;
  promise: string;
  inputs: fc.Arbitrary<Input>;
  attempt: (input: Input) => Outcome | Promise<Outcome>;
}): Target & { inputOf(run: number): Input } {
  const inputOf = (run: number): Input => {
    const [input] = fc.sample(given.inputs, { seed: run, numRuns: 1 });
    return input as Input;
  };
  return {
    name: given.name,
    promise: given.promise,
    inputOf,
    attempt: async (run) => given.attempt(inputOf(run)),
  };
}

export class PromiseBroken extends Error {
  override readonly name = 'PromiseBroken';
}

/** Inherited properties must not change. */
export function insistOnCleanPrototypes(): void {
  for (const prototype of [Object.prototype, Array.prototype, Function.prototype, String.prototype]) {
    const [added] = Object.keys(prototype);
    if (added !== undefined) throw new PromiseBroken(`a prototype has got the property "${added}"`);
  }
}

/** Mutates texts of a corpus with words of a dictionary. */
export function mutatedText(corpus: readonly string[], dictionary: readonly string[]): fc.Arbitrary<string> {
  const edit = fc.record({
    how: fc.constantFrom('insert', 'remove', 'double', 'repeat', 'replace', 'wrap'),
    place: fc.double({ min: 0, max: 1, noNaN: true }),
    length: fc.nat(40),
    times: fc.oneof({ weight: 9, arbitrary: fc.integer({ min: 2, max: 30 }) }, fc.constant(300)),
    word: fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom(...dictionary) },
      fc.string({ unit: 'binary', maxLength: 6 }),
    ),
  });
  return fc
    .record({
      base: fc.constantFrom(...corpus),
      edits: fc.oneof(
        fc.array(edit, { maxLength: 0 }),
        { weight: 6, arbitrary: fc.array(edit, { minLength: 1, maxLength: 1 }) },
        { weight: 3, arbitrary: fc.array(edit, { minLength: 2, maxLength: 8 }) },
      ),
    })
    .map(({ base, edits }) =>
      edits.reduce((text, { how, place, length, times, word }) => {
        const at = Math.floor(place * text.length);
        const [before, part, after] = [
          text.slice(0, at),
          text.slice(at, at + length),
          text.slice(at + length),
        ];
        switch (how) {
          case 'insert':
            return before + word + part + after;
          case 'remove':
            return before + after;
          case 'double':
            return before + part + part + after;
          case 'repeat':
            return before + (word || part).repeat(times) + part + after;
          case 'replace':
            return before + word + after;
          default:
            return before + word + part + word + after;
        }
      }, base),
    );
}

/** Changes, removes, repeats or adds bytes. */
export function mutatedBytes(base: Uint8Array): fc.Arbitrary<Uint8Array> {
  const edit = fc.record({
    how: fc.constantFrom('change', 'remove', 'insert', 'double'),
    place: fc.nat(Math.max(0, base.length - 1)),
    length: fc.oneof({ weight: 3, arbitrary: fc.integer({ min: 1, max: 4 }) }, fc.nat(600)),
    bytes: fc.uint8Array({ minLength: 1, maxLength: 4 }),
  });
  return fc.array(edit, { maxLength: 3 }).map((edits) =>
    edits.reduce<Buffer>((bytes, { how, place, length, bytes: added }) => {
      const before = bytes.subarray(0, place);
      const part = bytes.subarray(place, place + length);
      const after = bytes.subarray(place + length);
      if (how === 'remove') return Buffer.concat([before, after]);
      if (how === 'insert') return Buffer.concat([before, added, part, after]);
      if (how === 'double') return Buffer.concat([before, part, part, after]);
      return Buffer.concat([before, added, bytes.subarray(place + added.length)]);
    }, Buffer.from(base)),
  );
}
