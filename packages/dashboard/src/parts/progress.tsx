export function ProgressBar({ label, value, tone }: { label: string; value: number; tone?: 'good' | 'bad' }) {
  const percent = `${Math.floor(value)} %`;
  return (
    <div
      className={`progress progress-${tone ?? 'busy'}`}
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.floor(value)}
      aria-valuetext={percent}
    >
      <div className="progress-track">
        <div className="progress-bar" style={{ width: `${value}%` }} />
      </div>
      <span className="progress-value" aria-hidden="true">
        {percent}
      </span>
    </div>
  );
}
