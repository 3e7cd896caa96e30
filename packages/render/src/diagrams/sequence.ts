/**
 * Parses sequence diagrams into participants and steps. An unknown statement is an error and never omitted.
 */
import { type DiagramSource, DiagramError, labelText, readStatements } from './source.ts';

export interface Participant {
  label: string[];
  isPerson: boolean;
  box: number | undefined;
}

export type Step =
  | { kind: 'message'; from: number; to: number; label: string[]; dashed: boolean; head: Head; both: boolean }
  | { kind: 'note'; first: number; last: number; side: 'left' | 'right' | 'over'; label: string[] }
  | { kind: 'open'; word: string; label: string }
  | { kind: 'divide'; label: string }
  | { kind: 'close' }
  | { kind: 'activate' | 'deactivate'; who: number };

export type Head = 'filled' | 'open' | 'cross' | 'none';

export interface SequenceDiagram {
  participants: Participant[];
  boxes: string[];
  steps: Step[];
}

const arrows = '<<-->>|<<->>|-->>|->>|--x|-x|--\\)|-\\)|-->|->';

export function readSequence(source: DiagramSource): SequenceDiagram {
  const reader = new SequenceReader();
  readStatements(source, (statement) => reader.read(statement));
  return reader.result();
}

class SequenceReader {
  readonly #participants: Participant[] = [];
  readonly #names = new Map<string, number>();
  readonly #boxes: string[] = [];
  readonly #steps: Step[] = [];
  readonly #open: ('block' | 'box')[] = [];
  #number = 0;
  #increment = 0;

  read(line: string): boolean {
    return (
      this.#declaration(line) ||
      this.#note(line) ||
      this.#block(line) ||
      this.#setting(line) ||
      this.#message(line)
    );
  }

  result(): SequenceDiagram {
    if (this.#participants.length === 0) throw new DiagramError('it has no participants');
    if (this.#open.length > 0) throw new DiagramError('a block is not closed with "end"');
    return { participants: this.#participants, boxes: this.#boxes, steps: this.#steps };
  }

  #declaration(line: string): boolean {
    const match = /^(?:create\s+)?(participant|actor)\s+(.+?)(?:\s*@\{[^}]*\})?(?:\s+as\s+(.+))?$/i.exec(
      line,
    );
    if (!match) return false;
    const [, type = '', name = '', label] = match;
    this.#participant(name.replace(/^"(.*)"$/, '$1'), label ?? name, type.toLowerCase() === 'actor');
    return true;
  }

  #participant(name: string, label = name, isPerson = false): number {
    const key = name.trim();
    const known = this.#names.get(key);
    if (known !== undefined) return known;
    const box = this.#open.includes('box') ? this.#boxes.length - 1 : undefined;
    this.#participants.push({ label: labelText(label, 22).split('\n'), isPerson, box });
    this.#names.set(key, this.#participants.length - 1);
    return this.#participants.length - 1;
  }

  #note(line: string): boolean {
    const match = /^note\s+(left of|right of|over)\s+([^:]+):\s*(.*)$/i.exec(line);
    if (!match) return false;
    const [, where = '', who = '', text = ''] = match;
    const numbers = who.split(',').map((name) => this.#participant(name));
    const side = where.toLowerCase().split(' ')[0] as 'left' | 'right' | 'over';
    const label = labelText(text, 34).split('\n');
    this.#steps.push({ kind: 'note', first: Math.min(...numbers), last: Math.max(...numbers), side, label });
    return true;
  }

  #block(line: string): boolean {
    const match = /^(loop|alt|opt|par|critical|break|rect|box|else|and|option|end)(?:\s+(.*))?$/i.exec(line);
    if (!match || new RegExp(`^(?:${arrows})`).test(match[2] ?? '')) return false;
    const word = (match[1] ?? '').toLowerCase();
    const label = labelText(match[2] ?? '', 1000).replaceAll('\n', ' ');
    if (word === 'end') {
      if (this.#open.pop() === 'block') this.#steps.push({ kind: 'close' });
    } else if (word === 'box') {
      this.#open.push('box');
      this.#boxes.push(
        label.replace(/^(?:rgba?\([^)]*\)|transparent|#[\da-f]+|[a-z]+(?=\s|$))\s*/i, (color) =>
          /^[a-z]+\s*$/i.test(color) && !boxColors.has(color.trim().toLowerCase()) ? color : '',
        ),
      );
    } else if (word === 'else' || word === 'and' || word === 'option')
      this.#steps.push({ kind: 'divide', label });
    else {
      this.#open.push('block');
      this.#steps.push({ kind: 'open', word, label: word === 'rect' ? '' : label });
    }
    return true;
  }

  #setting(line: string): boolean {
    const number = /^autonumber(?:\s+(\d+|off))?(?:\s+(\d+))?/i.exec(line);
    if (number) {
      this.#increment = number[1] === 'off' ? 0 : Number(number[2] ?? 1);
      this.#number = Number(number[1] ?? 1) || 1;
      return true;
    }
    const activation = /^(activate|deactivate)\s+([^:]+)$/i.exec(line);
    if (activation) {
      const kind = activation[1]?.toLowerCase() === 'activate' ? 'activate' : 'deactivate';
      this.#steps.push({ kind, who: this.#participant(activation[2] ?? '') });
      return true;
    }
    return /^(?:title|link|links|properties|details|destroy)\b(?!\s*-)/i.test(line);
  }

  #message(line: string): boolean {
    const names = [...this.#names.keys()]
      .toSorted((a, b) => b.length - a.length)
      .map((name) => name.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
    const known = names.length ? `(?:${names.join('|')})(?=\\s*(?:\\(\\))?\\s*(?:${arrows}))|` : '';
    const match = new RegExp(
      `^(${known}[^:]+?)\\s*(?:\\(\\))?\\s*(${arrows})\\s*(?:\\(\\))?\\s*([+-]?)\\s*([^:]+?)\\s*(?::\\s*(.*))?$`,
    ).exec(line);
    if (!match) return false;
    const [, sender = '', arrow = '', mark = '', receiver = '', text = ''] = match;
    const prefix = this.#increment ? `${this.#number}. ` : '';
    this.#number += this.#increment;
    const from = this.#participant(sender);
    const to = this.#participant(receiver);
    this.#steps.push({
      kind: 'message',
      from,
      to,
      label: labelText(prefix + text, 44).split('\n'),
      dashed: arrow.includes('--'),
      head: headOf(arrow),
      both: arrow.startsWith('<<'),
    });
    if (mark === '+') this.#steps.push({ kind: 'activate', who: to });
    if (mark === '-') this.#steps.push({ kind: 'deactivate', who: from });
    return true;
  }
}

function headOf(arrow: string): Head {
  if (arrow.endsWith('>>')) return 'filled';
  if (arrow.endsWith('x')) return 'cross';
  return arrow.endsWith(')') ? 'open' : 'none';
}

/** The word after `box` is a color if it is one of these; otherwise it belongs to the title. */
const boxColors = new Set(
  'aqua black blue cyan gray green grey lightblue lightgray lightgreen lightgrey lightyellow magenta orange pink purple red teal white yellow'.split(
    ' ',
  ),
);
