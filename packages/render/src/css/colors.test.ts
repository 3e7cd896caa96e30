import { assert, integer, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { renderFiles } from '../../test/support/render-fixture.ts';
import { buttonColors, contrastOf, readableOn, readableOnTints } from './colors.ts';

const color = integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, '0')}`);

describe('colours', () => {
  it('keeps a readable color', () => {
    expect(readableOn('#166e3f', '#ffffff')).toBe('#166e3f');
  });

  it('makes every accent readable on light and dark backgrounds', () => {
    assert(
      property(color, (accent) => {
        for (const paper of ['#ffffff', '#0e1116'])
          expect(contrastOf(readableOn(accent, paper), paper)).toBeGreaterThanOrEqual(4.5);
      }),
    );
  });

  it('makes every accent readable on callouts, panels and code, light and dark', () => {
    const tints = {
      '#ffffff': ['#f3f4f5', '#eff5fa', '#eef5f1', '#f8f4ed', '#fbf0f0', '#f6f6f6'],
      '#0e1116': ['#181b21', '#151c25', '#131e1e', '#1d1c1a', '#1e191e', '#171a1f'],
    };
    assert(
      property(color, (accent) => {
        for (const [paper, surfaces] of Object.entries(tints))
          for (const surface of surfaces)
            expect(contrastOf(readableOnTints(accent, paper), surface)).toBeGreaterThanOrEqual(4.5);
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

it("provides the colors of docs.json as channel variables for authors' stylesheets", async () => {
  const { files } = await renderFiles({
    'docs.json': JSON.stringify({
      name: 'Harbour',
      colors: { primary: '#0d9373', light: '#5de0c0', dark: '#046' },
      navigation: { pages: ['index'] },
    }),
    'index.mdx': '<p className="bg-primary-light">Quay</p>',
  });
  const css = files.get('_docyard/site.css')?.toString() ?? '';
  expect(css).toContain('--primary: 13 147 115;');
  expect(css).toContain('--primary-light: 93 224 192;');
  expect(css).toContain('--primary-dark: 0 68 102;');
  expect(css).toContain('--background-light: 255 255 255;');
});
