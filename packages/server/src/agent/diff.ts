/**
 * What a job has changed so far, all its runs together.
 */
import type { AgentDiff } from '@docyard/api';
import type { Context } from '../context.ts';
import { readDiff } from './record.ts';

/** Empty as long as nothing was changed. */
export async function readAgentDiff(context: Pick<Context, 'database'>, jobId: string): Promise<AgentDiff> {
  const { files, patch } = (await readDiff(context, jobId)) ?? { files: [], patch: '' };
  return {
    files: files.map(({ path, from, status, addedLines, removedLines }) => ({
      path,
      from,
      status,
      addedLines,
      removedLines,
    })),
    linesAdded: files.reduce((sum, file) => sum + file.addedLines, 0),
    linesRemoved: files.reduce((sum, file) => sum + file.removedLines, 0),
    patch,
  };
}
