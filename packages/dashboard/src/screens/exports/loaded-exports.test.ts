import type { ExportJob } from '@docyard/api';
import { describe, expect, test } from 'vitest';
import { withJob, type LoadedPages } from './loaded-exports.ts';

function job(jobId: string, record: Partial<ExportJob> = {}): ExportJob {
  const at = `2026-01-01T00:00:0${jobId}.000Z`;
  return { jobId, status: 'running', domain: 'a.test', createdAt: at, updatedAt: at, ...record } as ExportJob;
}

const loaded: LoadedPages = {
  pages: [
    { data: [job('4'), job('3')], nextCursor: 'next' },
    { data: [job('2'), job('1')], nextCursor: null },
  ],
  pageParams: [undefined, 'next'],
};

const idsOf = ({ pages }: LoadedPages) => pages.map(({ data }) => data.map(({ jobId }) => jobId).join(' '));

describe('an event about a job', () => {
  test('an event replaces the row of its job on any page', () => {
    const changed = withJob(loaded, job('2', { progress: 50 }), {});
    expect(idsOf(changed)).toEqual(['4 3', '2 1']);
    expect(changed.pages[1]?.data[0]?.progress).toBe(50);
  });

  test('an event keeps the identity of the other rows', () => {
    const changed = withJob(loaded, job('2', { progress: 50 }), {});
    expect(changed.pages[1]?.data[1]).toBe(loaded.pages[1]?.data[1]);
    expect(changed.pages[0]?.data).toBe(loaded.pages[0]?.data);
  });

  test('a new job is added at the top', () => {
    expect(idsOf(withJob(loaded, job('5'), {}))).toEqual(['5 4 3', '2 1']);
  });

  test('an old job that is not loaded is not added', () => {
    expect(withJob(loaded, job('0'), {})).toBe(loaded);
  });

  test('a job that no longer matches the filters is removed', () => {
    const changed = withJob(loaded, job('3', { status: 'completed' }), { status: 'running' });
    expect(idsOf(changed)).toEqual(['4', '2 1']);
  });

  test('a job that does not match the filters is not added', () => {
    expect(withJob(loaded, job('5'), { domain: 'b.test' })).toBe(loaded);
    expect(withJob(loaded, job('5'), { since: '2026-01-02T00:00:00.000Z' })).toBe(loaded);
  });

  test('an outdated event does not overwrite a newer row', () => {
    const late = job('4', { updatedAt: '2025-12-31T00:00:00.000Z', progress: 1 });
    expect(withJob(loaded, late, {})).toBe(loaded);
  });
});
