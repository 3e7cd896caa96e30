/** How commands answer: rows as a table, a record as a list of facts, either as JSON. Text of strangers is made harmless. */
import { printable } from './terminal.ts';

export function print(options: { json?: boolean }, value: unknown, rows: Record<string, string>[]): void {
  process.stdout.write(options.json ? `${JSON.stringify(value, null, 2)}\n` : table(rows));
}

function table(rows: Record<string, string>[]): string {
  const [first] = rows;
  if (first === undefined) return 'None.\n';
  const columns = Object.keys(first);
  const widths = columns.map((name) => Math.max(name.length, ...rows.map((row) => (row[name] ?? '').length)));
  const line = (cells: string[]) =>
    cells
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd();
  return `${[line(columns), ...rows.map((row) => line(columns.map((name) => row[name] ?? '')))].join('\n')}\n`;
}

/** Facts that are null are left out. */
export function showFacts(facts: readonly (readonly [name: string, value: string | null])[]): void {
  const known = facts.filter((fact): fact is readonly [string, string] => fact[1] !== null);
  const width = Math.max(...known.map(([name]) => name.length));
  for (const [name, value] of known) {
    process.stdout.write(`${name.padEnd(width)}  ${printable(value)}\n`);
  }
}
