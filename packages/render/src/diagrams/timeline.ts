import { chartSvg, hueClass, lineHeight, strongText, textSvg, topBelow } from './drawn-text.ts';
import { DiagramError, type DiagramSource, labelText, readStatements, shownTitle } from './source.ts';

interface Period {
  label: string[];
  section: number;
  events: string[][];
}

const columnWidth = 150;
const gap = 12;
const boxWidth = columnWidth - gap;
const wrapAt = 20;
const maxPeriods = 60;

export function drawTimeline(source: DiagramSource): string {
  const { periods, sections } = readTimeline(source);
  const title = shownTitle(source);
  const top = topBelow(title);
  const headTop = top + (sections.length > 0 ? 34 : 0);
  const headHeight = Math.max(...periods.map(({ label }) => label.length)) * lineHeight + 16;
  const lineY = headTop + headHeight + 16;
  const columns = periods.map((period, index) =>
    columnSvg(period, index, sections.length > 0, { headTop, headHeight, lineY }),
  );
  const width = periods.length * columnWidth + gap;
  const height = Math.max(...columns.map(({ bottom }) => bottom)) + 12;
  return chartSvg(title, width, height, [
    ...sections.flatMap((label, section) => bandSvg(label, section, periods, top)),
    `<line x1="${gap}" y1="${lineY}" x2="${width - gap}" y2="${lineY}" stroke="var(--_line)" stroke-width="2" stroke-linecap="round"/>`,
    ...columns.map(({ svg }) => svg),
  ]);
}

function readTimeline(source: DiagramSource): { periods: Period[]; sections: string[] } {
  const periods: Period[] = [];
  const sections: string[] = [];
  readStatements(source, (statement) => {
    if (/^title\s/.test(statement)) return true;
    const section = /^section\s+(.+)$/.exec(statement)?.[1];
    if (section) {
      sections.push(labelText(section, 60).replaceAll('\n', ' '));
      return true;
    }
    const [period = '', ...events] = statement.split(/\s*:(?:\s+|$)/);
    const wrapped = events.filter(Boolean).map((event) => labelText(event, wrapAt).split('\n'));
    if (period !== '')
      periods.push({
        label: labelText(period, wrapAt).split('\n'),
        section: sections.length - 1,
        events: wrapped,
      });
    else periods.at(-1)?.events.push(...wrapped);
    return periods.length > 0;
  });
  if (periods.length === 0) throw new DiagramError('it has no periods');
  if (periods.length > maxPeriods) throw new DiagramError('it has too many parts to be drawn');
  return { periods, sections };
}

interface Rows {
  headTop: number;
  headHeight: number;
  lineY: number;
}

function columnSvg(
  { label, events, section }: Period,
  index: number,
  hasSections: boolean,
  { headTop, headHeight, lineY }: Rows,
): { svg: string; bottom: number } {
  const left = gap + index * columnWidth;
  const center = left + boxWidth / 2;
  const text = headTop + headHeight / 2 - ((label.length - 1) * lineHeight) / 2 + 4;
  let y = lineY + 18;
  const cards = events.map((event) => {
    const height = event.length * lineHeight + 14;
    const card =
      `<rect x="${left}" y="${y}" width="${boxWidth}" height="${height}" rx="6" fill="var(--bg)" stroke="var(--dy-hue-line)"/>` +
      textSvg(event, center, y + 19, 'middle');
    y += height + 8;
    return card;
  });
  const svg =
    `<g class="${hueClass(hasSections ? Math.max(0, section) : index)}">` +
    `<rect x="${left}" y="${headTop}" width="${boxWidth}" height="${headHeight}" rx="6" fill="var(--dy-hue-soft)" stroke="var(--dy-hue-line)"/>` +
    textSvg(label, center, text, 'middle', strongText) +
    (events.length > 0
      ? `<line x1="${center}" y1="${lineY}" x2="${center}" y2="${y - 8}" stroke="var(--dy-hue-line)" stroke-dasharray="3 4"/>`
      : '') +
    `<circle cx="${center}" cy="${lineY}" r="5" fill="var(--dy-hue)" stroke="var(--bg)" stroke-width="2"/>${cards.join('')}</g>`;
  return { svg, bottom: y };
}

function bandSvg(label: string, section: number, periods: readonly Period[], top: number): string[] {
  const first = periods.findIndex((period) => period.section === section);
  const last = periods.findLastIndex((period) => period.section === section);
  if (first < 0) return [];
  const left = gap + first * columnWidth;
  const width = (last - first + 1) * columnWidth - gap;
  return [
    `<g class="${hueClass(section)}"><rect x="${left}" y="${top}" width="${width}" height="26" rx="6" fill="var(--dy-hue-soft)"/></g>`,
    textSvg([label], left + width / 2, top + 17, 'middle', strongText),
  ];
}
