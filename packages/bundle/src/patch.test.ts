import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyPatch, makePatch, patchableBytes } from './patch.ts';

const text = (words: number, seed = 1) =>
  Array.from({ length: words }, (_, index) => `word${(index * 7919 * seed) % 10_007}`).join(' ');

/** A version and a randomly edited one. */
const versions = fc
  .tuple(
    fc.uint8Array({ maxLength: 2000 }),
    fc.array(
      fc.oneof(
        fc.record({ take: fc.tuple(fc.nat(2000), fc.nat(400)) }),
        fc.record({ put: fc.uint8Array({ maxLength: 60 }) }),
        fc.record({ again: fc.tuple(fc.nat(255), fc.nat(300)) }),
      ),
      { maxLength: 12 },
    ),
  )
  .map(([base, steps]) => {
    const parts = steps.map((step) => {
      if ('take' in step) return base.subarray(step.take[0], step.take[0] + step.take[1]);
      if ('put' in step) return step.put;
      return new Uint8Array(step.again[1]).fill(step.again[0]);
    });
    return { base, target: Buffer.concat(parts) };
  });

describe('a patch', () => {
  test('turns the old version into the new one', () => {
    fc.assert(
      fc.property(versions, ({ base, target }) => {
        const patch = makePatch(base, target);
        if (patch !== undefined) expect(target.equals(applyPatch(base, patch, target.length))).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  test.each([
    ['a word in the middle', (old: string) => old.replace('word7919', 'something else'), 60],
    ['a word at the start', (old: string) => `new ${old}`, 20],
    ['a word at the end', (old: string) => `${old} new`, 20],
    ['two halves that changed places', (old: string) => old.slice(40_000) + old.slice(0, 40_000), 40],
    ['a piece that is gone', (old: string) => old.slice(0, 30_000) + old.slice(50_000), 20],
    ['a piece that is there twice', (old: string) => old + old.slice(10_000, 60_000), 30],
    ['nothing', (old: string) => old, 20],
    ['a hundred places', (old: string) => old.replace(/word\d\d7\b/g, 'word??7'), 2200],
  ])('of %s is small', (_what, edit, maxBytes) => {
    const old = text(10_000);
    const [base, target] = [Buffer.from(old), Buffer.from(edit(old))];
    const patch = makePatch(base, target);
    expect(patch?.length).toBeLessThanOrEqual(maxBytes);
    expect(target.equals(applyPatch(base, patch as Uint8Array, target.length))).toBe(true);
  });

  test('is the same each time', () => {
    fc.assert(
      fc.property(versions, ({ base, target }) => {
        expect(makePatch(base, target)).toEqual(makePatch(Uint8Array.from(base), Uint8Array.from(target)));
      }),
      { numRuns: 50 },
    );
  });

  test('is not made when it would not be smaller', () => {
    expect(makePatch(Buffer.from('completely'), Buffer.from('different'))).toBeUndefined();
    expect(makePatch(Buffer.from('something'), new Uint8Array())).toBeUndefined();
    expect(makePatch(new Uint8Array(), Buffer.from('something'))).toBeUndefined();
  });

  test('is not made of versions too large to be held in memory', () => {
    const large = new Uint8Array(patchableBytes + 1);
    expect(makePatch(large, large)).toBeUndefined();
  });

  test('of a file of zeros is made quickly', () => {
    const base = new Uint8Array(8_000_000);
    const target = Uint8Array.from(base);
    target.fill(1, 3_000_000, 3_000_050);
    expect(makePatch(base, target)?.length).toBeLessThan(100);
  });
});

describe('a false patch', () => {
  const base = Buffer.from('0123456789');
  const apply = (bytes: number[], targetBytes = 4) =>
    Buffer.from(applyPatch(base, Uint8Array.from(bytes), targetBytes)).toString();

  test('a valid patch is applied', () => {
    // Size 4; insert "a"; copy 3 from offset 2.
    expect(apply([4, 1, 97, 3, 4])).toBe('a234');
    // Then from two bytes before the end of the first copy.
    expect(apply([6, 1, 97, 3, 4, 0, 2, 3], 6)).toBe('a23434');
    expect(apply([0], 0)).toBe('');
  });

  test.each([
    ['of another size', [5, 1, 97, 3, 4, 0, 1, 0]],
    ['that is empty', []],
    ['that ends in a number', [0x84]],
    ['that ends in an insertion', [4, 4, 97]],
    ['that ends before the file is whole', [4, 1, 97, 2, 4]],
    ['that inserts more than the file has', [4, 5, 97, 97, 97, 97, 97, 0]],
    ['that copies more than the file has', [4, 1, 97, 4, 0]],
    ['that copies from behind the end', [4, 0, 4, 14]],
    ['that copies from before the start', [4, 0, 4, 1]],
    ['with a step that does nothing', [4, 0, 0, 4, 97, 97, 97, 97, 0]],
    ['that continues after its end', [4, 4, 97, 97, 97, 97, 0, 0]],
    ['with a number of six bytes', [0x84, 0x80, 0x80, 0x80, 0x80, 0x00, 4, 97, 97, 97, 97, 0]],
    ['that inserts more than there is', [4, 0xff, 0xff, 0xff, 0xff, 0x7f, 97]],
    ['that copies a huge range', [4, 0, 0xff, 0xff, 0xff, 0xff, 0x7f, 0]],
  ])('%s is refused', (_what, bytes) => {
    expect(() => apply(bytes)).toThrow(expect.objectContaining({ refusal: 'delta_invalid' }));
  });

  test('a size beyond the limit is refused before memory is allocated', () => {
    const huge = 2 ** 34;
    expect(() => applyPatch(base, Uint8Array.from([0x80, 0x80, 0x80, 0x80, 0x40]), huge)).toThrow(
      expect.objectContaining({ refusal: 'delta_invalid' }),
    );
  });

  test('random bytes are refused or yield the expected number of bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.uint8Array({ maxLength: 40 }), (old, bytes) => {
        try {
          expect(applyPatch(old, bytes, bytes[0] ?? 0)).toHaveLength(bytes[0] ?? 0);
        } catch (error) {
          expect(error).toMatchObject({ name: 'BundleRefusedError', refusal: 'delta_invalid' });
        }
      }),
      { numRuns: 2000 },
    );
  });
});
