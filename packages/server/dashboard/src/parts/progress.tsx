/** How far something is, as a bar with its number. */
import { Progress as Base } from '@base-ui/react/progress';

export function ProgressBar({ label, value, tone }: { label: string; value: number; tone?: 'good' | 'bad' }) {
  return (
    <Base.Root className={`progress progress-${tone ?? 'busy'}`} value={value} aria-label={label}>
      <Base.Track className="progress-track">
        <Base.Indicator className="progress-bar" />
      </Base.Track>
      <Base.Value className="progress-value">{(_, now) => `${Math.floor(now ?? 0)} %`}</Base.Value>
    </Base.Root>
  );
}
