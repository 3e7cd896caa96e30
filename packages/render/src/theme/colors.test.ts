import { assert, integer, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buttonColors, contrastOf, readableOn } from './colors.ts';

const color = integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, '0')}`);

describe('colours', () => {
  it('keeps a colour that is readable', () => {
    expect(readableOn('#166e3f', '#ffffff')).toBe('#166e3f');
  });

  it('makes every accent readable on light and dark paper', () => {
    assert(
      property(color, (accent) => {
        for (const paper of ['#ffffff', '#0e1116'])
          expect(contrastOf(readableOn(accent, paper), paper)).toBeGreaterThanOrEqual(4.5);
      }),
    );
  });

  it('gives every button readable text', () => {
    assert(
      property(color, (accent) => {
        const { background, text } = buttonColors(accent);
        expect(contrastOf(background, text)).toBeGreaterThanOrEqual(4.5);
      }),
    );
  });
});
