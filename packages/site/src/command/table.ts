export function tableText(rows: Record<string, string>[]): string {
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
