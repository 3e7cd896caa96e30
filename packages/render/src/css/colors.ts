/** Adjusts a site's colors until text in and on them meets WCAG AA contrast (4.5:1). */
type Rgb = [number, number, number];

const minimumContrast = 4.5;

export function readableOn(color: string, background: string): string {
  const target: Rgb = luminance(parse(background)) > 0.4 ? [0, 0, 0] : [255, 255, 255];
  for (let step = 0; step <= 20; step++) {
    const mixed = mix(parse(color), target, step / 20);
    if (contrast(mixed, parse(background)) >= minimumContrast) return format(mixed);
  }
  return format(target);
}

/**
 * The theme draws callouts, panels and code on tints of the background with up to this share of black or white.
 */
const maxTint = 0.06;

export function readableOnTints(color: string, background: string): string {
  const target: Rgb = luminance(parse(background)) > 0.4 ? [0, 0, 0] : [255, 255, 255];
  return readableOn(color, format(mix(parse(background), target, maxTint)));
}

/** White text on the accent, slightly darkened if needed, else dark text on the unchanged accent. */
export function buttonColors(color: string): { background: string; text: string } {
  if (contrastOf(color, '#ffffff') < 2.6) return { background: color, text: '#111111' };
  return { background: readableOn(color, '#ffffff'), text: '#ffffff' };
}

export function contrastOf(a: string, b: string): number {
  return contrast(parse(a), parse(b));
}

/** `13 147 115`: the channel format of custom properties such as `rgb(var(--primary))`. */
export function channelsOf(color: string): string {
  return parse(color).join(' ');
}

function parse(hex: string): Rgb {
  const digits = hex.slice(1);
  const full = digits.length === 3 ? digits.replaceAll(/./g, '$&$&') : digits;
  return [0, 2, 4].map((at) => Number.parseInt(full.slice(at, at + 2), 16)) as Rgb;
}

function format(rgb: Rgb): string {
  return `#${rgb.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}

function mix(from: Rgb, to: Rgb, share: number): Rgb {
  return from.map((part, index) => Math.round(part + ((to[index] ?? 0) - part) * share)) as Rgb;
}

function luminance(rgb: Rgb): number {
  const [red, green, blue] = rgb.map((part) => {
    const value = part / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  }) as Rgb;
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(a: Rgb, b: Rgb): number {
  const [light, dark] = [luminance(a), luminance(b)].toSorted((x, y) => y - x) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}
