/** Collects findings about the configured navigation with their position in the configuration. */
import type { DiagnosticCode } from '../model/finding-codes.ts';
import { type Diagnostic, placeAt } from '../model/diagnostic.ts';
import { asObject } from '../config/json.ts';
import type { ConfigSource } from '../config/read.ts';
import { placeFinder } from '../config/shape.ts';
import { type SettledLevel, maxDepth } from './mixed-level.ts';
import type { JsonObject } from '../model/json.ts';

/** Locating each finding scans the whole configuration. */
const maxFindings = 500;
const maxNames = 5;

interface NavigationFinding {
  severity: Diagnostic['severity'];
  code: DiagnosticCode;
  message: string;
  written: string;
  hint?: string | undefined;
}

type Decision = NonNullable<SettledLevel['decision']>;

export class NavigationFindings {
  readonly list: Diagnostic[] = [];
  readonly #source: ConfigSource;

  constructor(source: ConfigSource) {
    this.#source = source;
  }

  /** For parts that are not shown: discards its findings. */
  quiet(): NavigationFindings {
    return new NavigationFindings(this.#source);
  }

  add({ severity, code, message, written, hint }: NavigationFinding): void {
    this.#push({ severity, code, message, ...(hint ? { hint } : {}) }, () =>
      placeOfText(this.#source, JSON.stringify(written)),
    );
  }

  addMixed(node: JsonObject, decision: Decision): void {
    const { winner, others, filled } = decision;
    const severity = filled.length > 0 ? 'info' : 'warning';
    const keys = others.map((key) => `"${key}"`).join(' and ');
    const hint = `Move ${keys} into the entries of "${winner}" that they belong to.`;
    this.#push({ severity, code: 'nav_mixed', message: mixedMessage(decision), hint }, () =>
      this.#placeOfKey(node, others[0] ?? winner),
    );
  }

  #push(finding: Omit<Diagnostic, 'file'>, place: () => { file: string }): void {
    const { length } = this.list;
    if (length > maxFindings) return;
    const more = `There are more findings about the navigation than ${maxFindings}; the others are not listed`;
    const message = length === maxFindings ? more : finding.message;
    this.list.push({ ...finding, message, ...place() });
  }

  #placeOfKey(node: JsonObject, key: string): { file: string } {
    const { file = 'docs.json', text, config } = this.#source;
    const path = pathTo(config, node, 0);
    return { file, ...(path ? placeFinder(text)([...path, key]) : {}) };
  }
}

function mixedMessage({ winner, others, filled, ignored, added }: Decision): string {
  const keys = others.map((key) => `"${key}"`).join(' and ');
  const both = `${keys} beside "${winner}"`;
  if (filled.length > 0) {
    const names = filled.slice(0, maxNames).join(', ') + (filled.length > maxNames ? ', …' : '');
    return `${both} belong to the entries of "${winner}" without navigation (${names}) and are shown only there`;
  }
  const repeated = `${ignored} ${ignored === 1 ? 'entry' : 'entries'} of ${both} repeat what "${winner}" holds and are ignored`;
  const other = `${added} ${added === 1 ? 'entry' : 'entries'} of ${both} are shown in every entry of "${winner}"`;
  return ignored === 0 ? other : added === 0 ? repeated : `${repeated}; ${other}`;
}

function pathTo(value: unknown, wanted: JsonObject, depth: number): string[] | undefined {
  if (value === wanted) return [];
  if (depth > 2 * maxDepth || typeof value !== 'object' || value === null) return undefined;
  const entries = Array.isArray(value)
    ? value.map((item: unknown, index) => [String(index), item] as const)
    : Object.entries(asObject(value) ?? {});
  for (const [key, item] of entries) {
    const path = pathTo(item, wanted, depth + 1);
    if (path) return [key, ...path];
  }
  return undefined;
}

/** The configuration may consist of several files. */
export function placeOfText(
  { file = 'docs.json', text, parts = [] }: ConfigSource,
  needle: string,
): { file: string; line?: number; column?: number } {
  for (const part of [{ file, text }, ...parts]) {
    const offset = part.text.indexOf(needle);
    if (offset >= 0) return { file: part.file, ...placeAt(part.text, offset) };
  }
  return { file };
}
