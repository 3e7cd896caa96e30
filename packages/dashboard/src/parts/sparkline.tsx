export function Sparkline({ values, label }: { values: readonly number[]; label: string }) {
  const max = Math.max(...values, 1);
  const step = values.length < 2 ? 0 : 100 / (values.length - 1);
  const heightOf = (value: number) => 22 - (value / max) * 20;
  const points =
    values.length === 1
      ? `0,${heightOf(values[0] ?? 0)} 100,${heightOf(values[0] ?? 0)}`
      : values.map((value, place) => `${place * step},${heightOf(value)}`).join(' ');
  return (
    <svg className="sparkline" role="img" aria-label={label} viewBox="0 0 100 24" preserveAspectRatio="none">
      <polyline points={points} />
    </svg>
  );
}
