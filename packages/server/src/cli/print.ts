/**
 * Prints rows as a table, records as a list of facts, or both as JSON. Untrusted text loses its control characters.
 */
import { tableText } from '@docyard/site/command';
import { printable } from './terminal.ts';

export function print(options: { json?: boolean }, value: unknown, rows: Record<string, string>[]): void {
  process.stdout.write(options.json ? `${JSON.stringify(value, null, 2)}\n` : tableText(rows));
}

/** Null values are left out. */
export function showFacts(facts: readonly (readonly [name: string, value: string | null])[]): void {
  const known = facts.filter((fact): fact is readonly [string, string] => fact[1] !== null);
  const width = Math.max(...known.map(([name]) => name.length));
  for (const [name, value] of known) {
    process.stdout.write(`${name.padEnd(width)}  ${printable(value)}\n`);
  }
}

export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`;
}
