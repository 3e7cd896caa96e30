import type { ExportJob } from '@docyard/api';
import { describe, expect, test } from 'vitest';
import { emptyHistory, extendHistory, paceOf, phaseSpans, type ExportHistory } from './export-history.ts';

function seen(...records: [second: number, record: Partial<ExportJob>][]): ExportHistory {
  return records.reduce(
    (trail, [second, record]) => extendHistory(trail, jobAt(second, record)),
    emptyHistory,
  );
}

function jobAt(second: number, record: Partial<ExportJob>): ExportJob {
  const base = { attempt: 1, phase: 'rendering', pageCount: 0, progress: 0, status: 'running' };
  const times = { createdAt: moment(0), startedAt: moment(1), finishedAt: null, updatedAt: moment(second) };
  return { ...base, ...times, ...record } as ExportJob;
}

function moment(second: number): string {
  return new Date(Date.UTC(2026, 0, 1) + second * 1000).toISOString();
}

describe('the rate of an export', () => {
  test('the rate covers the last seconds', () => {
    const trail = seen(
      [2, { pageCount: 0, progress: 10 }],
      [4, { pageCount: 40, progress: 20 }],
      [6, { pageCount: 80, progress: 30 }],
    );
    expect(paceOf(trail)).toEqual({ pagesPerSecond: 20, secondsLeft: 14 });
  });

  test('samples older than ten seconds are dropped', () => {
    const trail = seen(
      [2, { pageCount: 0, progress: 10 }],
      [20, { pageCount: 10, progress: 20 }],
      [22, { pageCount: 30, progress: 40 }],
    );
    expect(paceOf(trail)).toEqual({ pagesPerSecond: 10, secondsLeft: 6 });
  });

  test('a rate needs more than one sample', () => {
    const trail = seen([2, { pageCount: 0, progress: 10 }], [2.5, { pageCount: 40, progress: 20 }]);
    expect(paceOf(trail)).toEqual({ pagesPerSecond: undefined, secondsLeft: undefined });
  });

  test('pages are counted only in the rendering phase', () => {
    const trail = seen(
      [2, { pageCount: 0, progress: 10 }],
      [4, { pageCount: 80, progress: 90, phase: 'packing' }],
      [6, { pageCount: 80, progress: 95, phase: 'packing' }],
    );
    expect(paceOf(trail).pagesPerSecond).toBeUndefined();
  });

  test('a new attempt resets the history', () => {
    const trail = seen(
      [2, { pageCount: 0, progress: 10 }],
      [4, { pageCount: 40, progress: 20 }],
      [6, { pageCount: 0, progress: 20, attempt: 2 }],
    );
    expect(paceOf(trail).pagesPerSecond).toBeUndefined();
    expect(Object.keys(trail.began)).toEqual(['rendering']);
  });
});

describe('the phases of an export', () => {
  test('a phase lasts until the next one begins', () => {
    const job = jobAt(9, { phase: 'done', status: 'completed', finishedAt: moment(9) });
    const trail = seen([1, { phase: 'fetching' }], [3, { phase: 'rendering' }], [7, { phase: 'packing' }]);
    const seconds = phaseSpans(trail, job, 0).map(({ phase, fromMs, toMs }) => [
      phase,
      fromMs === undefined || toMs === undefined ? null : (toMs - fromMs) / 1000,
    ]);
    expect(seconds).toEqual([
      ['queued', 1],
      ['fetching', 2],
      ['loading', null],
      ['rendering', 4],
      ['packing', 2],
      ['storing', null],
    ]);
  });

  test('the current phase lasts until now and later phases are pending', () => {
    const trail = seen([1, { phase: 'fetching' }], [3, { phase: 'rendering' }]);
    const spans = phaseSpans(trail, jobAt(5, { phase: 'rendering' }), Date.parse(moment(6)));
    expect(spans.map(({ state }) => state)).toEqual(['done', 'done', 'done', 'now', 'ahead', 'ahead']);
    expect(spans[3]?.toMs).toBe(Date.parse(moment(6)));
  });

  test('a failed job shows the phase where it stopped', () => {
    const job = jobAt(5, { phase: 'loading', status: 'failed', finishedAt: moment(5) });
    const spans = phaseSpans(seen([1, { phase: 'fetching' }], [3, { phase: 'loading' }]), job, 0);
    expect(spans[2]).toMatchObject({ phase: 'loading', state: 'stopped', toMs: Date.parse(moment(5)) });
  });

  test('the time in the queue is known without events', () => {
    const job = jobAt(9, { phase: 'done', status: 'completed', finishedAt: moment(9) });
    const [queued, ...others] = phaseSpans(emptyHistory, job, 0);
    expect(queued).toMatchObject({ fromMs: Date.parse(moment(0)), toMs: Date.parse(moment(1)) });
    expect(others.every(({ fromMs }) => fromMs === undefined)).toBe(true);
  });
});
