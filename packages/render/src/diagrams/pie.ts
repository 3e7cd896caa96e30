import { chartSvg, hueClass, quietText, textSvg, textWidth, topBelow } from './drawn-text.ts';
import { DiagramError, type DiagramSource, labelText, readStatements, shownTitle } from './source.ts';

interface Slice {
  label: string;
  value: number;
}

const radius = 96;
const rowHeight = 24;
const maxSlices = 40;

export function drawPie(source: DiagramSource): string {
  const { slices, showsValues } = readPie(source);
  const title = shownTitle(source);
  const total = slices.reduce((sum, slice) => sum + slice.value, 0);
  const top = topBelow(title);
  const height = Math.max(2 * radius, slices.length * rowHeight) + top + 12;
  const middle = top + (height - top - 12) / 2;
  const labels = slices.map(({ label, value }) => (showsValues ? `${label} (${value})` : label));
  const labelsWidth = textWidth(labels, 13);
  const legendLeft = 2 * radius + 52;
  const legendTop = middle - (slices.length * rowHeight) / 2;
  let before = 0;
  const parts = slices.map(({ value }, index) => {
    const slice = sliceSvg(radius + 12, middle, before / total, (before + value) / total);
    before += value;
    const y = legendTop + index * rowHeight;
    return (
      `<g class="${hueClass(index)}">${slice}<rect x="${legendLeft}" y="${y + 5}" width="13" height="13" rx="3" fill="var(--dy-hue)"/></g>` +
      textSvg([labels[index] ?? ''], legendLeft + 22, y + 16, 'start', 'font-size="13" fill="var(--_text)"') +
      textSvg([percent(value / total)], legendLeft + labelsWidth + 80, y + 16, 'end', quietText)
    );
  });
  return chartSvg(title, legendLeft + labelsWidth + 92, height, parts);
}

function readPie(source: DiagramSource): { slices: Slice[]; showsValues: boolean } {
  const slices: Slice[] = [];
  let showsValues = /^pie\s+showData\b/.test(source.header);
  readStatements(source, (statement) => {
    if (statement === 'showData') showsValues = true;
    const slice = /^("[^"]*"|'[^']*')\s*:\s*(\d+(?:\.\d+)?)$/.exec(statement);
    if (slice) slices.push({ label: labelOf(slice[1] ?? ''), value: Number(slice[2]) });
    return slice !== null || statement === 'showData' || /^title\s/.test(statement);
  });
  if (!slices.some(({ value }) => value > 0)) throw new DiagramError('it has no slices');
  if (slices.length > maxSlices) throw new DiagramError('it has too many parts to be drawn');
  return { slices, showsValues };
}

function labelOf(quoted: string): string {
  return labelText(quoted.slice(1, -1), 60).replaceAll('\n', ' ');
}

function sliceSvg(x: number, y: number, from: number, to: number): string {
  if (to - from > 0.9999) return `<circle cx="${x}" cy="${y}" r="${radius}" fill="var(--dy-hue)"/>`;
  const at = (share: number): string => {
    const angle = share * 2 * Math.PI;
    return `${(x + radius * Math.sin(angle)).toFixed(2)} ${(y - radius * Math.cos(angle)).toFixed(2)}`;
  };
  const isLarge = to - from > 0.5 ? 1 : 0;
  return `<path d="M${x} ${y}L${at(from)}A${radius} ${radius} 0 ${isLarge} 1 ${at(to)}Z" fill="var(--dy-hue)" stroke="var(--bg)" stroke-width="2" stroke-linejoin="round"/>`;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(share > 0 && share < 0.1 ? 1 : 0)}%`;
}
