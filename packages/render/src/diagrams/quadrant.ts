import { chartSvg, hueClass, quietText, strongText, textSvg, topBelow } from './drawn-text.ts';
import { DiagramError, type DiagramSource, labelText, readStatements, shownTitle } from './source.ts';

interface QuadrantChart {
  across: [string, string];
  upward: [string, string];
  /** Counterclockwise from the upper right. */
  fields: string[];
  points: { label: string; x: number; y: number }[];
}

const side = 440;
const left = 44;

export function drawQuadrants(source: DiagramSource): string {
  const chart = readQuadrants(source);
  const title = shownTitle(source);
  const top = topBelow(title);
  const half = side / 2;
  const bottom = top + side;
  const corners = [
    [left + half, top],
    [left, top],
    [left, top + half],
    [left + half, top + half],
  ];
  const hasPoints = chart.points.length > 0;
  const fields = corners.map(([x = 0, y = 0], index) => {
    const name = (chart.fields[index] ?? '').split('\n');
    const textY = hasPoints ? y + 24 : y + half / 2;
    return `<g class="${hueClass(index)}"><rect x="${x}" y="${y}" width="${half}" height="${half}" fill="var(--dy-hue-soft)"/></g>${textSvg(name, x + half / 2, textY, 'middle', strongText)}`;
  });
  const points = chart.points.map(({ label, x, y }) => {
    const [px, py] = [round(left + x * side), round(bottom - y * side)];
    return `<circle cx="${px}" cy="${py}" r="5" fill="var(--_arrow)" stroke="var(--bg)" stroke-width="1.5"/>${textSvg([label], px, py + 18, 'middle', quietText)}`;
  });
  const frame =
    `<rect x="${left}" y="${top}" width="${side}" height="${side}" fill="none" stroke="var(--_line)"/>` +
    `<path d="M${left + half} ${top}v${side}M${left} ${top + half}h${side}" stroke="var(--_line)"/>`;
  return chartSvg(title, left + side + 44, bottom + 36, [
    ...fields,
    frame,
    ...points,
    ...axesSvg(chart, top),
  ]);
}

function readQuadrants(source: DiagramSource): QuadrantChart {
  const chart: QuadrantChart = { across: ['', ''], upward: ['', ''], fields: [], points: [] };
  readStatements(source, (statement) => {
    if (/^(?:title|classDef)\s/.test(statement)) return true;
    const axis = /^([xy])-axis\s+(.+)$/.exec(statement);
    const field = /^quadrant-([1-4])\s+(.+)$/.exec(statement);
    const point = /^(.+?)(?:::[:\w]+)?\s*:\s*\[\s*([\d.]+)\s*,\s*([\d.]+)\s*\]/.exec(statement);
    if (axis) {
      const [low = '', high = ''] = (axis[2] ?? '').split(/\s*-->\s*/).map(oneLine);
      chart[axis[1] === 'x' ? 'across' : 'upward'] = [low, high];
    } else if (field) chart.fields[Number(field[1]) - 1] = labelText(field[2] ?? '', 26);
    else if (point) {
      const [x, y] = [Number(point[2]), Number(point[3])];
      if (!(x <= 1 && y <= 1)) return false;
      chart.points.push({ label: oneLine(point[1] ?? ''), x, y });
    }
    return axis !== null || field !== null || point !== null;
  });
  if (chart.points.length === 0 && chart.fields.length === 0) throw new DiagramError('it is empty');
  return chart;
}

function oneLine(text: string): string {
  return labelText(text, 40).replaceAll('\n', ' ');
}

function axesSvg({ across, upward }: QuadrantChart, top: number): string[] {
  const places = (words: readonly [string, string]): number[] => (words[1] ? [0.25, 0.75] : [0.5]);
  const y = top + side + 22;
  return [
    ...places(across).map((share, index) => textSvg([across[index] ?? ''], left + side * share, y, 'middle')),
    ...places(upward).map((share, index) => {
      const turn = `translate(${left - 14} ${top + side * (1 - share)}) rotate(-90)`;
      return `<g transform="${turn}">${textSvg([upward[index] ?? ''], 0, 0, 'middle')}</g>`;
    }),
  ];
}

function round(length: number): number {
  return Math.round(length * 10) / 10;
}
