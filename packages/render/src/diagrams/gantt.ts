/**
 * Parses Gantt charts into sections of tasks. Days are in UTC, so that every machine produces the same chart.
 */
import { DiagramError, type DiagramSource, labelText, readStatements } from './source.ts';

export interface GanttTask {
  label: string;
  section: number;
  start: number;
  end: number;
  isDone: boolean;
  isActive: boolean;
  isCritical: boolean;
  isMilestone: boolean;
}

export interface GanttChart {
  sections: string[];
  tasks: GanttTask[];
  axisFormat: string | undefined;
}

export const dayMs = 86_400_000;
const maxTasks = 200;
/** Excluded days are counted one by one, so longer tasks ignore them. */
const maxDays = 2000;

export function readGantt(source: DiagramSource): GanttChart {
  const reader = new GanttReader();
  readStatements(source, (statement) => reader.read(statement));
  return reader.result();
}

const ignored =
  /^(?:title|todayMarker|tickInterval|weekday|weekend|inclusiveEndDates|topAxis|displayMode|click|includes)\b/;

class GanttReader {
  readonly #sections: string[] = [];
  readonly #tasks: GanttTask[] = [];
  readonly #ids = new Map<string, GanttTask>();
  #format = 'YYYY-MM-DD';
  #axisFormat: string | undefined;
  /** Days off: weekdays from Sunday as 0, and days since 1970. */
  readonly #freeWeekdays = new Set<number>();
  readonly #freeDays = new Set<number>();

  read(statement: string): boolean {
    const setting = /^(dateFormat|axisFormat|excludes|section)\s+(.+)$/.exec(statement);
    if (setting) {
      const [, name = '', value = ''] = setting;
      if (name === 'dateFormat') this.#format = value.trim();
      else if (name === 'axisFormat') this.#axisFormat = value.trim();
      else if (name === 'excludes') this.#exclude(value);
      else this.#sections.push(labelText(value, 60).replaceAll('\n', ' '));
      return true;
    }
    if (ignored.test(statement) && !/^[^:]+:/.test(statement)) return true;
    const task = /^(.+?)\s*:(.*)$/.exec(statement);
    return task === null ? ignored.test(statement) : this.#task(task[1] ?? '', task[2] ?? '');
  }

  result(): GanttChart {
    if (this.#tasks.length === 0) throw new DiagramError('it has no tasks');
    if (this.#tasks.length > maxTasks) throw new DiagramError('it has too many parts to be drawn');
    return { sections: this.#sections, tasks: this.#tasks, axisFormat: this.#axisFormat };
  }

  /** `name : tags, id, start, end`; the end may be a duration, and all parts but the end are optional. */
  #task(label: string, data: string): boolean {
    const parts = data.split(',').map((part) => part.trim());
    const tags = new Set<string>();
    while (/^(?:done|active|crit|milestone|vert)$/.test(parts[0] ?? '')) tags.add(parts.shift() ?? '');
    const id = parts.length > 2 ? parts.shift() : undefined;
    const [first = '', second] = parts;
    const start = second === undefined ? this.#previousEnd() : this.#start(first);
    const end = start === undefined ? undefined : this.#end(second ?? first, start);
    if (start === undefined || end === undefined || end < start) return false;
    const task: GanttTask = {
      label: labelText(label, 40).replaceAll('\n', ' '),
      section: this.#sections.length - 1,
      start,
      end,
      isDone: tags.has('done'),
      isActive: tags.has('active'),
      isCritical: tags.has('crit'),
      isMilestone: tags.has('milestone'),
    };
    this.#tasks.push(task);
    if (id) this.#ids.set(id, task);
    return true;
  }

  #previousEnd(): number | undefined {
    return this.#tasks.at(-1)?.end;
  }

  #start(text: string): number | undefined {
    const after = /^after\s+(.+)$/.exec(text)?.[1];
    if (after === undefined) return readDate(text, this.#format);
    const ends = after.split(/\s+/).map((id) => this.#ids.get(id)?.end);
    return ends.includes(undefined) ? undefined : Math.max(...(ends as number[]));
  }

  #end(text: string, start: number): number | undefined {
    const until = /^until\s+(\S+)/.exec(text)?.[1];
    if (until !== undefined) return this.#ids.get(until)?.start;
    const length = readDuration(text, start);
    if (length === undefined) return readDate(text, this.#format);
    return bounded(
      this.#freeWeekdays.size + this.#freeDays.size > 0
        ? this.#stretched(start, start + length)
        : start + length,
    );
  }

  #stretched(start: number, end: number): number {
    let stretched = end;
    const last = start + maxDays * dayMs;
    for (let day = start; day < stretched && day < last; day += dayMs)
      if (this.#isExcluded(day)) stretched += dayMs;
    return stretched;
  }

  #isExcluded(time: number): boolean {
    const day = Math.floor(time / dayMs);
    /** January 1, 1970 was a Thursday. */
    return this.#freeWeekdays.has((day + 4) % 7) || this.#freeDays.has(day);
  }

  #exclude(days: string): void {
    for (const word of days.toLowerCase().split(/[\s,]+/)) {
      const date = readDate(word, 'YYYY-MM-DD');
      if (date !== undefined) this.#freeDays.add(Math.floor(date / dayMs));
      else if (word === 'weekends') this.#freeWeekdays.add(0).add(6);
      else if (weekdays.includes(word)) this.#freeWeekdays.add(weekdays.indexOf(word));
    }
  }
}

