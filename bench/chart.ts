/**
 * Draws bar charts as a self-contained SVG for light and dark pages. Bars of one panel share a linear scale that starts at
 * zero.
 */

export interface Panel {
  title: string;
  /** States which direction is better. */
  about: string;
  bars: Bar[];
}

export interface Bar {
  label: string;
  value: number;
  text: string;
  isOwn?: boolean;
}

const margin = 28;
const panelWidth = 430;
const gap = 36;
const labelWidth = 172;
const valueWidth = 80;
const headHeight = 52;
const rowHeight = 26;
const barHeight = 16;
const width = margin * 2 + panelWidth * 2 + gap;

const fontFamily = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif";

/** Light colors are attributes and dark ones are styles, so the chart is readable under a policy that forbids styles. */
const paints = {
  card: { light: 'fill="#ffffff" stroke="#e2e8f0"', dark: 'fill: #0f172a; stroke: #1e293b' },
  plain: { light: 'fill="#334155"', dark: 'fill: #cbd5e1' },
  title: { light: 'fill="#0f172a" font-size="15" font-weight="600"', dark: 'fill: #f1f5f9' },
  about: { light: 'fill="#64748b" font-size="12"', dark: 'fill: #94a3b8' },
  track: { light: 'fill="#f1f5f9"', dark: 'fill: #1e293b' },
  bar: { light: 'fill="#94a3b8"', dark: 'fill: #64748b' },
  own: { light: 'fill="#0f766e"', dark: 'fill: #2dd4bf' },
  emphasis: { light: 'fill="#0f766e" font-weight="600"', dark: 'fill: #5eead4' },
} as const;
type Paint = keyof typeof paints;

export function drawChart(
  panels: readonly Panel[],
  { title, footer }: { title: string; footer: string },
): string {
  const parts: string[] = [];
  let top = margin;
  for (let at = 0; at < panels.length; at += 2) {
    const pair = panels.slice(at, at + 2);
    pair.forEach((panel, column) => parts.push(drawPanel(panel, margin + column * (panelWidth + gap), top)));
    top += headHeight + Math.max(...pair.map(({ bars }) => bars.length)) * rowHeight + gap;
  }
  parts.push(text(margin, top, 'about', footer));
  const height = top + margin - 8;
  const dark = Object.entries(paints).map(([name, paint]) => `.${name} { ${paint.dark} }`);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(title)}" font-family="${fontFamily}" font-size="13">
<title>${escaped(title)}</title>
<style>@media (prefers-color-scheme: dark) { ${dark.join(' ')} }</style>
<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="12" ${painted('card')}/>
${parts.join('\n')}
</svg>
`;
}

function drawPanel({ title, about, bars }: Panel, left: number, top: number): string {
  const most = Math.max(...bars.map(({ value }) => value), Number.MIN_VALUE);
  const room = panelWidth - labelWidth - valueWidth;
  const lines = bars.map(({ label, value, text: shown, isOwn = false }, index) => {
    const y = top + headHeight + index * rowHeight;
    const length = Math.max(2, (value / most) * room);
    const x = left + labelWidth;
    return [
      text(left, y + 13, isOwn ? 'emphasis' : 'plain', label),
      rect('track', x, y, room),
      rect(isOwn ? 'own' : 'bar', x, y, length),
      text(left + panelWidth, y + 13, isOwn ? 'emphasis' : 'plain', shown, 'end'),
    ].join('\n');
  });
  return [text(left, top + 12, 'title', title), text(left, top + 32, 'about', about), ...lines].join('\n');
}

function rect(paint: Paint, x: number, y: number, length: number): string {
  const radius = Math.min(4, length / 2);
  return `<rect x="${x}" y="${y}" width="${Number(length.toFixed(1))}" height="${barHeight}" rx="${radius}" ${painted(paint)}/>`;
}

function text(
  x: number,
  y: number,
  paint: Paint,
  content: string,
  anchor: 'start' | 'end' = 'start',
): string {
  const side = anchor === 'start' ? '' : ` text-anchor="${anchor}"`;
  return `<text x="${x}" y="${y}"${side} ${painted(paint)}>${escaped(content)}</text>`;
}

function painted(paint: Paint): string {
  return `class="${paint}" ${paints[paint].light}`;
}

function escaped(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
