/**
 * The exit statuses of commands. Tests compare the manual's table with this one. The names are the `code` of `--json`
 * when no more specific one is known.
 */
export const exitTable = {
  ok: { status: 0, meaning: 'It worked.' },
  failed: { status: 1, meaning: 'It failed.' },
  usage: { status: 2, meaning: 'Invalid arguments, or an invalid request.' },
  denied: { status: 3, meaning: 'The key is missing, invalid, or lacks permission.' },
  not_found: { status: 4, meaning: 'There is no such job, project, key or bundle.' },
  job_failed: { status: 5, meaning: 'The job failed.' },
  timed_out: { status: 6, meaning: 'The job did not finish within `--timeout`. It keeps running.' },
  problems_found: { status: 7, meaning: 'The check reported failing findings, or a bundle was rejected.' },
  conflict: { status: 8, meaning: 'A conflict, or the service is busy. Try again later.' },
  interrupted: { status: 130, meaning: 'Interrupted with Ctrl-C.' },
} as const satisfies Record<string, { status: number; meaning: string }>;

export type Exit = keyof typeof exitTable;

/** The exit for an error response, by its HTTP status. */
export function exitOfHttp(status: number, code: string): Exit {
  if (code === 'job_failed') return 'job_failed';
  if (status === 401 || status === 403) return 'denied';
  if (status === 404 || status === 410) return 'not_found';
  if (status === 409 || status === 429 || status === 503) return 'conflict';
  if (status === 400 || status === 413 || status === 422) return 'usage';
  return 'failed';
}
