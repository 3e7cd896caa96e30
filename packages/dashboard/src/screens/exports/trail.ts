/**
 * What the records of one export tell when they are seen one after another: how long each phase took, how fast it goes, when
 * it will be done. Pure: every moment comes from the records, so that a replay gives the same as having watched.
 */
import type { ExportJob } from '@docyard/api';

export type Phase = ExportJob['phase'];

export interface Trail {
  attempt: number;
  /** The first moment of each phase of this attempt. */
  began: Partial<Record<Phase, number>>;
  /** The last few seconds, for rates. */
  recent: readonly Sample[];
}

interface Sample {
  atMs: number;
  phase: Phase;
  pages: number;
  progress: number;
}

export const emptyTrail: Trail = { attempt: 0, began: {}, recent: [] };

/** Rates are those of this long. */
const windowMs = 10_000;
/** Before that a rate would be a guess. */
const leastMs = 900;

export function extendTrail(trail: Trail, job: ExportJob): Trail {
  const atMs = Date.parse(job.updatedAt);
  const before = job.attempt === trail.attempt ? trail : { ...emptyTrail, attempt: job.attempt };
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

export function paceOf({ recent }: Trail): Pace {
  const last = recent.at(-1);
  if (last === undefined) return { pagesPerSecond: undefined, secondsLeft: undefined };
  // A page takes another time than a megabyte that is packed.
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
  return passedMs < leastMs || grown <= 0 ? undefined : (grown / passedMs) * 1000;
}

export interface PhaseSpan {
  phase: Exclude<Phase, 'done'>;
  state: 'done' | 'now' | 'stopped' | 'ahead';
  /** Unknown when the phase is ahead, or when the events of the job are no longer kept. */
  fromMs: number | undefined;
  toMs: number | undefined;
}

const phases = ['queued', 'fetching', 'loading', 'rendering', 'packing', 'storing'] as const;

export function phaseSpans(trail: Trail, job: ExportJob, nowMs: number): PhaseSpan[] {
  const began = { ...trail.began, queued: Date.parse(job.createdAt) };
  const isOver = job.status === 'completed' || job.status === 'failed';
  const endMs = job.finishedAt === null ? nowMs : Date.parse(job.finishedAt);
  const reached = job.phase === 'done' ? phases.length : phases.indexOf(job.phase);
  return phases.map((phase, index) => {
    const next = phases.slice(index + 1).find((each) => began[each] !== undefined);
    const isLast = index === reached;
    const state = index > reached ? 'ahead' : !isLast ? 'done' : isOver ? 'stopped' : 'now';
    const fromMs = state === 'ahead' ? undefined : began[phase];
    // The first phase is told by the record itself; the others only by events.
    const following = next === undefined ? undefined : began[next];
    const started = phase === 'queued' && job.startedAt !== null ? Date.parse(job.startedAt) : undefined;
    const toMs = fromMs === undefined ? undefined : (following ?? started ?? endMs);
    return { phase, state, fromMs, toMs };
  });
}
