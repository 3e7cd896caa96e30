/**
 * The agent jobs of several projects as one list, newest first. The API lists them project by project; pages are fetched
 * from each and put in order, and what could still be overtaken is held back until the next page.
 */
import type { AgentJob } from '@docyard/api';

export interface JobRow {
  projectId: string;
  job: AgentJob;
}

export interface JobsPage {
  data: JobRow[];
  nextCursor: string | null;
}

type ReadPage = (
  projectId: string,
  cursor: string | undefined,
) => Promise<{ data: AgentJob[]; nextCursor: string | null }>;

interface Place {
  held: JobRow[];
  /** Of the projects that have more. */
  cursors: Record<string, string>;
}

/** `cursor` is that of the page before; it means something only to this function. */
export async function readMergedJobs(
  projectIds: readonly string[],
  cursor: string | undefined,
  readPage: ReadPage,
): Promise<JobsPage> {
  const place = cursor === undefined ? undefined : (JSON.parse(cursor) as Place);
  const rows = [...(place?.held ?? [])];
  const cursors = { ...place?.cursors };
  const waiting = new Set(rows.map(({ projectId }) => projectId));
  const wanted =
    place === undefined ? projectIds : Object.keys(cursors).filter((projectId) => !waiting.has(projectId));
  await Promise.all(
    wanted.map(async (projectId) => {
      const { data, nextCursor } = await readPage(projectId, cursors[projectId]);
      rows.push(...data.map((job) => ({ projectId, job })));
      if (nextCursor === null) delete cursors[projectId];
      else cursors[projectId] = nextCursor;
    }),
  );
  rows.sort((left, right) => right.job.createdAt.localeCompare(left.job.createdAt));
  const horizon = rows.findIndex((row, index) => isLastOfProject(rows, index) && row.projectId in cursors);
  const known = horizon === -1 ? rows.length : horizon + 1;
  const held = rows.slice(known);
  const isOver = held.length === 0 && Object.keys(cursors).length === 0;
  return {
    data: rows.slice(0, known),
    nextCursor: isOver ? null : JSON.stringify({ held, cursors } satisfies Place),
  };
}

/** Behind it there may be jobs of the same project that were not fetched yet. */
function isLastOfProject(rows: readonly JobRow[], index: number): boolean {
  const projectId = rows[index]?.projectId;
  return !rows.slice(index + 1).some((row) => row.projectId === projectId);
}
