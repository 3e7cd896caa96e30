/** Draws sequence diagrams: columns as wide as their messages, rows as high as their text. */
import { escapeText } from '../text/html.ts';
import { lineHeight, textSize, textSvg, textWidth } from './drawn-text.ts';
import type { Participant, SequenceDiagram, Step } from './sequence.ts';

const nameSize = 13;
const margin = 12;

export function drawSequence(diagram: SequenceDiagram): string {
  const columns = layOutColumns(diagram);
  const rows = new Rows(diagram, columns);
  const { width, shift } = bounds(rows);
  const bottom = rows.y + 14;
  const mirrored = bottom > 520;
  const height = bottom + (mirrored ? columns.headHeight : 0) + margin;
  const lifelines = columns.centers.map(
    (x) =>
      `<line x1="${x}" y1="${columns.top + columns.headHeight}" x2="${x}" y2="${bottom}" stroke="var(--_line)" stroke-width="1" stroke-dasharray="4 4"/>`,
  );
  const heads = diagram.participants.flatMap((participant, index) => [
    participantSvg(participant, columns, index, columns.top),
    ...(mirrored ? [participantSvg(participant, columns, index, bottom)] : []),
  ]);
  return (
    `<svg viewBox="0 0 ${width} ${height}"><defs>${markers}</defs><g transform="translate(${shift} 0)">` +
    [
      ...boxesSvg(diagram, columns, bottom),
      ...rows.areas,
      ...lifelines,
      ...rows.bars,
      ...rows.shapes,
      ...heads,
    ].join('') +
    '</g></svg>'
  );
}

const markers =
  '<marker id="filled" markerWidth="10" markerHeight="8" refX="9" refY="4" orient="auto-start-reverse"><polygon points="0 0.5, 9 4, 0 7.5" fill="var(--_arrow)"/></marker>' +
  '<marker id="open" markerWidth="10" markerHeight="10" refX="8" refY="5" orient="auto-start-reverse"><polyline points="1 1, 8 5, 1 9" fill="none" stroke="var(--_arrow)" stroke-width="1.3"/></marker>' +
  '<marker id="cross" markerWidth="10" markerHeight="10" refX="8" refY="5" orient="auto"><path d="M2 1l7 8M9 1l-7 8" fill="none" stroke="var(--_arrow)" stroke-width="1.4"/></marker>';

interface Columns {
  centers: number[];
  widths: number[];
  top: number;
  headHeight: number;
}

function layOutColumns({ participants, steps, boxes }: SequenceDiagram): Columns {
  const widths = participants.map(({ label }) => Math.max(76, textWidth(label, nameSize) + 28));
  const gaps = participants
    .slice(1)
    .map((_, index) => ((widths[index] ?? 0) + (widths[index + 1] ?? 0)) / 2 + 28);
  const widen = (from: number, to: number, needed: number): void => {
    const [first, last] = [Math.min(from, to), Math.max(from, to)];
    const spanned = gaps.slice(first, last);
    const missing = needed - spanned.reduce((sum, gap) => sum + gap, 0);
    if (missing <= 0 || spanned.length === 0) return;
    for (let index = first; index < last; index++)
      gaps[index] = (gaps[index] ?? 0) + missing / spanned.length;
  };
  const spoken = steps
    .filter((step) => step.kind === 'message' || step.kind === 'note')
    .toSorted((a, b) => spanOf(a) - spanOf(b));
  for (const step of spoken) {
    const needed = textWidth(step.label, textSize);
    if (step.kind === 'message' && step.from === step.to) widen(step.from, step.from + 1, needed + 64);
    else if (step.kind === 'message') widen(step.from, step.to, needed + 30);
    else if (step.side === 'over') widen(step.first, step.last, needed - 40);
    else if (step.side === 'right') widen(step.last, step.last + 1, needed + 50);
    else widen(step.first - 1, step.first, needed + 50);
  }
  const centers = [(widths[0] ?? 0) / 2];
  for (const gap of gaps) centers.push((centers.at(-1) ?? 0) + gap);
  const lines = Math.max(...participants.map(({ label, isPerson }) => label.length + (isPerson ? 2.4 : 0)));
  return {
    centers: centers.map((center) => Math.round(center)),
    widths,
    top: boxes.length > 0 ? margin + 26 : margin,
    headHeight: Math.round(lines * lineHeight + 18),
  };
}

function spanOf(step: Extract<Step, { kind: 'message' | 'note' }>): number {
  return step.kind === 'message' ? Math.abs(step.from - step.to) : step.last - step.first;
}

interface Block {
  word: string;
  label: string;
  start: number;
  left: number;
  right: number;
  dividers: { y: number; label: string }[];
}

class Rows {
  y: number;
  readonly shapes: string[] = [];
  readonly bars: string[] = [];
  readonly areas: string[] = [];
  left = 0;
  right: number;
  readonly #columns: Columns;
  readonly #open: Block[] = [];
  readonly #active = new Map<number, number[]>();

