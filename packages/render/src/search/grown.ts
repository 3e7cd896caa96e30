type Numbers = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float64Array;

/**
 * The same numbers in an array with room for so many, and for more: what does not fit moves seldom. They begin small, so that
 * this happens on the first pages, before V8 compiles those who ask for it: what it sees later for the first time makes it
 * compile them again.
 */
export function grown<T extends Numbers>(numbers: T, needed: number): T {
  const larger = new (numbers.constructor as new (length: number) => T)(Math.max(needed, numbers.length * 2));
  larger.set(numbers);
  return larger;
}
