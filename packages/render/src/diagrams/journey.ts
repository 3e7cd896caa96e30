import { chartSvg, hueClass, quietText, strongText, textSvg, textWidth, topBelow } from './drawn-text.ts';
import { DiagramError, type DiagramSource, labelText, readStatements, shownTitle } from './source.ts';

type Row = { section: string } | { task: string; score: number; actors: string[] };

const rowHeight = 30;
const maxScore = 5;

export function drawJourney(source: DiagramSource): string {
  const rows = readJourney(source);
  const title = shownTitle(source);
  const top = topBelow(title);
  const tasks = rows.flatMap((row) => ('task' in row ? [row] : []));
  const actors = [...new Set(tasks.flatMap((task) => task.actors))];
  const scoresLeft = 28 + Math.max(120, ...tasks.map(({ task }) => textWidth([task], 13)));
  const actorsLeft = scoresLeft + maxScore * 18 + 22;
  const pills = tasks.map((task) => task.actors.reduce((sum, actor) => sum + pillWidth(actor) + 6, 0));
  const width = actorsLeft + Math.max(40, ...pills) + 12;
  let section = -1;
  const parts = rows.map((row, index) => {
    const y = top + index * rowHeight;
    if ('section' in row) {
      section++;
      return `<g class="${hueClass(section)}"><rect x="12" y="${y + 4}" width="${width - 24}" height="${rowHeight - 8}" rx="5" fill="var(--dy-hue-soft)"/></g>${textSvg([row.section], 22, y + 19, 'start', strongText)}`;
    }
    return (
      textSvg([row.task], 22, y + 20, 'start', 'font-size="13" fill="var(--_text)"') +
      scoreSvg(row.score, scoresLeft, y + rowHeight / 2, Math.max(0, section)) +
      actorsSvg(row.actors, actors, actorsLeft, y)
    );
  });
  return chartSvg(title, width, top + rows.length * rowHeight + 12, parts);
}

function readJourney(source: DiagramSource): Row[] {
  const rows: Row[] = [];
  readStatements(source, (statement) => {
    if (/^title\s/.test(statement)) return true;
    const section = /^section\s+(.+)$/.exec(statement)?.[1];
    const task = /^([^:]+):\s*(-?\d+(?:\.\d+)?)\s*(?::\s*(.*))?$/.exec(statement);
    if (section) rows.push({ section: oneLine(section) });
    else if (task)
      rows.push({
        task: oneLine(task[1] ?? ''),
        score: Math.min(maxScore, Math.max(0, Math.round(Number(task[2])))),
        actors: (task[3] ?? '').split(',').map(oneLine).filter(Boolean).slice(0, 8),
      });
    return section !== undefined || task !== null;
  });
  if (!rows.some((row) => 'task' in row)) throw new DiagramError('it has no tasks');
  return rows;
}

function oneLine(text: string): string {
  return labelText(text, 50).replaceAll('\n', ' ');
}

function scoreSvg(score: number, left: number, y: number, section: number): string {
  const dots = Array.from({ length: maxScore }, (_, index) => {
    const fill = index < score ? 'fill="var(--dy-hue)"' : 'fill="none" stroke="var(--_inner-stroke)"';
    return `<circle cx="${left + 8 + index * 18}" cy="${y}" r="6" ${fill}/>`;
  });
  return `<g class="${hueClass(section)}"><title>${score} of ${maxScore}</title>${dots.join('')}</g>`;
}

function actorsSvg(actors: readonly string[], all: readonly string[], left: number, y: number): string {
  let x = left;
  return actors
    .map((actor) => {
      const width = pillWidth(actor);
      const pill =
        `<g class="${hueClass(all.indexOf(actor) + 3)}"><rect x="${x}" y="${y + 6}" width="${width}" height="18" rx="9" fill="var(--dy-hue-soft)" stroke="var(--dy-hue-line)"/></g>` +
        textSvg([actor], x + width / 2, y + 19, 'middle', quietText);
      x += width + 6;
      return pill;
    })
    .join('');
}

function pillWidth(actor: string): number {
  return textWidth([actor], 11) + 18;
}
