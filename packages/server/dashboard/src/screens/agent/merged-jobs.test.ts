import type { AgentJob } from '@docyard/api';
import { expect, test } from 'vitest';
import { readMergedJobs } from './merged-jobs.ts';

/** Jobs by project, newest first; a job is the second of the day at which it was made. */
function serverWith(jobs: Record<string, number[]>, pageSize: number) {
  const asked: string[] = [];
  return {
    asked,
    readPage: (projectId: string, cursor: string | undefined) => {
      asked.push(projectId);
      const from = Number(cursor ?? 0);
      const all = jobs[projectId] ?? [];
      const data = all.slice(from, from + pageSize).map((second) => {
        const createdAt = new Date(second * 1000).toISOString();
        return { id: `${projectId}${second}`, createdAt } as AgentJob;
      });
      const next = from + pageSize;
      return Promise.resolve({ data, nextCursor: next < all.length ? String(next) : null });
    },
  };
}

async function everyPage(jobs: Record<string, number[]>, pageSize: number) {
  const { asked, readPage } = serverWith(jobs, pageSize);
  const pages: string[][] = [];
  let cursor: string | undefined;
  do {
    const page = await readMergedJobs(Object.keys(jobs), cursor, readPage);
    pages.push(page.data.map(({ job }) => job.id));
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return { pages, asked };
}

test('jobs of all projects come newest first, over any number of pages, each once', async () => {
  const { pages } = await everyPage({ a: [90, 80, 70, 10], b: [85, 84, 83, 82, 81], c: [], d: [5] }, 2);
  expect(pages.flat()).toEqual(['a90', 'b85', 'b84', 'b83', 'b82', 'b81', 'a80', 'a70', 'a10', 'd5']);
});

test('a project is asked for more only when its jobs are used up', async () => {
  const { asked } = await everyPage({ a: [90, 89, 88, 87], b: [2, 1] }, 2);
  expect(asked).toEqual(['a', 'b', 'a']);
});

test('nothing at all is one empty page', async () => {
  expect((await everyPage({}, 2)).pages).toEqual([[]]);
});
