/** All HTTP error codes and job failure codes. A test compares the error page of the manual with these tables. */

export const errorTable = {
  invalid_request: { status: 400, title: 'The request is not valid' },
  malformed_json: { status: 400, title: 'The body is not JSON' },
  key_in_query: { status: 400, title: 'An API key was sent in the URL' },
  unauthorized: { status: 401, title: 'No valid API key' },
  sign_in_failed: { status: 401, title: 'Email or password is wrong' },
  plan_required: { status: 403, title: 'The plan lacks this feature' },
  scope_missing: { status: 403, title: 'The key lacks the scope' },
  address_refused: { status: 403, title: 'The key may not be used from this address' },
  origin_refused: { status: 403, title: 'The request came from another site' },
  session_required: { status: 403, title: 'Only a signed-in user can do this' },
  owner_required: { status: 403, title: 'Only an owner may do this' },
  token_invalid: { status: 403, title: 'The setup or invitation link is not valid' },
  link_invalid: { status: 403, title: 'The download link is not valid' },
  not_found: { status: 404, title: 'Not found' },
  method_not_allowed: { status: 405, title: 'Method not allowed' },
  request_timeout: { status: 408, title: 'The request took too long to arrive' },
  job_not_completed: { status: 409, title: 'The job has not completed yet' },
  job_failed: { status: 409, title: 'The job failed' },
  job_finished: { status: 409, title: 'The job has already ended' },
  job_not_finished: { status: 409, title: 'The job has not finished' },
  job_archived: { status: 409, title: 'The job is archived' },
  agent_not_configured: { status: 409, title: 'No model is configured' },
  domain_taken: { status: 409, title: 'The domain is already in use' },
  project_busy: { status: 409, title: 'The project has unfinished jobs' },
  delivery_finished: { status: 409, title: 'The delivery is not pending' },
  webhook_disabled: { status: 409, title: 'The webhook is switched off' },
  webhook_limit: { status: 409, title: 'The organization has reached its webhook limit' },
  deployment_limit: { status: 409, title: 'The organization has reached its deployment limit' },
  deployment_uncontrolled: { status: 409, title: 'The site does not accept instructions' },
  person_exists: { status: 409, title: 'A user with this email already exists' },
  last_owner: { status: 409, title: 'The organization must keep an owner' },
  version_conflict: { status: 409, title: 'The record has changed since it was read' },
  idempotency_in_progress: { status: 409, title: 'The same request is being handled' },
  bundle_purged: { status: 410, title: 'The bundle is gone' },
  job_purged: { status: 410, title: 'The data of the job was deleted' },
  link_expired: { status: 410, title: 'The download link has expired' },
  precondition_failed: { status: 412, title: 'A condition of the request does not hold' },
  payload_too_large: { status: 413, title: 'The body is too large' },
  unsupported_media_type: { status: 415, title: 'Unsupported media type' },
  range_not_satisfiable: { status: 416, title: 'Range not satisfiable' },
  idempotency_key_reused: { status: 422, title: 'Idempotency key reused with another request' },
  forge_failed: { status: 424, title: 'The forge did not do its part' },
  rate_limited: { status: 429, title: 'Too many requests' },
  headers_too_large: { status: 431, title: 'The headers are too large' },
  internal: { status: 500, title: 'Internal error' },
  starting: { status: 503, title: 'The server is starting' },
  draining: { status: 503, title: 'The server is stopping' },
  queue_full: { status: 503, title: 'The queue is full' },
  overloaded: { status: 503, title: 'The server is overloaded' },
  storage_unavailable: { status: 503, title: 'Storage is not available' },
} as const satisfies Record<string, { status: number; title: string }>;

export type ErrorCode = keyof typeof errorTable;

export const errorCodes = Object.keys(errorTable) as ErrorCode[];

/** `retryable`: the same request may succeed later. */
export const failureTable = {
  canceled: { retryable: true, meaning: 'A caller canceled the job.' },
  source_unavailable: { retryable: true, meaning: 'The repository did not answer.' },
  source_not_found: { retryable: false, meaning: 'The repository, branch or folder does not exist.' },
  source_refused: { retryable: false, meaning: 'The address of the repository is not allowed here.' },
  config_invalid: { retryable: false, meaning: 'docs.json could not be read.' },
  no_pages: { retryable: false, meaning: 'The folder contains no page.' },
  unknown_paths: { retryable: false, meaning: 'A page named in `paths` is not part of the site.' },
  strict_failed: {
    retryable: false,
    meaning: 'The report contains findings that `strict` or `failOn` forbids.',
  },
  too_large: { retryable: false, meaning: 'The site is over a limit of this installation.' },
  timeout: { retryable: true, meaning: 'The job exceeded its time limit.' },
  storage_failed: {
    retryable: true,
    meaning:
      'Attempts were lost repeatedly, the last one because the disk, the database or the bundle storage failed.',
  },
  agent_stopped: {
    retryable: true,
    meaning: 'The agent ended without a result; `statusReason` of the job says why.',
  },
  worker_lost: {
    retryable: true,
    meaning:
      'Attempts were lost repeatedly, the last one because the worker or its rendering process was lost.',
  },
  internal: { retryable: true, meaning: 'Internal error. See the log for details.' },
} as const satisfies Record<string, { retryable: boolean; meaning: string }>;

export type FailureCode = keyof typeof failureTable;

export const failureCodes = Object.keys(failureTable) as FailureCode[];
