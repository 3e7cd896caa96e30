import { join } from 'node:path';
import type { UpdateProject } from '@docyard/api';
import type { Context } from '../context.ts';
import { inspectSigningKey, SigningError, type PublicSigningKey } from '../git/signing.ts';
import { Problem } from '../problem.ts';

/** Tries the key, because the first job would detect an unusable one only after paying for the model. */
export async function inspectNewSigningKey(
  { config }: Pick<Context, 'config'>,
  { agent }: UpdateProject,
): Promise<PublicSigningKey | undefined> {
  const key = agent?.git?.signingKey;
  if (key === undefined || key === null) return undefined;
  try {
    return await inspectSigningKey(key, join(config.dataDir, 'work'));
  } catch (error) {
    if (!(error instanceof SigningError)) throw error;
    const message = `${error.message} ${error.hint}`;
    throw new Problem('invalid_request', message, { details: [{ path: 'agent.git.signingKey', message }] });
  }
}
