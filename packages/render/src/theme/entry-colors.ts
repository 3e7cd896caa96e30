/**
 * Colors of single navigation entries. The CSP forbids inline styles, so each entry gets a class that the
 * site's stylesheet defines.
 */
import type { Branch, Division } from '../navigation/tree.ts';
import { buttonColors } from '../css/colors.ts';

export function entryColorClass({ color }: Pick<Division, 'color'>): string | undefined {
  return color && `dy-entry-color-${color.light.slice(1)}-${color.dark.slice(1)}`;
}

/** The color of the icon; for the current entry, of its background. */
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
