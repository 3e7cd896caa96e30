/**
 * Derives phase durations, rates and the remaining time from the records of an export. All times come from the records, so
 * a replay gives the same result.
 */
import type { ExportJob } from '@docyard/api';

export type Phase = ExportJob['phase'];

export interface ExportHistory {
  attempt: number;
  /** Start of each phase of the current attempt. */
  began: Partial<Record<Phase, number>>;
  /** Recent samples, for rates. */
  recent: readonly Sample[];
}

interface Sample {
  atMs: number;
  phase: Phase;
  pages: number;
  progress: number;
}

export const emptyHistory: ExportHistory = { attempt: 0, began: {}, recent: [] };

const windowMs = 10_000;
const minMs = 900;

export function extendHistory(trail: ExportHistory, job: ExportJob): ExportHistory {
  const atMs = Date.parse(job.updatedAt);
  const before = job.attempt === trail.attempt ? trail : { ...emptyHistory, attempt: job.attempt };
  const sample = { atMs, phase: job.phase, pages: job.pageCount, progress: job.progress };
  return {
    attempt: job.attempt,
    began: { ...before.began, [job.phase]: before.began[job.phase] ?? atMs },
    recent: [...before.recent.filter((each) => atMs - each.atMs <= windowMs && each.atMs < atMs), sample],
  };
}

export interface Pace {
  pagesPerSecond: number | undefined;
  secondsLeft: number | undefined;
}

export function paceOf({ recent }: ExportHistory): Pace {
  const last = recent.at(-1);
  if (last === undefined) return { pagesPerSecond: undefined, secondsLeft: undefined };
  // Rates of different phases are not comparable.
  const rendering = last.phase === 'rendering' ? recent.filter(({ phase }) => phase === 'rendering') : [];
  const pagesPerSecond = rateOf(rendering, ({ pages }) => pages);
  const progressPerSecond = rateOf(
    recent.filter(({ phase }) => phase !== 'queued'),
    ({ progress }) => progress,
  );
  const secondsLeft = progressPerSecond === undefined ? undefined : (100 - last.progress) / progressPerSecond;
  return { pagesPerSecond, secondsLeft };
}

function rateOf(samples: readonly Sample[], valueOf: (sample: Sample) => number): number | undefined {
  const [first, last] = [samples[0], samples.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const passedMs = last.atMs - first.atMs;
  const grown = valueOf(last) - valueOf(first);
  return passedMs < minMs || grown <= 0 ? undefined : (grown / passedMs) * 1000;
}

export interface PhaseSpan {
  phase: Exclude<Phase, 'done'>;
  state: 'done' | 'now' | 'stopped' | 'ahead';
  /** Unknown for a future phase, and when the events of the job are no longer stored. */
  fromMs: number | undefined;
  toMs: number | undefined;
}

const phases = ['queued', 'fetching', 'loading', 'rendering', 'packing', 'storing'] as const;

export function phaseSpans(trail: ExportHistory, job: ExportJob, nowMs: number): PhaseSpan[] {
  const began = { ...trail.began, queued: Date.parse(job.createdAt) };
  const isOver = job.status === 'completed' || job.status === 'failed';
  const endMs = job.finishedAt === null ? nowMs : Date.parse(job.finishedAt);
  const reached = job.phase === 'done' ? phases.length : phases.indexOf(job.phase);
  return phases.map((phase, index) => {
    const next = phases.slice(index + 1).find((each) => began[each] !== undefined);
    const isLast = index === reached;
    const state = index > reached ? 'ahead' : !isLast ? 'done' : isOver ? 'stopped' : 'now';
    const fromMs = state === 'ahead' ? undefined : began[phase];
    // The record contains the start of the first phase; the other starts come from events.
    const following = next === undefined ? undefined : began[next];
    const started = phase === 'queued' && job.startedAt !== null ? Date.parse(job.startedAt) : undefined;
    const toMs = fromMs === undefined ? undefined : (following ?? started ?? endMs);
    return { phase, state, fromMs, toMs };
  });
}
