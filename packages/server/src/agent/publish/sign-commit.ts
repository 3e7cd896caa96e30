import { join } from 'node:path';
import type { Context } from '../../context.ts';
import { signText, SigningError } from '../../git/signing.ts';
import type { Job } from '../../jobs/store.ts';
import { readSigningKey } from '../../projects/agent-settings.ts';
import { RunEndedError } from '../ending.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** Signs with the key of the project; undefined without one. */
export async function signCommit(
  { context, job }: { context: Context; job: Pick<Job, 'project_id'> },
  workspace: Pick<Workspace, 'readCommit'>,
  commit: string,
): Promise<string | undefined> {
  const key = await readSigningKey(context, job.project_id);
  if (key === null) return undefined;
  try {
    return await signText(key, await workspace.readCommit(commit), join(context.config.dataDir, 'work'));
  } catch (error) {
    if (!(error instanceof SigningError)) throw error;
    const message = `The commit cannot be signed: ${error.message}`;
    // A retry of this ending publishes again without a model.
    throw new RunEndedError('forge_error', message, `${error.hint} Then retry the job.`);
  }
}
