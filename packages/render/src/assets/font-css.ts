/** Reads the `@font-face` rules of a stylesheet from another host. Its values reach the site's stylesheet, so they are checked. */

export interface DeclaredFace {
  address: string;
  weight: string;
  unicodeRange?: string | undefined;
}

const addressInSource = /url\(["']?(https:[^"')\s]{1,2000})["']?\)/;
const weightValue = /^\d{1,4}(?: \d{1,4})?$/;
const rangeValue = /^[Uu]\+[\dA-Fa-f?-]+(?:, ?[Uu]\+[\dA-Fa-f?-]+)*$/;

/** Upright faces in the order of the stylesheet; the last one wins in CSS. */
export function declaredFaces(css: string): DeclaredFace[] {
  const rules = css.split('@font-face').slice(1);
  return rules.flatMap((rule): DeclaredFace[] => {
    const values = descriptorsOf(rule.slice(rule.indexOf('{') + 1).split('}', 1)[0] ?? '');
    const address = addressInSource.exec(values.get('src') ?? '')?.[1];
    const weight = values.get('font-weight') ?? '400';
    const unicodeRange = values.get('unicode-range');
    const isUpright = (values.get('font-style') ?? 'normal') === 'normal';
    const isReadable =
      weightValue.test(weight) && (unicodeRange === undefined || rangeValue.test(unicodeRange));
    return address !== undefined && isUpright && isReadable ? [{ address, weight, unicodeRange }] : [];
  });
}

function descriptorsOf(body: string): Map<string, string> {
  return new Map(
    body.split(';').flatMap((line): [string, string][] => {
      const colon = line.indexOf(':');
      return colon < 0 ? [] : [[line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()]];
    }),
  );
}
