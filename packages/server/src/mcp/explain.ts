/**
 * Explains errors to a model that has only these tools: the message of the service and which tool to call next.
 */
import { DocyardError, type ErrorCode } from '@docyard/api';

/** The message is the answer of the tool. */
export class McpToolError extends Error {
  override name = 'McpToolError';
}

const advice: Partial<Record<ErrorCode, string>> = {
  unauthorized:
    'The key is missing, expired or revoked: ask the user to set DOCYARD_API_KEY or to run docyard login.',
  scope_missing: 'Ask the user for a key with that scope; docyard keys create creates one.',
  not_found: 'list_projects, list_exports and list_agent_jobs show the existing ids.',
  job_not_completed: 'Wait for it with get_export and waitSeconds.',
  job_failed: 'get_export shows why it failed; start_export starts another.',
  bundle_purged: 'start_export creates a new one.',
  job_finished: 'The job has already ended.',
  job_purged: 'Create a new job with create_agent_job.',
  agent_not_configured: 'Ask the user to set a model. Do not retry.',
};

export function explainFailure(error: unknown, server: string): string {
  if (error instanceof DocyardError) return explainServiceError(error);
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return `${server} did not answer in time. Try again later.`;
  if (error instanceof TypeError && error.message === 'fetch failed') {
    const { code = 'no connection' } = (error.cause ?? {}) as NodeJS.ErrnoException;
    return (
      `Cannot connect to ${server} (${code}). Ask the user whether the service is running; ` +
      'DOCYARD_URL sets another address.'
    );
  }
  return error.message;
}

function explainServiceError(error: DocyardError): string {
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
