import { Disclosure } from './disclosure.tsx';

export interface Series {
  name: string;
  tone: 'accent' | 'bad' | 'quiet';
  values: readonly (number | null)[];
}

interface DayChartProps {
  label: string;
  dates: readonly string[];
  series: readonly Series[];
  format: (value: number) => string;
}

const height = 96;
const slot = 20;
const barWidth = 14;

export function DayChart({ label, dates, series, format }: DayChartProps) {
  const sums = dates.map((_, day) => series.reduce((sum, { values }) => sum + (values[day] ?? 0), 0));
  const max = Math.max(...sums, 0);
  return (
    <div className="day-chart">
      <div className="day-chart-drawing">
        <span className="day-chart-most">{max === 0 ? '' : format(max)}</span>
        <svg
          role="img"
          aria-label={label}
          viewBox={`0 0 ${dates.length * slot} ${height}`}
          preserveAspectRatio="none"
        >
          {dates.map((date, day) => (
            <g key={date}>
              <title>{wordsOf(date, day, series, format)}</title>
              <rect className="day-chart-slot" x={day * slot} width={slot} height={height} />
              <Bars series={series} day={day} max={max} />
            </g>
          ))}
        </svg>
        <span className="day-chart-dates" aria-hidden="true">
          <span>{dayName(dates[0])}</span>
          <span>{dayName(dates.at(-1))}</span>
        </span>
      </div>
      {series.length > 1 && (
        <ul className="day-chart-legend">
          {series.map(({ name, tone }) => (
            <li key={name}>
              <span className={`day-chart-mark day-chart-mark-${tone}`} aria-hidden="true" />
              {name}
            </li>
          ))}
        </ul>
      )}
      <Disclosure icon="list" label="Show as a table">
        <NumberTable label={label} dates={dates} series={series} format={format} />
      </Disclosure>
    </div>
  );
}

function Bars({ series, day, max }: { series: readonly Series[]; day: number; max: number }) {
  let top = height;
  return series.map(({ name, tone, values }) => {
    const value = values[day] ?? 0;
    if (value === 0) return null;
    const barHeight = Math.max(2, (value / max) * (height - 4));
    top -= barHeight;
    return (
      <rect
        key={name}
        className={`day-chart-bar day-chart-bar-${tone}`}
        x={day * slot + (slot - barWidth) / 2}
        y={top}
        width={barWidth}
        height={barHeight}
      />
    );
  });
}

function NumberTable({ label, dates, series, format }: DayChartProps) {
  return (
    <div className="day-chart-table" tabIndex={0} role="region" aria-label={`${label} Table.`}>
      <table>
        <thead>
          <tr>
            <th scope="col">Day</th>
            {series.map(({ name }) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {dates.map((date, day) => (
            <tr key={date}>
              <th scope="row">{dayName(date)}</th>
              {series.map(({ name, values }) => {
                const value = values[day] ?? null;
                return <td key={name}>{value === null ? '–' : format(value)}</td>;
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function wordsOf(
  date: string,
  day: number,
  series: readonly Series[],
  format: (value: number) => string,
): string {
  const parts = series.flatMap(({ name, values }) => {
    const value = values[day] ?? null;
    return value === null || (value === 0 && series.length > 1)
      ? []
      : [`${format(value)} ${name.toLowerCase()}`];
  });
  return `${dayName(date)}: ${parts.length === 0 ? 'none' : parts.join(', ')}`;
}

const dayFormat = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric', timeZone: 'UTC' });

function dayName(date: string | undefined): string {
  return date === undefined ? '' : dayFormat.format(new Date(`${date}T00:00:00Z`));
}
