/** Reads the automations file of the branch that the project follows. */
import { maxAutomationsFileBytes } from '@docyard/api';
import { nowText, type Context } from '../context.ts';
import { SourceError } from '../ports/sources.ts';
import { ForgeError } from '../ports/forge.ts';
import { readRepositoryFiles } from './repositories.ts';
import { automationsPath, storeFailedRead, storeFile, type FileRecord } from './definitions.ts';

export const fileClaimSeconds = 60;
const maxBytes = maxAutomationsFileBytes;
const maxFiles = 20;

/** Resolves with the number of files that were due. */
export async function refreshDueFiles(context: Context, signal: AbortSignal): Promise<number> {
  const now = nowText(context);
  const due = await context.database
    .selectFrom('automation_files')
    .selectAll()
    .where('refresh_at', '<=', now)
    .orderBy('refresh_at')
    .limit(maxFiles)
    .execute();
  for (const file of due) {
    if (signal.aborted) break;
    const claimed = await claim(context, file);
    if (claimed !== undefined) await refreshFile(context, claimed, signal);
  }
  return due.length;
}

/** The claim of a killed process expires. */
async function claim(context: Context, file: FileRecord): Promise<FileRecord | undefined> {
  const until = new Date(context.clock.now().getTime() + fileClaimSeconds * 1000).toISOString();
  return context.database
    .updateTable('automation_files')
    .set({ refresh_at: until })
    .where('project_id', '=', file.project_id)
    .where('refresh_at', '=', file.refresh_at)
    .returningAll()
    .executeTakeFirst();
}

async function refreshFile(context: Context, claimed: FileRecord, signal: AbortSignal): Promise<void> {
  const project = await context.database
    .selectFrom('projects')
    .selectAll()
    .where('id', '=', claimed.project_id)
    .executeTakeFirst();
  if (project === undefined) return;
  const path = automationsPath(project.directory);
  const readAt = nowText(context);
  try {
    const wanted = { repository: project.repository, ref: project.ref, paths: [path], maxBytes };
    const found = await readRepositoryFiles(context, { project, ...wanted }, signal);
    await storeFile(context, { claimed, path, found, readAt });
  } catch (error) {
    signal.throwIfAborted();
    const isExpected = error instanceof SourceError || error instanceof ForgeError;
    if (!isExpected) context.log.warn({ err: error, projectId: project.id }, 'automations could not be read');
    const message = isExpected ? error.message : 'an internal error occurred. See the log.';
    await storeFailedRead(context, { claimed, message });
  }
}
