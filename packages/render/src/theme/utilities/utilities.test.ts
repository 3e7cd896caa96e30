import { describe, expect, it } from 'vitest';
import { utilityStylesheet } from './stylesheet.ts';

const rule = (name: string): string => utilityStylesheet([name]).trim();

describe('utility classes', () => {
  it('become rules, and other classes nothing', () => {
    expect(rule('mt-4')).toBe(':root .mt-4 { margin-top: 1rem }');
    expect(rule('-mt-0.5')).toBe(':root .-mt-0\\.5 { margin-top: calc(0.125rem * -1) }');
    expect(rule('w-1/3')).toBe(':root .w-1\\/3 { width: 33.333333% }');
    expect(rule('text-zinc-950/70')).toContain('color-mix(in srgb, #09090b 70%, transparent)');
    expect(rule('!m-0')).toBe(':root .\\!m-0 { margin: 0px !important }');
    expect(rule('space-y-2')).toBe(':root .space-y-2 > * + * { margin-top: 0.5rem }');
    expect(
      utilityStylesheet(['my-own-class', 'constructor', 'text-nothing', 'unknown:flex', 'p-x', '__proto__']),
    ).toBe('');
  });

  it('take values of the author, but none that load or break out', () => {
    expect(rule('w-[300px]')).toBe(':root .w-\\[300px\\] { width: 300px }');
    expect(rule('bg-[#0af]/20')).toContain('#0af 20%');
    expect(utilityStylesheet(['w-[url(x)]', 'w-[1px;}]', 'bg-[url(//x)]', 'h-[expression(1)]'])).toBe('');
  });

  it('follow the width of the window, the state and the appearance', () => {
    expect(rule('sm:flex')).toBe('@media (min-width: 640px) { :root .sm\\:flex { display: flex } }');
    expect(rule('hover:underline')).toContain('.hover\\:underline:hover');
    expect(rule('group-hover:scale-105')).toContain('.group:hover .group-hover\\:scale-105');
    expect(rule('dark:hidden').split('\n')).toEqual([
      ":root[data-theme='dark'] .dark\\:hidden { display: none }",
      '@media (prefers-color-scheme: dark) { :root:not([data-theme]) .dark\\:hidden { display: none } }',
    ]);
  });

  it('stand in an order in which the special wins, however they were found', () => {
    const names = ['dark:flex', 'lg:p-2', 'pt-1', 'p-4', 'px-2', 'sm:p-3'];
    const css = utilityStylesheet(names);
    expect(css).toBe(utilityStylesheet(names.toReversed()));
    const order = ['.p-4', '.px-2', '.pt-1', '.sm\\:p-3', '.lg\\:p-2', '.dark\\:flex'].map((name) =>
      css.indexOf(name),
    );
    expect(order).toEqual(order.toSorted((a, b) => a - b));
  });
});
