/** Text and colors that all drawings share. Colors are variables of the site's stylesheet. */
import { escapeText } from '../text/html.ts';

export const lineHeight = 16;
export const textSize = 12;

export function textSvg(
  lines: readonly string[],
  x: number,
  y: number,
  anchor: 'start' | 'middle' | 'end',
  attributes = `font-size="${textSize}" fill="var(--_text-muted)"`,
): string {
  const start = `<text x="${x}" y="${y}" text-anchor="${anchor}" ${attributes}>`;
  const plain = lines.map((line) => escapeText(line.replaceAll(/<\/?[a-z]+>|\*\*/gi, '')));
  if (plain.length === 1) return `${start}${plain[0]}</text>`;
  const spans = plain.map(
    (line, index) => `<tspan x="${x}"${index ? ` dy="${lineHeight}"` : ''}>${line}</tspan>`,
  );
  return `${start}${spans.join('')}</text>`;
}

/** An overestimate, because readers' fonts differ. */
export function textWidth(lines: readonly string[], size: number): number {
  const widths = lines.map((line) => {
    let width = 0;
    for (const character of line) {
      if (/[ijl.,:;|'!()[\]tfr ]/.test(character)) width += 0.37;
      else if (/[A-ZMWmw@%_—]/.test(character)) width += 0.74;
      else width += (character.codePointAt(0) ?? 0) > 0x2e7f ? 1.05 : 0.6;
    }
    return width * size;
  });
  return Math.ceil(Math.max(0, ...widths));
}

export const strongText = `font-size="${textSize}" font-weight="600" fill="var(--_text)"`;
export const quietText = `font-size="11" fill="var(--_text-sec)"`;

export function topBelow(title: string): number {
  return title === '' ? 12 : 44;
}

export function chartSvg(title: string, width: number, height: number, parts: readonly string[]): string {
  const full = Math.max(width, textWidth([title], 15) + 24);
  const heading =
    title === ''
      ? ''
      : textSvg([title], full / 2, 24, 'middle', 'font-size="15" font-weight="600" fill="var(--_text)"');
  const shift = (full - width) / 2;
  const body = shift > 0 ? `<g transform="translate(${shift} 0)">${parts.join('')}</g>` : parts.join('');
  return `<svg viewBox="0 0 ${full} ${height}">${heading}${body}</svg>`;
}

/** The class that sets `--dy-hue` and `--dy-hue-soft`; eight classes alternate. */
export function hueClass(index: number): string {
  return `dy-hue-${(index % 8) + 1}`;
}
