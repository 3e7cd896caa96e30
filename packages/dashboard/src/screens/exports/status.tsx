import type { ExportJob } from '@docyard/api';
import { Badge, type Tone } from '../../parts/note.tsx';
import { ProgressBar } from '../../parts/progress.tsx';
import { counted, span } from '../../parts/time.tsx';
import { emptyHistory, paceOf, type Phase, type ExportHistory } from './export-history.ts';
import './exports.css';

export const phaseNames: Record<Phase, string> = {
  queued: 'Waiting',
  fetching: 'Fetching the source',
  loading: 'Reading the site',
  rendering: 'Rendering pages',
  packing: 'Packing',
  storing: 'Storing',
  done: 'Done',
};

const tones: Record<ExportJob['status'], Tone> = {
  queued: 'quiet',
  running: 'info',
  completed: 'good',
  failed: 'bad',
};

export function ExportBadge({ job }: { job: ExportJob }) {
  if (job.failure?.code === 'canceled') return <Badge tone="quiet">Canceled</Badge>;
  const word = { queued: 'Queued', running: 'Running', completed: 'Completed', failed: 'Failed' }[job.status];
  return <Badge tone={tones[job.status]}>{word}</Badge>;
}

export function ExportProgress({ job, trail = emptyHistory }: { job: ExportJob; trail?: ExportHistory }) {
  return (
    <div className="export-progress">
      <ProgressBar label={`Export of ${job.domain}`} value={job.progress} />
      <p className="export-progress-words">{progressWords(job, trail).join(' · ')}</p>
    </div>
  );
}

function progressWords(job: ExportJob, trail: ExportHistory): string[] {
  const { pagesPerSecond, secondsLeft } = paceOf(trail);
  const words = [phaseNames[job.phase]];
  if (job.phase === 'rendering' && job.totalPages !== null)
    words.push(`${job.pageCount.toLocaleString('en')} of ${counted(job.totalPages, 'page')}`);
  if (pagesPerSecond !== undefined) words.push(speed(pagesPerSecond));
  if (secondsLeft !== undefined) words.push(`${remaining(secondsLeft)} left`);
  return words;
}

export function speed(pagesPerSecond: number): string {
  return `${pagesPerSecond < 10 ? pagesPerSecond.toFixed(1) : Math.round(pagesPerSecond)} pages/s`;
}

/** Whole seconds: tenths would flicker. */
export function remaining(seconds: number): string {
  return seconds < 10 ? `${Math.max(1, Math.ceil(seconds))} s` : span(seconds * 1000);
}
