import type { ExportJob } from '@docyard/api';
import { describe, expect, test } from 'vitest';
import { emptyTrail, extendTrail, paceOf, phaseSpans, type Trail } from './trail.ts';

/** Records of one job, each at a second of the minute. */
function seen(...records: [second: number, record: Partial<ExportJob>][]): Trail {
  return records.reduce((trail, [second, record]) => extendTrail(trail, jobAt(second, record)), emptyTrail);
}

function jobAt(second: number, record: Partial<ExportJob>): ExportJob {
  const base = { attempt: 1, phase: 'rendering', pageCount: 0, progress: 0, status: 'running' };
  const times = { createdAt: moment(0), startedAt: moment(1), finishedAt: null, updatedAt: moment(second) };
  return { ...base, ...times, ...record } as ExportJob;
}

function moment(second: number): string {
  return new Date(Date.UTC(2026, 0, 1) + second * 1000).toISOString();
}

describe('the pace', () => {
  test('is what the last seconds gave', () => {
    const trail = seen(
      [2, { pageCount: 0, progress: 10 }],
      [4, { pageCount: 40, progress: 20 }],
      [6, { pageCount: 80, progress: 30 }],
    );
    expect(paceOf(trail)).toEqual({ pagesPerSecond: 20, secondsLeft: 14 });
  });

  test('forgets what is more than ten seconds old', () => {
    const trail = seen(
      [2, { pageCount: 0, progress: 10 }],
      [20, { pageCount: 10, progress: 20 }],
      [22, { pageCount: 30, progress: 40 }],
    );
    expect(paceOf(trail)).toEqual({ pagesPerSecond: 10, secondsLeft: 6 });
  });

  test('is not told from one moment', () => {
    const trail = seen([2, { pageCount: 0, progress: 10 }], [2.5, { pageCount: 40, progress: 20 }]);
    expect(paceOf(trail)).toEqual({ pagesPerSecond: undefined, secondsLeft: undefined });
  });

  test('counts pages only while pages are rendered', () => {
    const trail = seen(
      [2, { pageCount: 0, progress: 10 }],
      [4, { pageCount: 80, progress: 90, phase: 'packing' }],
      [6, { pageCount: 80, progress: 95, phase: 'packing' }],
    );
    expect(paceOf(trail).pagesPerSecond).toBeUndefined();
  });

  test('begins anew when another worker takes the job over', () => {
    const trail = seen(
      [2, { pageCount: 0, progress: 10 }],
      [4, { pageCount: 40, progress: 20 }],
      [6, { pageCount: 0, progress: 20, attempt: 2 }],
    );
    expect(paceOf(trail).pagesPerSecond).toBeUndefined();
    expect(Object.keys(trail.began)).toEqual(['rendering']);
  });
});

describe('the phases', () => {
  test('each last until the next begins', () => {
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

  test('the one at work lasts until now, the rest is ahead', () => {
    const trail = seen([1, { phase: 'fetching' }], [3, { phase: 'rendering' }]);
    const spans = phaseSpans(trail, jobAt(5, { phase: 'rendering' }), Date.parse(moment(6)));
    expect(spans.map(({ state }) => state)).toEqual(['done', 'done', 'done', 'now', 'ahead', 'ahead']);
    expect(spans[3]?.toMs).toBe(Date.parse(moment(6)));
  });

  test('a failed job says where it stopped', () => {
    const job = jobAt(5, { phase: 'loading', status: 'failed', finishedAt: moment(5) });
    const spans = phaseSpans(seen([1, { phase: 'fetching' }], [3, { phase: 'loading' }]), job, 0);
    expect(spans[2]).toMatchObject({ phase: 'loading', state: 'stopped', toMs: Date.parse(moment(5)) });
  });

  test('without events the waiting is known all the same', () => {
    const job = jobAt(9, { phase: 'done', status: 'completed', finishedAt: moment(9) });
    const [queued, ...others] = phaseSpans(emptyTrail, job, 0);
    expect(queued).toMatchObject({ fromMs: Date.parse(moment(0)), toMs: Date.parse(moment(1)) });
    expect(others.every(({ fromMs }) => fromMs === undefined)).toBe(true);
  });
});
