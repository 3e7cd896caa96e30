type Numbers = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float64Array;

export function growArray<T extends Numbers>(numbers: T, needed: number): T {
  const larger = new (numbers.constructor as new (length: number) => T)(Math.max(needed, numbers.length * 2));
  larger.set(numbers);
  return larger;
}
