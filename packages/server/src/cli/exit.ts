/**
 * With which status a command ends: the closed table, and which error means which line of it. The manual's table is
 * held to this one. The names are what `--json` answers as `code` where no more exact one is known.
 */
export const exitTable = {
  ok: { status: 0, meaning: 'It worked.' },
  failed: { status: 1, meaning: 'It failed.' },
  usage: { status: 2, meaning: 'It was called wrongly, or the request is not valid.' },
  denied: { status: 3, meaning: 'The key is missing, not valid, or may not do this.' },
  not_found: { status: 4, meaning: 'There is no such job, project, key or bundle.' },
  job_failed: { status: 5, meaning: 'The job failed.' },
  timed_out: { status: 6, meaning: 'The job was not done within `--timeout`. It goes on.' },
  problems_found: { status: 7, meaning: 'The check found what counts, or a bundle was refused.' },
  conflict: { status: 8, meaning: 'Not now: something is in the way, or the service is busy.' },
  interrupted: { status: 130, meaning: 'Somebody pressed Ctrl-C.' },
} as const satisfies Record<string, { status: number; meaning: string }>;

export type Exit = keyof typeof exitTable;

/** What the service refused, by the HTTP status of its answer. */
export function exitOfHttp(status: number, code: string): Exit {
  if (code === 'job_failed') return 'job_failed';
  if (status === 401 || status === 403) return 'denied';
  if (status === 404 || status === 410) return 'not_found';
  if (status === 409 || status === 429 || status === 503) return 'conflict';
  if (status === 400 || status === 413 || status === 422) return 'usage';
  return 'failed';
}
