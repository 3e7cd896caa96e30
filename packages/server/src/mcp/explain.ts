/**
 * What went wrong, for a reader who has only these tools: the sentence of the service, and what to call instead of the
 * requests that it names.
 */
import { DocyardError, type ErrorCode } from '@docyard/api';

/** Thrown by a tool that cannot go on; its sentence is the answer. */
export class ToolFailure extends Error {
  override name = 'ToolFailure';
}

const advice: Partial<Record<ErrorCode, string>> = {
  unauthorized:
    'The key is missing, expired or revoked: ask the user to set DOCYARD_API_KEY or to run docyard login.',
  scope_missing: 'Ask the user for a key with that scope; docyard keys create makes one.',
  not_found: 'list_projects, list_exports and list_agent_jobs tell what there is.',
  job_not_completed: 'Wait for it with get_export and waitSeconds.',
  job_failed: 'get_export tells why it failed; start_export starts another.',
  bundle_purged: 'start_export makes a new one.',
  job_finished: 'Nothing is left to do for it.',
  job_purged: 'Create a new job with create_agent_job.',
  agent_not_configured: 'Ask the user to set a model; trying again does not help.',
};

export function explainFailure(error: unknown, server: string): string {
  if (error instanceof DocyardError) return explainRefusal(error);
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return `${server} did not answer in time. Try again later.`;
  if (error instanceof TypeError && error.message === 'fetch failed') {
    const { code = 'no connection' } = (error.cause ?? {}) as NodeJS.ErrnoException;
    return (
      `${server} does not answer (${code}). Ask the user whether the service runs there; ` +
      'DOCYARD_URL names another address.'
    );
  }
  return error.message;
}

function explainRefusal(error: DocyardError): string {
  const { code, details = [], retryAfterSeconds, requestId } = error;
  const lines = [
    error.message,
    ...details.slice(0, 10).map(({ path, message }) => `- ${path}: ${message}`),
    code === 'unknown' ? undefined : advice[code],
    retryAfterSeconds === undefined ? undefined : `Try again after ${Math.ceil(retryAfterSeconds)} s.`,
    `(${[code, requestId].filter((part) => part !== undefined).join(', ')})`,
  ];
  return lines.filter((line) => line !== undefined).join('\n');
}