  constructor({ steps }: SequenceDiagram, columns: Columns) {
    this.#columns = columns;
    this.y = columns.top + columns.headHeight + 10;
    this.right = (columns.centers.at(-1) ?? 0) + (columns.widths.at(-1) ?? 0) / 2;
    for (const step of steps) this.#step(step);
    for (const [who, starts] of this.#active) for (const start of starts) this.#bar(who, start, 0);
  }

  #step(step: Step): void {
    switch (step.kind) {
      case 'message':
        return step.from === step.to ? this.#selfMessage(step) : this.#message(step);
      case 'note':
        return this.#note(step);
      case 'open':
        this.y += 12;
        this.#open.push({
          word: step.word,
          label: step.label,
          start: this.y,
          left: Number.POSITIVE_INFINITY,
          right: Number.NEGATIVE_INFINITY,
          dividers: [],
        });
        this.y += step.word === 'rect' ? 4 : 26;
        return;
      case 'divide':
        this.y += 10;
        this.#open.at(-1)?.dividers.push({ y: this.y, label: step.label });
        this.y += 20;
        return;
      case 'close':
        return this.#close();
      case 'activate':
        this.#active.set(step.who, [...(this.#active.get(step.who) ?? []), this.y - 10]);
        return;
      case 'deactivate': {
        const starts = this.#active.get(step.who) ?? [];
        const start = starts.pop();
        if (start !== undefined) this.#bar(step.who, start, starts.length);
        return;
      }
    }
  }

  #reach(left: number, right: number): void {
    this.left = Math.min(this.left, left);
    this.right = Math.max(this.right, right);
    for (const block of this.#open) {
      block.left = Math.min(block.left, left);
      block.right = Math.max(block.right, right);
    }
  }

  #bar(who: number, start: number, depth: number): void {
    const x = (this.#columns.centers[who] ?? 0) - 5 + depth * 5;
    const height = Math.max(14, this.y - 10 - start);
    this.bars.push(
      `<rect x="${x}" y="${start}" width="10" height="${height}" rx="2" fill="var(--_node-fill)" stroke="var(--_node-stroke)"/>`,
    );
  }

  #message({ from, to, label, dashed, head, both }: Extract<Step, { kind: 'message' }>): void {
    const [start = 0, end = 0] = [this.#columns.centers[from], this.#columns.centers[to]];
    const width = textWidth(label, textSize);
    const middle = (start + end) / 2;
    this.y += 4;
    if (label.join('') !== '') this.shapes.push(textSvg(label, middle, this.y + 12, 'middle'));
    this.y += label.length * lineHeight + 4;
    const inset = end > start ? -2 : 2;
    this.shapes.push(
      `<line x1="${start}" y1="${this.y}" x2="${end + inset}" y2="${this.y}" stroke="var(--_arrow)" stroke-width="1.2"${dashed ? ' stroke-dasharray="5 4"' : ''}` +
        `${head === 'none' ? '' : ` marker-end="url(#${head})"`}${both ? ' marker-start="url(#filled)"' : ''}/>`,
    );
    this.#reach(Math.min(start, end, middle - width / 2) - 12, Math.max(start, end, middle + width / 2) + 12);
    this.y += 14;
  }

  #selfMessage({ from, label, dashed, head }: Extract<Step, { kind: 'message' }>): void {
    const x = this.#columns.centers[from] ?? 0;
    const height = Math.max(20, label.length * lineHeight);
    this.y += 8;
    this.shapes.push(
      `<path d="M${x} ${this.y}h26q6 0 6 6v${height - 12}q0 6 -6 6h-23" fill="none" stroke="var(--_arrow)" stroke-width="1.2"${dashed ? ' stroke-dasharray="5 4"' : ''} marker-end="url(#${head === 'none' ? 'open' : head})"/>`,
      textSvg(label, x + 40, this.y + height / 2 - ((label.length - 1) * lineHeight) / 2 + 4, 'start'),
    );
    this.#reach(x - 14, x + 46 + textWidth(label, textSize));
    this.y += height + 14;
  }

  #note({ first, last, side, label }: Extract<Step, { kind: 'note' }>): void {
    const { centers } = this.#columns;
    const [start = 0, end = 0] = [centers[first], centers[last]];
    const width = Math.max(
      textWidth(label, textSize) + 24,
      side === 'over' && last > first ? end - start + 40 : 60,
    );
    const height = label.length * lineHeight + 12;
    let x = (start + end) / 2 - width / 2;
    if (side === 'right') x = end + 12;
    if (side === 'left') x = start - 12 - width;
    this.y += 4;
    this.shapes.push(
      `<g class="note"><polygon points="${x},${this.y} ${x + width},${this.y} ${x + width},${this.y + height} ${x},${this.y + height}" stroke-width="1"/>${textSvg(label, x + width / 2, this.y + 18, 'middle')}</g>`,
    );
    this.#reach(x - 8, x + width + 8);
    this.y += height + 10;
  }

  #close(): void {
    const block = this.#open.pop();
    if (!block) return;
    this.y += 2;
    const { start, word, label } = block;
    const name = `${word}${label ? `  [${label}]` : ''}`;
    const ends = [this.#columns.centers[0] ?? 0, this.#columns.centers.at(-1) ?? 0];
    const left = Number.isFinite(block.left) ? block.left - 4 : (ends[0] ?? 0);
    const named = left + textWidth([name], textSize) * 1.06 + 20;
    const right = Math.max(
      Number.isFinite(block.right) ? block.right + 4 : (ends[1] ?? 0),
      word === 'rect' ? 0 : named,
    );
    const height = this.y - start;
    if (word === 'rect')
      this.areas.unshift(
        `<rect x="${left}" y="${start}" width="${right - left}" height="${height}" rx="6" fill="var(--_group-hdr)"/>`,
      );
    else {
      const tab = textWidth([word], textSize) * 1.06 + 18;
      this.areas.push(
        `<rect x="${left}" y="${start}" width="${right - left}" height="${height}" rx="4" fill="none" stroke="var(--_inner-stroke)"/>` +
          `<path d="M${left} ${start}h${tab}v12l-6 8h${6 - tab}z" fill="var(--_group-hdr)" stroke="var(--_inner-stroke)"/>` +
          `<text x="${left + 8}" y="${start + 14}" font-size="${textSize}" font-weight="600" fill="var(--_text-sec)">${escapeText(word)}</text>` +
          (label
            ? `<text x="${left + tab + 8}" y="${start + 14}" font-size="${textSize}" font-weight="500" fill="var(--_text-sec)">[${escapeText(label)}]</text>`
            : ''),
      );
      for (const divider of block.dividers)
        this.areas.push(
          `<line x1="${left}" y1="${divider.y}" x2="${right}" y2="${divider.y}" stroke="var(--_inner-stroke)" stroke-dasharray="5 4"/>` +
            (divider.label
              ? `<text x="${left + 8}" y="${divider.y + 15}" font-size="${textSize}" font-weight="500" fill="var(--_text-sec)">[${escapeText(divider.label)}]</text>`
              : ''),
        );
    }
    this.y += 10;
    this.#reach(left - 4, right + 4);
  }
}

