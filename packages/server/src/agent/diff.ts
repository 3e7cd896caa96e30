/**
 * What a job has changed so far, all its runs together or one of them alone. Known secrets are masked once more when it is read.
 */
import type { AgentDiff } from '@docyard/api';
import { readDiff } from './record.ts';
import { redactJson } from './redact.ts';
import { redactorOf, type SettingsContext } from './settings.ts';

/** Empty as long as nothing was changed. */
export async function readAgentDiff(
  context: SettingsContext,
  { jobId, projectId, run }: { jobId: string; projectId: string; run?: number | undefined },
): Promise<AgentDiff> {
  const { files, patch } = (await readDiff(context, { jobId, run })) ?? { files: [], patch: '' };
  return redactJson(await redactorOf(context, projectId), {
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
  });
}
