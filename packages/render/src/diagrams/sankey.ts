import { chartSvg, hueClass, quietText, textSize, textSvg, textWidth, topBelow } from './drawn-text.ts';
import { DiagramError, type DiagramSource, labelText, readStatements } from './source.ts';

interface SankeyNode {
  name: string;
  column: number;
  /** The position in its column. */
  index: number;
  hue: number;
  value: number;
  y: number;
  /** The height that links occupy so far on each side. */
  usedIn: number;
  usedOut: number;
}

interface SankeyLink {
  from: SankeyNode;
  to: SankeyNode;
  value: number;
}

const nodeWidth = 12;
const nodeGap = 22;
const minColumnGap = 120;
const drawingHeight = 320;
const minBand = 1;
const maxLinks = 200;
const labelGap = 6;

export function drawSankey(source: DiagramSource): string {
  const links = readLinks(source);
  const columns = placeInColumns(links);
  const scale = placeVertically(columns);
  const gap = Math.max(
    minColumnGap,
    ...columns.flat().map((node) => 2 * labelGap + textWidth([labelOf(node)], textSize) + 24),
  );
  const xOf = (node: SankeyNode): number => 12 + node.column * (nodeWidth + gap);
  const bands = links.map((link) => bandSvg(link, xOf, scale));
  const last = columns.length - 1;
  const nodes = columns.flat().map((node) => nodeSvg(node, xOf(node), scale, node.column === last));
  const heights = columns.map((column) => {
    const lowest = column.at(-1);
    return lowest === undefined ? 0 : lowest.y + heightOf(lowest, scale);
  });
  const width = 24 + last * (nodeWidth + gap) + nodeWidth;
  return chartSvg('', width, Math.max(...heights) + 14, [...bands, ...nodes]);
}

function readLinks(source: DiagramSource): SankeyLink[] {
  const nodes = new Map<string, SankeyNode>();
  const nodeOf = (field: string): SankeyNode => {
    const name = labelText(field, 60).replaceAll('\n', ' ');
    const node = nodes.get(name) ?? {
      name,
      column: 0,
      index: nodes.size,
      hue: nodes.size,
      value: 0,
      y: 0,
      usedIn: 0,
      usedOut: 0,
    };
    nodes.set(name, node);
    return node;
  };
  const links: SankeyLink[] = [];
  readStatements(source, (statement) => {
    const [from = '', to = '', amount = '', ...more] = fieldsOf(statement);
    const value = Number(amount);
    if (from === '' || to === '' || amount === '' || more.length > 0 || !(value >= 0)) return false;
    links.push({ from: nodeOf(from), to: nodeOf(to), value });
    return true;
  });
  if (!links.some(({ value }) => value > 0)) throw new DiagramError('it has no flows');
  if (links.length > maxLinks) throw new DiagramError('it has too many parts to be drawn');
  return links;
}

/** A line of CSV: a quoted field may contain commas, and two quotes in it are one. */
function fieldsOf(line: string): string[] {
  const fields: string[] = [];
  let field = '';
  let isQuoted = false;
  for (let at = 0; at < line.length; at++) {
    const character = line[at] ?? '';
    if (character === '"' && isQuoted && line[at + 1] === '"') {
      field += '"';
      at++;
    } else if (character === '"') isQuoted = !isQuoted;
    else if (character === ',' && !isQuoted) {
      fields.push(field.trim());
      field = '';
    } else field += character;
  }
  return [...fields, field.trim()];
}

function placeInColumns(links: readonly SankeyLink[]): SankeyNode[][] {
  const nodes = [...new Set(links.flatMap(({ from, to }) => [from, to]))];
  for (let round = 0, isMoved = true; isMoved; round++) {
    if (round > nodes.length) throw new DiagramError('its flows go in a circle');
    isMoved = false;
    for (const { from, to } of links)
      if (to.column <= from.column) {
        to.column = from.column + 1;
        isMoved = true;
      }
  }
  const columns: SankeyNode[][] = [];
  for (const node of nodes) (columns[node.column] ??= []).push(node);
  for (const node of nodes) node.value = Math.max(sumOf(links, 'to', node), sumOf(links, 'from', node));
  for (const column of columns.slice(1)) {
    const middles = new Map(column.map((node) => [node, middleOfSources(links, node)]));
    column.sort((a, b) => (middles.get(a) ?? 0) - (middles.get(b) ?? 0) || a.index - b.index);
    column.forEach((node, index) => (node.index = index));
  }
  return columns;
}

function sumOf(links: readonly SankeyLink[], end: 'from' | 'to', node: SankeyNode): number {
  return links.reduce((sum, link) => (link[end] === node ? sum + link.value : sum), 0);
}

function middleOfSources(links: readonly SankeyLink[], node: SankeyNode): number {
  const incoming = links.filter(({ to }) => to === node);
  return incoming.reduce((sum, { from }) => sum + from.index, 0) / Math.max(1, incoming.length);
}

/** Returns the height of one unit. */
function placeVertically(columns: readonly SankeyNode[][]): number {
  const largest = Math.max(...columns.map((column) => column.reduce((sum, { value }) => sum + value, 0)));
  const scale = drawingHeight / largest;
  for (const column of columns) {
    let y = topBelow('');
    for (const node of column) {
      node.y = y;
      y += heightOf(node, scale) + nodeGap;
    }
  }
  return scale;
}

function heightOf({ value }: SankeyNode, scale: number): number {
  return Math.max(minBand, value * scale);
}

function bandSvg({ from, to, value }: SankeyLink, xOf: (node: SankeyNode) => number, scale: number): string {
  const band = Math.max(minBand, value * scale);
  const [start, end] = [from.y + from.usedOut + band / 2, to.y + to.usedIn + band / 2];
  from.usedOut += value * scale;
  to.usedIn += value * scale;
  const [left, right] = [xOf(from) + nodeWidth, xOf(to)];
  const middle = (left + right) / 2;
  const path = `M${left} ${short(start)}C${short(middle)} ${short(start)} ${short(middle)} ${short(end)} ${right} ${short(end)}`;
  return `<g class="${hueClass(from.hue)}"><path d="${path}" fill="none" stroke="var(--dy-hue)" stroke-opacity="0.3" stroke-width="${short(band)}"/></g>`;
}

function nodeSvg(node: SankeyNode, x: number, scale: number, isLast: boolean): string {
  const height = heightOf(node, scale);
  const box = `<rect x="${x}" y="${short(node.y)}" width="${nodeWidth}" height="${short(height)}" fill="var(--dy-hue)"/>`;
  const label = textSvg(
    [labelOf(node)],
    isLast ? x - labelGap : x + nodeWidth + labelGap,
    Number(short(node.y + height / 2 + 4)),
    isLast ? 'end' : 'start',
    quietText,
  );
  return `<g class="${hueClass(node.hue)}">${box}</g>${label}`;
}

function labelOf({ name, value }: SankeyNode): string {
  return `${name} ${Number(value.toFixed(3))}`;
}

function short(length: number): string {
  return length.toFixed(1);
}
