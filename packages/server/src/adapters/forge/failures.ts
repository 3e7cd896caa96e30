import { ForgeError } from '../../ports/forge.ts';

export function undefinedIfNotFound(error: unknown): undefined {
  if (error instanceof ForgeError && error.problem === 'not_found') return undefined;
  throw error;
}
