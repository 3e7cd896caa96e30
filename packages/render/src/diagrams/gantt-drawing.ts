import { chartSvg, hueClass, quietText, strongText, textSvg, textWidth, topBelow } from './drawn-text.ts';
import { type GanttChart, type GanttTask, dayMs } from './gantt.ts';

const rowHeight = 28;
const scaleWidth = 560;
const maxTicks = 9;

export function drawGantt(chart: GanttChart, title: string): string {
  const top = topBelow(title);
  const start = Math.min(...chart.tasks.map((task) => task.start));
  const end = Math.max(start + 1, ...chart.tasks.map((task) => task.end));
  const left = 30 + Math.max(80, ...chart.tasks.map(({ label }) => textWidth([label], textSizeOfTasks)));
  const at = (time: number): number => Math.round(left + ((time - start) / (end - start)) * scaleWidth);
  const rows = rowsOf(chart);
  const bottom = top + rows.length * rowHeight + 6;
  const width = left + scaleWidth + 24;
  const body = rows.map((row, index) => {
    const y = top + index * rowHeight;
    if (typeof row === 'number') return sectionSvg(chart.sections[row] ?? '', row, y, width);
    return taskSvg(row, y, at);
  });
  const ticks = ticksOf(start, end, chart.axisFormat).map(
    ({ time, label }) =>
      `<line x1="${at(time)}" y1="${top}" x2="${at(time)}" y2="${bottom}" stroke="var(--_inner-stroke)" stroke-dasharray="2 4"/>` +
      textSvg([label], at(time), bottom + 16, 'middle', quietText),
  );
  return chartSvg(title, width, bottom + 28, [...ticks, ...body]);
}

const textSizeOfTasks = 13;

function rowsOf({ sections, tasks }: GanttChart): (number | GanttTask)[] {
  const first = tasks.filter((task) => task.section < 0);
  return [
    ...first,
    ...sections.flatMap((_, section) => [section, ...tasks.filter((task) => task.section === section)]),
  ];
}

function sectionSvg(label: string, section: number, y: number, width: number): string {
  return (
    `<g class="${hueClass(section)}"><rect x="12" y="${y + 3}" width="${width - 24}" height="${rowHeight - 6}" rx="5" fill="var(--dy-hue-soft)"/></g>` +
    textSvg([label], 20, y + 18, 'start', strongText)
  );
}

function taskSvg(task: GanttTask, y: number, at: (time: number) => number): string {
  const [from, to] = [at(task.start), at(task.end)];
  const name = textSvg(
    [task.label],
    20,
    y + 19,
    'start',
    `font-size="${textSizeOfTasks}" fill="var(--_text)"`,
  );
  const hue = task.isCritical ? 'dy-hue-critical' : hueClass(Math.max(0, task.section));
  const colors = task.isDone
    ? 'fill="var(--dy-hue-soft)" stroke="var(--dy-hue-line)"'
    : task.isActive
      ? 'fill="var(--dy-hue-line)" stroke="var(--dy-hue)" stroke-width="2"'
      : 'fill="var(--dy-hue)"';
  const middle = Math.round((from + to) / 2);
  const shape = task.isMilestone
    ? `<path d="M${middle} ${y + 5}l9 9l-9 9l-9 -9z" ${colors}/>`
    : `<rect x="${from}" y="${y + 6}" width="${Math.max(3, to - from)}" height="${rowHeight - 12}" rx="4" ${colors}/>`;
  const words = [task.isCritical && 'critical', task.isDone && 'done', task.isActive && 'active'].filter(
    Boolean,
  );
  return `${name}<g class="${hue}">${words.length ? `<title>${words.join(', ')}</title>` : ''}${shape}</g>`;
}

const hourMs = 3_600_000;
const steps = [
  1000,
  5000,
  15_000,
  60_000,
  300_000,
  900_000,
  hourMs,
  3 * hourMs,
  6 * hourMs,
  12 * hourMs,
  dayMs,
  2 * dayMs,
  7 * dayMs,
  14 * dayMs,
];

function ticksOf(start: number, end: number, format: string | undefined): { time: number; label: string }[] {
  const step = steps.find((candidate) => (end - start) / candidate <= maxTicks);
  const times: number[] = [];
  if (step !== undefined) {
    /** Weeks begin on a Monday; January 1, 1970 was a Thursday. */
    const offset = step >= 7 * dayMs ? 4 * dayMs : 0;
    const first = Math.ceil((start - offset) / step) * step + offset;
    for (let time = first; time <= end; time += step) times.push(time);
  } else times.push(...monthsBetween(start, end));
  return times.map((time) => ({ time, label: dateLabel(new Date(time), format ?? formatOf(step)) }));
}

function monthsBetween(start: number, end: number): number[] {
  const first = new Date(start);
  const months = (end - start) / (30.4 * dayMs);
  const every =
    [1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200, 6000].find((count) => months / count <= maxTicks) ?? 12_000;
  const times: number[] = [];
  const month = Math.ceil((first.getUTCFullYear() * 12 + first.getUTCMonth()) / every) * every;
  for (let index = month; times.length <= maxTicks + 1; index += every) {
    const time = Date.UTC(Math.floor(index / 12), index % 12);
    if (time > end) break;
    if (time >= start) times.push(time);
  }
  return times;
}

function formatOf(step: number | undefined): string {
  if (step === undefined) return '%b %Y';
  if (step >= dayMs) return '%b %e';
  return step >= 60_000 ? '%H:%M' : '%H:%M:%S';
}

const monthNames =
  'January February March April May June July August September October November December'.split(' ');
const dayNames = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');

function dateLabel(date: Date, format: string): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  const month = monthNames[date.getUTCMonth()] ?? '';
  const day = dayNames[date.getUTCDay()] ?? '';
  const values: Record<string, string> = {
    Y: String(date.getUTCFullYear()),
    y: two(date.getUTCFullYear() % 100),
    m: two(date.getUTCMonth() + 1),
    B: month,
    b: month.slice(0, 3),
    d: two(date.getUTCDate()),
    e: String(date.getUTCDate()),
    A: day,
    a: day.slice(0, 3),
    H: two(date.getUTCHours()),
    M: two(date.getUTCMinutes()),
    S: two(date.getUTCSeconds()),
  };
  return format
    .slice(0, 40)
    .replaceAll(/%-?([A-Za-z])/g, (whole, key: string) =>
      Object.hasOwn(values, key) ? (values[key] ?? '') : whole,
    );
}
