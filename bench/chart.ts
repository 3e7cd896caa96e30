/**
 * Draws bars as an SVG that needs nothing else: its own card behind it, so that it can be read on any page, and colours for
 * light and dark screens. Bars of one panel share a linear scale that begins at zero.
 */

export interface Panel {
  title: string;
  /** What is better, and anything else a reader of the bars must know. */
  about: string;
  bars: Bar[];
}

export interface Bar {
  label: string;
  value: number;
  /** The value as it is shown. */
  text: string;
  isOwn?: boolean;
}

const margin = 28;
const panelWidth = 430;
const gap = 36;
const labelWidth = 152;
const valueWidth = 76;
const headHeight = 52;
const rowHeight = 26;
const barHeight = 16;
const width = margin * 2 + panelWidth * 2 + gap;

const style = `
  text { font: 13px system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif; fill: #334155; }
  .card { fill: #ffffff; stroke: #e2e8f0; }
  .title { font-size: 15px; font-weight: 600; fill: #0f172a; }
  .about { font-size: 12px; fill: #64748b; }
  .track { fill: #f1f5f9; }
  .bar { fill: #94a3b8; }
  .own { fill: #0f766e; }
  .own-text { font-weight: 600; fill: #0f766e; }
  @media (prefers-color-scheme: dark) {
    text { fill: #cbd5e1; }
    .card { fill: #0f172a; stroke: #1e293b; }
    .title { fill: #f1f5f9; }
    .about { fill: #94a3b8; }
    .track { fill: #1e293b; }
    .bar { fill: #64748b; }
    .own { fill: #2dd4bf; }
    .own-text { fill: #5eead4; }
  }`;

/** Two panels side by side, then the next two below them. */
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
  const height = top + margin;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(title)}">
<title>${escaped(title)}</title>
<style>${style}
</style>
<rect class="card" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="12"/>
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
      text(left, y + 13, isOwn ? 'own-text' : '', label),
      rect('track', x, y, room),
      rect(isOwn ? 'bar own' : 'bar', x, y, length),
      text(x + length + 8, y + 13, isOwn ? 'own-text' : '', shown),
    ].join('\n');
  });
  return [text(left, top + 12, 'title', title), text(left, top + 32, 'about', about), ...lines].join('\n');
}

function rect(name: string, x: number, y: number, length: number): string {
  const radius = Math.min(4, length / 2);
  return `<rect class="${name}" x="${x}" y="${y}" width="${Number(length.toFixed(1))}" height="${barHeight}" rx="${radius}"/>`;
}

function text(x: number, y: number, name: string, content: string): string {
  return `<text x="${Number(x.toFixed(1))}" y="${y}"${name === '' ? '' : ` class="${name}"`}>${escaped(content)}</text>`;
}

function escaped(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