const weekdays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

const unitMs: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: dayMs, w: 7 * dayMs };

function readDuration(text: string, start: number): number | undefined {
  const match = /^(\d+(?:\.\d+)?)(ms|[smhdwMy])$/.exec(text);
  if (!match) return undefined;
  const [count, unit = ''] = [Number(match[1]), match[2]];
  if (unit !== 'M' && unit !== 'y') return count * (unitMs[unit] ?? 0);
  const date = new Date(start);
  date.setUTCMonth(date.getUTCMonth() + Math.round(unit === 'M' ? count : count * 12));
  return date.getTime() - start;
}

/** The tokens of a date format, and the part of a date that each one reads. */
const datePieces: Record<string, [pattern: string, part: number]> = {
  YYYY: [String.raw`(\d{4})`, 0],
  MM: [String.raw`(\d{2})`, 1],
  M: [String.raw`(\d{1,2})`, 1],
  DD: [String.raw`(\d{2})`, 2],
  D: [String.raw`(\d{1,2})`, 2],
  HH: [String.raw`(\d{2})`, 3],
  H: [String.raw`(\d{1,2})`, 3],
  mm: [String.raw`(\d{2})`, 4],
  ss: [String.raw`(\d{2})`, 5],
};

function readDate(text: string, format: string): number | undefined {
  if (format === 'x' || format === 'X') {
    const number = Number(text);
    return bounded(/^\d+$/.test(text) ? (format === 'X' ? number * 1000 : number) : Number.NaN);
  }
  const parts: number[] = [];
  const pattern = format.replaceAll(/YYYY|MM?|DD?|HH?|mm|ss|[^A-Za-z\d\s]|[A-Za-z]+/g, (piece) => {
    const known = Object.hasOwn(datePieces, piece) ? datePieces[piece] : undefined;
    if (known) parts.push(known[1]);
    return known?.[0] ?? (piece === 'T' ? 'T' : `\\u{${piece.codePointAt(0)?.toString(16)}}`);
  });
  const match = parts.length === 0 ? null : new RegExp(`^${pattern}$`, 'u').exec(text);
  if (!match) return bounded(/^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN);
  const values = [1970, 1, 1, 0, 0, 0];
  for (const [index, part] of parts.entries()) values[part] = Number(match[index + 1]);
  const [year = 1970, month = 1, day = 1, hour = 0, minute = 0, second = 0] = values;
  return bounded(Date.UTC(year, month - 1, day, hour, minute, second));
}

function bounded(time: number): number | undefined {
  return time >= 0 && time < 253_402_300_800_000 ? time : undefined;
}
