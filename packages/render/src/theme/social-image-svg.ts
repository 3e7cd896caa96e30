/**
 * The SVG of a social image, with the names of the site and a section. It references no
 * file.
 */
import { escapeAttribute, escapeText } from '../text/html.ts';
import { readableOn } from '../css/colors.ts';

export interface SocialImage {
  siteName: string;
  label: string;
  above: string;
  /** `#rrggbb`. */
  color: string;
  appearance: 'light' | 'dark';
  /** A `data:` URL. */
  background?: string | undefined;
}

export const socialImageSize = { width: 1200, height: 630 };

const left = 96;
const textWidth = 900;
const ink = {
  light: { paper: '#ffffff', text: '#0f172a', faint: '#526079' },
  dark: { paper: '#0b0f17', text: '#f8fafc', faint: '#a3afc2' },
};

export function socialImageSvg(image: SocialImage): string {
  const { paper, text, faint } = ink[image.appearance];
  const { width, height } = socialImageSize;
  const accent = readableOn(image.color, paper);
  const siteName = drawable(image.siteName);
  const label = drawable(image.label) || siteName;
  const above = drawable(image.above);
  const lines = wrapped(label, 84, 2).length > 1 ? wrapped(label, 68, 3) : wrapped(label, 84, 1);
  const size = lines.length > 1 || widthOf(label) * 84 > textWidth ? 68 : 84;
  const bottom = height - 104;
  const top = bottom - (lines.length - 1) * size * 1.16;
  const parts = [
    `<rect width="${width}" height="${height}" fill="${paper}"/>`,
    image.background
      ? `<image width="${width}" height="${height}" preserveAspectRatio="xMidYMid slice" href="${escapeAttribute(image.background)}"/>`
      : decoration(image.color, image.appearance),
    mark(siteName, image.color),
    siteName && label !== siteName
      ? textLine({ x: left + 92, y: 133, size: 36, weight: 600, fill: text }, cut(siteName, 36, 800))
      : '',
    above && above !== label
      ? textLine(
          { x: left, y: top - size - 24, size: 32, weight: 500, fill: image.background ? text : faint },
          cut(above, 32, textWidth),
        )
      : '',
    ...lines.map((line, index) =>
      textLine({ x: left - 3, y: top + index * size * 1.16, size, weight: 700, fill: text }, line),
    ),
    label ? `<rect x="${left}" y="${height - 64}" width="72" height="8" rx="4" fill="${accent}"/>` : '',
  ];
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">` +
    `${parts.join('')}</svg>`
  );
}

interface TextStyle {
  x: number;
  y: number;
  size: number;
  weight: number;
  fill: string;
}

function textLine({ x, y, size, weight, fill }: TextStyle, text: string): string {
  const spacing = size > 50 ? ` letter-spacing="${(-size * 0.025).toFixed(2)}"` : '';
  return (
    `<text x="${x}" y="${y}" font-family="Inter" font-size="${size}" font-weight="${weight}"${spacing} ` +
    `fill="${fill}">${escapeText(text)}</text>`
  );
}

function decoration(color: string, appearance: SocialImage['appearance']): string {
  const strength = appearance === 'light' ? [0.05, 0.07, 0.1, 0.16] : [0.1, 0.13, 0.18, 0.28];
  return strength
    .map((opacity, index) => {
      const radius = 520 - index * 125;
      return `<circle cx="1130" cy="70" r="${radius}" fill="${color}" fill-opacity="${opacity}"/>`;
    })
    .join('');
}

/** The site's initial, or a plain shape when the font lacks it. */
function mark(siteName: string, color: string): string {
  const initial = /[\p{L}\p{N}]/u.exec(siteName)?.[0]?.toUpperCase();
  const onColor = isLight(color) ? '#0b0f17' : '#ffffff';
  const shape = `<rect x="${left}" y="88" width="64" height="64" rx="16" fill="${color}"/>`;
  if (initial === undefined)
    return `${shape}<circle cx="${left + 32}" cy="120" r="13" fill="none" stroke="${onColor}" stroke-width="7"/>`;
  return (
    `${shape}<text x="${left + 32}" y="134" text-anchor="middle" font-family="Inter" font-size="40" ` +
    `font-weight="700" fill="${onColor}">${escapeText(initial)}</text>`
  );
}

function isLight(color: string): boolean {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
  return red * 0.299 + green * 0.587 + blue * 0.114 > 165;
}

/**
 * Keeps Latin, Greek and Cyrillic text, which Inter covers. Emoji are removed; text in another script is
 * removed completely, because a partial name is misleading.
 */
export function drawable(text: string): string {
  const plain = text
    .normalize('NFC')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/\p{Extended_Pictographic}|\p{Regional_Indicator}|\ufe0f|`|\p{C}/gu, (sign) =>
      /[©®™]/.test(sign) ? sign : '',
    )
    .replaceAll(/\s+/g, ' ')
    .trim();
  return /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Common}]*$/u.test(plain) &&
    !/[\u{2e80}-\u{10ffff}]/u.test(plain)
    ? plain
    : '';
}

/** Approximate text width in em. */
function widthOf(text: string): number {
  let width = 0;
  for (const letter of text) {
    if (/[iljI.,:;'|!]/.test(letter)) width += 0.28;
    else if (/[ftr()[\] /-]/.test(letter)) width += 0.37;
    else if (/[mwMW@%]/.test(letter)) width += 0.9;
    else width += /\p{Lu}|\d/u.test(letter) ? 0.68 : 0.59;
  }
  return width;
}

function wrapped(text: string, size: number, maxLines: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    const joined = last === undefined ? word : `${last} ${word}`;
    if (last !== undefined && widthOf(joined) * size <= textWidth) lines[lines.length - 1] = joined;
    else lines.push(word);
  }
  const kept = lines.slice(0, maxLines).map((line) => cut(line, size, textWidth));
  if (lines.length <= maxLines) return kept;
  const words = (kept.pop() ?? '').split(' ');
  while (words.length > 1 && widthOf(`${words.join(' ')}…`) * size > textWidth) words.pop();
  return [...kept, `${words.join(' ')}…`];
}

function cut(text: string, size: number, width: number): string {
  if (widthOf(text) * size <= width) return text;
  let kept = text.slice(0, 200);
  while (kept.length > 1 && widthOf(kept) * size > width - size) kept = kept.slice(0, -1);
  return `${kept.trimEnd()}…`;
}
