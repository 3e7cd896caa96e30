import { chartSvg, hueClass, lineHeight, strongText, textSize, textSvg, textWidth } from './drawn-text.ts';
import { DiagramError, type DiagramSource, labelText, readStatements } from './source.ts';

interface Idea {
  label: string[];
  shape: 'plain' | 'box' | 'round' | 'circle';
  children: Idea[];
}

const columnGap = 46;
const rowGap = 12;
const margin = 14;
const maxIdeas = 250;
const maxDepth = 20;

export function drawMindmap(source: DiagramSource): string {
  const root = readMindmap(source);
  const branches = root.children.map((child, index) => ({
    child,
    hue: hueClass(index),
    height: heightOf(child),
  }));
  const total = branches.reduce((sum, { height }) => sum + height + rowGap, 0);
  let used = 0;
  const toTheRight = branches.filter(({ height }, index) => {
    const fits = index === 0 || used + height / 2 <= total / 2 || branches.length < 3;
    if (fits) used += height + rowGap;
    return fits;
  });
  const toTheLeft = branches.filter((branch) => !toTheRight.includes(branch));
  const [right, leftSide] = [toTheRight, toTheLeft].map((list) => ({
    list,
    height: list.reduce((sum, { height }) => sum + height + rowGap, -rowGap),
    width: Math.max(0, ...list.map(({ child }) => columnGap + widthOf(child))),
  })) as [Side, Side];
  const height = Math.max(right.height, leftSide.height, boxHeight(root)) + 2 * margin;
  const center = { x: margin + leftSide.width + boxWidth(root) / 2, y: height / 2 };
  const width = leftSide.width + boxWidth(root) + right.width + 2 * margin;
  return chartSvg('', width, height, [
    ...sideSvg(right, center, boxWidth(root) / 2, 1),
    ...sideSvg(leftSide, center, boxWidth(root) / 2, -1),
    ideaSvg(root, center.x, center.y, true),
  ]);
}

interface Side {
  list: { child: Idea; hue: string; height: number }[];
  height: number;
  width: number;
}

/** Indentation determines depth: an idea belongs to the nearest one above it with less indentation. */
function readMindmap(source: DiagramSource): Idea {
  const open: { idea: Idea; indent: number }[] = [];
  let root: Idea | undefined;
  let count = 0;
  readStatements(source, (statement, index) => {
    if (/^::(?:icon\(|:)/.test(statement)) return root !== undefined;
    const indent = source.indents[index] ?? 0;
    const idea = readIdea(statement);
    while (open.length > 0 && (open.at(-1)?.indent ?? 0) >= indent) open.pop();
    const parent = open.at(-1)?.idea;
    if ((parent === undefined) !== (root === undefined)) return false;
    if (parent) parent.children.push(idea);
    else root = idea;
    open.push({ idea, indent });
    if (++count > maxIdeas || open.length > maxDepth)
      throw new DiagramError('it has too many parts to be drawn');
    return true;
  });
  if (!root) throw new DiagramError('it is empty');
  return root;
}

/** An id may precede the brackets. */
const shapes: [RegExp, Idea['shape']][] = [
  [/^[\w-]*\(\((.+)\)\)$/, 'circle'],
  [/^[\w-]*\)\)(.+)\(\($/, 'circle'],
  [/^[\w-]*\{\{(.+)\}\}$/, 'box'],
  [/^[\w-]*\)(.+)\($/, 'round'],
  [/^[\w-]*\[(.+)\]$/, 'box'],
  [/^[\w-]*\((.+)\)$/, 'round'],
];

function readIdea(statement: string): Idea {
  const text = statement.replace(/\s*:::[\w\s-]+$/, '');
  const found = shapes.find(([pattern]) => pattern.test(text));
  const label = found ? (found[0].exec(text)?.[1] ?? '') : text;
  return { label: labelText(label, 24).split('\n'), shape: found?.[1] ?? 'plain', children: [] };
}

function boxWidth({ label, shape }: Idea): number {
  return textWidth(label, textSize) + (shape === 'circle' ? 38 : 24);
}

function boxHeight({ label, shape }: Idea): number {
  return label.length * lineHeight + (shape === 'circle' ? 26 : 12);
}

function heightOf(idea: Idea): number {
  const below = idea.children.reduce((sum, child) => sum + heightOf(child) + rowGap, -rowGap);
  return Math.max(boxHeight(idea), below);
}

function widthOf(idea: Idea): number {
  return boxWidth(idea) + Math.max(0, ...idea.children.map((child) => columnGap + widthOf(child)));
}

function sideSvg(
  { list, height }: Side,
  root: { x: number; y: number },
  reach: number,
  way: 1 | -1,
): string[] {
  let y = root.y - height / 2;
  return list.map(({ child, hue, height: own }) => {
    const svg = branchSvg(child, root.x + way * reach, root.y, y, way);
    y += own + rowGap;
    return `<g class="${hue}">${svg}</g>`;
  });
}

function branchSvg(idea: Idea, fromX: number, fromY: number, top: number, way: 1 | -1): string {
  const near = fromX + way * columnGap;
  const far = near + way * boxWidth(idea);
  const y = top + heightOf(idea) / 2;
  const bend = fromX + (way * columnGap) / 2;
  const line = `<path d="M${fromX} ${fromY}C${bend} ${fromY} ${bend} ${y} ${near} ${y}" fill="none" stroke="var(--dy-hue-line)" stroke-width="1.6"/>`;
  const below = idea.children.reduce((sum, child) => sum + heightOf(child) + rowGap, -rowGap);
  let next = y - below / 2;
  const children = idea.children.map((child) => {
    const svg = branchSvg(child, far, y, next, way);
    next += heightOf(child) + rowGap;
    return svg;
  });
  return line + children.join('') + ideaSvg(idea, (near + far) / 2, y, false);
}

function ideaSvg(idea: Idea, x: number, y: number, isRoot: boolean): string {
  const [width, height] = [boxWidth(idea), boxHeight(idea)];
  const radius = idea.shape === 'box' ? 4 : idea.shape === 'circle' ? height / 2 : 10;
  const colors = isRoot
    ? 'fill="var(--_node-fill)" stroke="var(--_node-stroke)" stroke-width="1.4"'
    : `fill="var(--dy-hue-soft)"${idea.shape === 'plain' ? '' : ' stroke="var(--dy-hue-line)"'}`;
  const text = y - ((idea.label.length - 1) * lineHeight) / 2 + 4;
  return (
    `<rect x="${x - width / 2}" y="${y - height / 2}" width="${width}" height="${height}" rx="${radius}" ${colors}/>` +
    textSvg(
      idea.label,
      x,
      text,
      'middle',
      isRoot ? strongText : `font-size="${textSize}" fill="var(--_text)"`,
    )
  );
}
