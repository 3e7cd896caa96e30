import { describe, expect, it } from 'vitest';
import { iconHtml } from './markup.ts';
import { iconSvg } from './library.ts';
import { nearestNames } from './free-alternatives.ts';
import { iconText, readIconText } from './reference.ts';

const isFontAwesome = (svg: string | undefined): boolean => svg?.includes('viewBox="0 0 640 640"') ?? false;

describe('an icon reference', () => {
  it('may be a name, a class list, an object or a name with a style', () => {
    expect(iconText('rocket')).toBe('rocket');
    expect(iconText('rocket', 'regular')).toBe('regular:rocket');
    expect(iconText({ name: 'rocket', style: 'thin', library: 'tabler' })).toBe('tabler:thin:rocket');
    expect(iconText('/icons/own.svg', 'solid')).toBe('/icons/own.svg');
    expect(iconText('rocket', 'nonsense')).toBe('rocket');
    expect([iconText(''), iconText(undefined), iconText({}), iconText(7)]).toEqual(Array(4).fill(undefined));
    expect(readIconText('fa-solid fa-magnifying-glass')).toEqual({
      name: 'magnifying-glass',
      style: 'solid',
    });
    expect(readIconText('fab fa-GitHub')).toEqual({ name: 'github', style: 'brands' });
    expect(readIconText('lucide:file_text')).toEqual({ name: 'file-text', library: 'lucide' });
  });
});

describe('an icon', () => {
  it('has the size and color of the text and is hidden from screen readers', () => {
    expect(iconSvg('check')).toMatch(
      /^<svg class="dy-icon" viewBox="[\d ]+" aria-hidden="true"><path fill="currentColor"/,
    );
  });

  it('is found by names of older releases and brands without a style', () => {
    for (const name of ['cog', 'search', 'home', 'github', 'Python', 'fa-rocket', 'discord'])
      expect(isFontAwesome(iconSvg(name)), name).toBe(true);
  });

  it('has the most similar free style', () => {
    expect(iconSvg('light:star')).toBe(iconSvg('regular:star'));
    expect(iconSvg('duotone:star')).toBe(iconSvg('solid:star'));
    expect(iconSvg('regular:star')).not.toBe(iconSvg('solid:star'));
    expect(iconSvg('regular:rocket')).toBe(iconSvg('solid:rocket'));
  });

  it('comes from the library it names, else from the library of the site', () => {
    expect(isFontAwesome(iconSvg('rocket', 'lucide'))).toBe(false);
    expect(iconSvg('rocket', 'lucide')).not.toBe(iconSvg('rocket', 'tabler'));
    expect(iconSvg('lucide:rocket', 'tabler')).toBe(iconSvg('rocket', 'lucide'));
    expect(isFontAwesome(iconSvg('magnifying-glass', 'lucide'))).toBe(true);
  });

  it('is replaced by the closest free icon for a paid name', () => {
    for (const name of [
      'sparkles',
      'shield-check',
      'browser',
      'webhook',
      'chart-line-up',
      'wand-magic-sparkles',
    ])
      expect(iconSvg(name), name).toBeDefined();
    const without = Object.entries(nearestNames).filter(([, target]) => iconSvg(target) === undefined);
    expect(without).toEqual([]);
  });

  it('is undefined for unknown names, including those of Object.prototype', () => {
    expect([iconSvg('no-such-icon'), iconSvg('constructor'), iconSvg('')]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe('the HTML of an icon', () => {
  const sources = {
    library: 'fontawesome',
    picture: (address: string) => (address === '/a.svg' ? 'a.svg' : undefined),
  } as const;

  it('is an image for a file, text for an emoji, empty for a missing file', () => {
    expect(iconHtml('/a.svg', sources)).toBe('<img class="dy-icon dy-icon-image" src="a.svg" alt="">');
    expect(iconHtml('/b.svg', sources)).toBe('');
    expect(iconHtml('🚀', sources)).toBe('<span class="dy-icon dy-icon-text" aria-hidden="true">🚀</span>');
    expect(iconHtml('<b>', sources)).toBeUndefined();
  });
});
