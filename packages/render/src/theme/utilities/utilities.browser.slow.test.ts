import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type BrowserSite, chromiumPath, openBrowserSite } from '../../../test/support/browser-site.ts';

describe.skipIf(chromiumPath === undefined)('utility classes in a browser', () => {
  let site: BrowserSite;
  beforeAll(async () => {
    site = await openBrowserSite('utilities');
  }, 60_000);
  afterAll(() => site.close());
  afterEach(() => expect(site.complaints.splice(0)).toEqual([]));

  async function open(name: string, colorScheme: 'light' | 'dark' = 'light'): Promise<void> {
    await site.page.setViewportSize({ width: 1440, height: 900 });
    await site.page.emulateMedia({ colorScheme });
    await site.page.goto(`${site.origins.file}/${name}.html`);
  }

  async function styleOf(id: string, ...properties: string[]): Promise<string[]> {
    const values = await site.page.locator(`#${id}`).evaluate((element, names) => {
      const style = getComputedStyle(element);
      return names.map((name) => style.getPropertyValue(name));
    }, properties);
    return values.map(withPlainColors);
  }

  it('negative and arbitrary values reach the elements', async () => {
    await open('index');
    expect(await styleOf('negative', 'margin-top', 'margin-left', 'width')).toEqual(['-8px', '-6px', '64px']);
    expect(
      await styleOf(
        'arbitrary',
        'width',
        'height',
        'border-radius',
        'background-color',
        'font-size',
        'letter-spacing',
      ),
    ).toEqual(['72px', '64px', '13px', 'rgb(29, 161, 242)', '11px', '0.5px']);
    expect(await styleOf('important', 'padding')).toEqual(['12px']);
  });

  it('transforms, filters, rings and shadows combine on one element', async () => {
    await open('index');
    expect(await styleOf('transform', 'translate', 'rotate', 'scale', 'transform')).toEqual([
      '-8px 4px',
      '12deg',
      '1.1',
      'matrix(1, 0, -0.105104, 1, 0, 0)',
    ]);
    expect(await styleOf('blur', 'filter')).toEqual(['blur(4px) brightness(0.9)']);
    expect(await styleOf('backdrop', 'backdrop-filter')).toEqual(['blur(12px)']);
    const [shadow = ''] = await styleOf('ring', 'box-shadow');
    expect(shadow).toContain('rgb(168, 85, 247) 0px 0px 0px 6px');
    expect(shadow).toContain('rgb(255, 255, 255) 0px 0px 0px 2px');
    expect(shadow).toContain('rgba(0, 0, 0, 0.1) 0px 4px 6px -1px');
    const [gradient = ''] = await styleOf('gradient', 'background-image');
    expect(gradient).toMatch(
      /^linear-gradient\(to right.*rgb\(99, 102, 241\).*rgb\(168, 85, 247\).*rgb\(236, 72, 153\)/,
    );
  });

  it('colors with an opacity and the colors of the site are shown', async () => {
    await open('index');
    expect(await styleOf('opacity', 'background-color')).toEqual(['rgba(0, 0, 0, 0.5)']);
    expect(await styleOf('site-color', 'background-color')).toEqual(['rgb(15, 118, 110)']);
  });

  it('dark variants follow the system and the choice of the reader', async () => {
    const light = ['rgb(253, 230, 138)', 'rgb(120, 53, 15)'];
    const dark = ['rgb(120, 53, 15)', 'rgb(254, 243, 199)'];
    const shown = (): Promise<string[]> => styleOf('dark', 'background-color', 'color');
    await open('index', 'light');
    expect(await shown()).toEqual(light);
    await open('index', 'dark');
    expect(await shown()).toEqual(dark);
    await site.page.locator('[data-theme-toggle]').first().click();
    expect(await shown()).toEqual(light);
    await site.page.evaluate(() => localStorage.clear());
  });

  it('group variants follow the pointer over the group', async () => {
    await open('index');
    expect(await styleOf('group-child', 'opacity', 'translate')).toEqual(['0.6', 'none']);
    await site.page.hover('#group');
    expect(await styleOf('group-child', 'opacity', 'translate')).toEqual(['1', '4px']);
  });

  it('classes with the prefix mint support variants, and responsive classes follow the width', async () => {
    await open('index');
    expect(
      await styleOf('prefixed', 'display', 'margin-top', 'margin-left', 'padding', 'background-color'),
    ).toEqual(['flex', '32px', '-8px', '20px', 'rgb(241, 245, 249)']);
    const columns = async (): Promise<number> =>
      (await styleOf('responsive', 'grid-template-columns')).join().split(' ').length;
    expect(await columns()).toBe(3);
    await site.page.setViewportSize({ width: 390, height: 800 });
    expect(await columns()).toBe(1);
    expect(await styleOf('prefixed', 'padding')).toEqual(['0px']);
  });

  it('colors and weights of utilities win over the style of links', async () => {
    await open('links');
    expect(await styleOf('colored', 'color', 'text-decoration-line')).toEqual([
      'rgb(185, 28, 28)',
      'underline',
    ]);
    expect(await styleOf('weight', 'font-weight')).toEqual(['700']);
    expect(await styleOf('button', 'color')).toEqual(['rgb(255, 255, 255)']);
    expect(
      await styleOf('wavy', 'text-decoration-line', 'text-decoration-style', 'text-underline-offset'),
    ).toEqual(['underline', 'wavy', '4px']);
    await site.page.hover('#hovered');
    expect(await styleOf('hovered', 'color')).toEqual(['rgb(29, 78, 216)']);
    await open('links', 'dark');
    expect(await styleOf('colored', 'color')).toEqual(['rgb(252, 165, 165)']);
  });

  it('plain links are underlined; links with no-underline, buttons and tiles are not', async () => {
    await open('links');
    const line = (selector: string): Promise<string> =>
      site.page
        .locator(selector)
        .first()
        .evaluate((element) => getComputedStyle(element).textDecorationLine);
    expect(await line('.dy-content > p > a')).toBe('underline');
    expect(await line('#html-link')).toBe('underline');
    for (const id of ['bare', 'button', 'outlined', 'small-button', 'tile'])
      expect(await line(`#${id}`)).toBe('none');
    await site.page.hover('#small-button');
    expect(await line('#small-button')).toBe('underline');
  });

  it('class names of authors do not get theme styles', async () => {
    await open('names');
    const properties = [
      'display',
      'position',
      'margin',
      'padding',
      'border-top-width',
      'background-color',
    ].concat(['color', 'font-size', 'font-weight', 'border-radius', 'box-shadow', 'overflow-x']);
    const unstyled = await styleOf('unstyled', ...properties);
    for (const id of [
      'card',
      'tabs',
      'steps',
      'code',
      'menu',
      'callout',
      'banner',
      'field',
      'badge',
      'content',
    ])
      expect([id, ...(await styleOf(id, ...properties))]).toEqual([id, ...unstyled]);
    expect(await styleOf('container', 'max-width', 'padding')).toEqual(['500px', '7px']);
    expect(await styleOf('styled', 'background-color', 'padding', 'border-top-width')).toEqual([
      'rgb(255, 250, 205)',
      '8px',
      '0px',
    ]);
  });
});

/** Browsers serialize mixed colors as `color(srgb …)`. */
function withPlainColors(value: string): string {
  return value.replaceAll(
    /color\(srgb ([\d. ]+)(?: \/ ([\d.]+))?\)/g,
    (_, channels: string, alpha?: string) => {
      const [red, green, blue] = channels
        .trim()
        .split(' ')
        .map((channel) => Math.round(Number(channel) * 255));
      return alpha === undefined
        ? `rgb(${red}, ${green}, ${blue})`
        : `rgba(${red}, ${green}, ${blue}, ${alpha})`;
    },
  );
}
