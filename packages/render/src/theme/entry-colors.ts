/**
 * The colours that a configuration gives to single entries of the navigation. An entry carries a class made from its
 * colours, and the stylesheet of the site says what the class means, because a page may hold no style of its own.
 */
import type { Branch, Division } from '../navigation/tree.ts';
import { buttonColors } from '../css/colors.ts';

export function entryColorClass({ color }: Pick<Division, 'color'>): string | undefined {
  return color && `dy-entry-color-${color.light.slice(1)}-${color.dark.slice(1)}`;
}

/** The icon is drawn in the colour; that of the current entry stands on it. */
export function entryColorsCss(branches: readonly Branch[]): string {
  const rules = new Map<string, string>();
  for (const division of branches.flatMap(divisionsAround)) {
    const name = entryColorClass(division);
    if (name === undefined || !division.color || rules.has(name)) continue;
    const { light, dark } = division.color;
    const [current, currentDark] = [buttonColors(light), buttonColors(dark)];
    rules.set(
      name,
      `.${name} { --dy-entry-color: light-dark(${light}, ${dark}); ` +
        `--dy-entry-button: light-dark(${current.background}, ${currentDark.background}); ` +
        `--dy-on-entry-button: light-dark(${current.text}, ${currentDark.text}) }\n`,
    );
  }
  return [...rules.values()].toSorted().join('');
}

function divisionsAround({ steps, asides, globals }: Branch): Division[] {
  const switchers = [...steps.map(({ switcher }) => switcher), ...asides];
  return [...switchers.flatMap(({ divisions }) => divisions), ...globals];
}