function participantSvg(
  { label, isPerson }: Participant,
  columns: Columns,
  index: number,
  y: number,
): string {
  const [x = 0, width = 0] = [columns.centers[index], columns.widths[index]];
  const { headHeight } = columns;
  const attributes = `font-size="${nameSize}" font-weight="600" fill="var(--_text)"`;
  if (isPerson) {
    const top = y + headHeight - label.length * lineHeight - 42;
    return (
      `<g fill="var(--_node-fill)" stroke="var(--_node-stroke)" stroke-width="1.4"><circle cx="${x}" cy="${top + 9}" r="8"/>` +
      `<path d="M${x - 15} ${top + 36}c0 -10 6 -16 15 -16s15 6 15 16z"/></g>` +
      textSvg(label, x, y + headHeight - label.length * lineHeight + 8, 'middle', attributes)
    );
  }
  const middle = y + headHeight / 2 - ((label.length - 1) * lineHeight) / 2 + 4.5;
  return (
    `<rect x="${x - width / 2}" y="${y}" width="${width}" height="${headHeight}" rx="6" fill="var(--_node-fill)" stroke="var(--_node-stroke)"/>` +
    textSvg(label, x, middle, 'middle', attributes)
  );
}

function boxesSvg({ participants, boxes }: SequenceDiagram, columns: Columns, bottom: number): string[] {
  return boxes.flatMap((title, box) => {
    const members = participants.flatMap((participant, index) => (participant.box === box ? [index] : []));
    const edges = members.map((index) => ({
      left: (columns.centers[index] ?? 0) - (columns.widths[index] ?? 0) / 2 - 10,
      right: (columns.centers[index] ?? 0) + (columns.widths[index] ?? 0) / 2 + 10,
    }));
    if (edges.length === 0) return [];
    const left = Math.min(...edges.map((edge) => edge.left));
    const right = Math.max(...edges.map((edge) => edge.right));
    return [
      `<rect x="${left}" y="4" width="${right - left}" height="${bottom}" rx="8" fill="var(--_group-fill)" stroke="var(--_inner-stroke)"/>`,
      textSvg(
        [title],
        (left + right) / 2,
        24,
        'middle',
        `font-size="${textSize}" font-weight="600" fill="var(--_text-sec)"`,
      ),
    ];
  });
}

function bounds(rows: Rows): { width: number; shift: number } {
  const left = Math.min(rows.left, -10);
  return { width: Math.ceil(rows.right - left + 2 * margin), shift: Math.ceil(margin - left) };
}
