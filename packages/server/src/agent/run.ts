/**
 * Runs one agent job from its instruction to its ending.
 */
import { JobFailure, type Runner } from '../jobs/worker.ts';

export const runAgent: Runner = async () => {
  throw new JobFailure('internal', 'Agent jobs do not run yet.');
};
