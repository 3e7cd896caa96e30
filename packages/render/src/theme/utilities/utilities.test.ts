import { describe, expect, it } from 'vitest';
import { classWithFile } from '../../css/class-files.ts';
import { utilityStylesheet } from './stylesheet.ts';

/** The rules without Tailwind's variable declarations, one per line. */
async function rules(...names: string[]): Promise<string> {
  const css = await utilityStylesheet(names);
  const start = css.indexOf('@layer dy-utilities {') + '@layer dy-utilities {'.length;
  const end = css.indexOf('\n@property');
  return css
    .slice(start, end < 0 ? undefined : end)
    .replaceAll(/\s+/g, ' ')
    .replace(/ \} *$/, '')
    .trim();
}

describe('utility classes', () => {
  it.each([
    ['mt-4', '.mt-4 { margin-top: calc(0.25rem * 4); }'],
    ['-mt-0.5', '.-mt-0\\.5 { margin-top: calc(0.25rem * -0.5); }'],
    ['rounded-sm', '.rounded-sm { border-radius: 0.125rem; }'],
    ['max-w-screen-md', '.max-w-screen-md { max-width: 768px; }'],
    ['flex-shrink-0', '.flex-shrink-0 { flex-shrink: 0; }'],
    ['w-[calc(100%-2rem)]', '.w-\\[calc\\(100\\%-2rem\\)\\] { width: calc(100% - 2rem); }'],
    ['!m-0', '.\\!m-0 { margin: 0px !important; }'],
    ['text-red-500', '.text-red-500 { color: #ef4444; }'],
    ['[&>p]:mt-4', '.\\[\\&\\>p\\]\\:mt-4 > p { margin-top: calc(0.25rem * 4); }'],
    ['bg-[--brand]', '.bg-\\[--brand\\] { background-color: var(--brand); }'],
  ])('%s has the rule of Tailwind 3', async (name, rule) => {
    expect(await rules(name)).toBe(rule);
  });

  it('combine transforms, filters, rings and shadows on one element', async () => {
    const css = await rules('rotate-45', 'scale-105', 'translate-x-2', 'blur-sm', 'ring-2', 'shadow');
    expect(css).toContain('rotate: 45deg');
    expect(css).toContain('scale: var(--tw-scale-x) var(--tw-scale-y)');
    expect(css).toContain('translate: var(--tw-translate-x) var(--tw-translate-y)');
    expect(css).toContain('--tw-blur: blur(4px)');
    expect(css).toContain('calc(2px + var(--tw-ring-offset-width))');
  });

  it('with the prefix mint have the rules of those without it', async () => {
    expect(await rules('mint-flex')).toBe('.mint-flex { display: flex; }');
    expect(await rules('-mint-mt-4')).toBe('.-mint-mt-4 { margin-top: calc(0.25rem * -4); }');
    expect(await rules('md:mint-p-1')).toBe(
      '@media (width >= 768px) { .md\\:mint-p-1 { padding: 0.25rem; } }',
    );
    expect(await rules('mint:flex', 'flex')).toBe(':is(.flex, .mint\\:flex) { display: flex; }');
  });

  it('follow the theme attribute, and the system where there is none', async () => {
    const css = await rules('dark:hidden');
    expect(css).toContain(".dark\\:hidden:where([data-theme='dark'] *) { display: none; }");
    expect(css).toContain(
      '@media (prefers-color-scheme: dark) { .dark\\:hidden:where(:root:not([data-theme]) *)',
    );
    expect(await rules('group-hover:underline')).toContain(':where(.group):hover');
  });

  it('with an opacity mix their color', async () => {
    const css = await rules('bg-black', 'bg-opacity-50');
    expect(css).toContain('color-mix(in srgb, #000 var(--tw-bg-opacity, 100%), transparent)');
    expect(css).toContain('--tw-bg-opacity: calc(50 * 1%)');
  });

  it('that contain a file URL use a path relative to the stylesheet', async () => {
    const name = classWithFile('bg-[url(/hero.png)]', 'bg-[url(../hero.png)]');
    expect(await rules(name)).toBe(
      '.bg-\\[url\\(\\/hero\\.png\\)\\] { background-image: url(../hero.png); }',
    );
  });

  it.each([
    'bg-[url(https://x.example/a.png)]',
    'bg-[URL(//x)]',
    'bg-[u\\72l(//x)]',
    'bg-[image-set("a.png"_1x)]',
    'w-[1px;}]',
    'content-["}x{"]',
    '[@import_"x"]:flex',
    'w-[1/*]',
    'my-own-class',
    'card',
    'h1',
    'constructor',
    '__proto__',
    'dy-card',
    `w-[${'1'.repeat(400)}px]`,
  ])('%s produces no rule', async (name) => {
    expect(await utilityStylesheet([name])).toBe('');
  });

  it('produce the same stylesheet in any order', async () => {
    const names = ['dark:flex', 'lg:p-2', 'pt-1', 'p-4', 'px-2', 'sm:p-3', 'mint-p-4', 'ring', 'blur'];
    const css = await utilityStylesheet(names);
    expect(await utilityStylesheet(names.toReversed())).toBe(css);
    const order = ['.p-4', '.px-2', '.pt-1', '.sm\\:p-3', '.lg\\:p-2', '.dark\\:flex'].map((name) =>
      css.indexOf(name),
    );
    expect(order).toEqual(order.toSorted((a, b) => a - b));
  });
});
