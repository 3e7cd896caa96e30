/**
 * The closed table of everything that can go wrong, as callers see it: HTTP errors and reasons a job failed.
 * Nothing may be reported that is not in here; a test holds the manual's error page to this table.
 */

export const errorTable = {
  invalid_request: { status: 400, title: 'The request is not valid' },
  malformed_json: { status: 400, title: 'The body is not JSON' },
  key_in_query: { status: 400, title: 'A key was sent in the address' },
  unauthorized: { status: 401, title: 'No valid API key' },
  sign_in_failed: { status: 401, title: 'Email or password is wrong' },
  plan_required: { status: 403, title: 'The plan lacks this feature' },
  scope_missing: { status: 403, title: 'The key lacks the scope' },
  address_refused: { status: 403, title: 'The key may not be used from this address' },
  origin_refused: { status: 403, title: 'The request came from another site' },
  session_required: { status: 403, title: 'Only a person who is signed in can do this' },
  owner_required: { status: 403, title: 'Only an owner may do this' },
  token_invalid: { status: 403, title: 'The setup or invitation link is not valid' },
  link_invalid: { status: 403, title: 'The download link is not valid' },
  not_found: { status: 404, title: 'Not found' },
  method_not_allowed: { status: 405, title: 'Method not allowed' },
  request_timeout: { status: 408, title: 'The request took too long to arrive' },
  job_not_completed: { status: 409, title: 'The job has not completed yet' },
  job_failed: { status: 409, title: 'The job failed' },
  job_finished: { status: 409, title: 'The job has already ended' },
  job_not_finished: { status: 409, title: 'The job is still at work' },
  job_archived: { status: 409, title: 'The job is archived' },
  agent_not_configured: { status: 409, title: 'No model is configured' },
  domain_taken: { status: 409, title: 'The domain is already in use' },
  project_busy: { status: 409, title: 'The project has unfinished jobs' },
  delivery_finished: { status: 409, title: 'The delivery is not waiting' },
  webhook_disabled: { status: 409, title: 'The webhook is switched off' },
  webhook_limit: { status: 409, title: 'The organization has as many webhooks as it may' },
  deployment_limit: { status: 409, title: 'The organization has as many deployments as it may' },
  deployment_uncontrolled: { status: 409, title: 'The site does not follow instructions' },
  person_exists: { status: 409, title: 'There is a person with this email already' },
  last_owner: { status: 409, title: 'The organization must keep an owner' },
  version_conflict: { status: 409, title: 'The record has changed since it was read' },
  idempotency_in_progress: { status: 409, title: 'The same request is being handled' },
  bundle_purged: { status: 410, title: 'The bundle is gone' },
  job_purged: { status: 410, title: 'Only the record of the job is left' },
  link_expired: { status: 410, title: 'The download link has expired' },
  precondition_failed: { status: 412, title: 'A condition of the request does not hold' },
  payload_too_large: { status: 413, title: 'The body is too large' },
  unsupported_media_type: { status: 415, title: 'Unsupported media type' },
  range_not_satisfiable: { status: 416, title: 'Range not satisfiable' },
  idempotency_key_reused: { status: 422, title: 'Idempotency key reused with another request' },
  rate_limited: { status: 429, title: 'Too many requests' },
  headers_too_large: { status: 431, title: 'The headers are too large' },
  internal: { status: 500, title: 'Something went wrong here' },
  starting: { status: 503, title: 'The server is starting' },
  draining: { status: 503, title: 'The server is stopping' },
  queue_full: { status: 503, title: 'The queue is full' },
  overloaded: { status: 503, title: 'The server cannot keep up' },
  storage_unavailable: { status: 503, title: 'Storage is not available' },
} as const satisfies Record<string, { status: number; title: string }>;

export type ErrorCode = keyof typeof errorTable;

export const errorCodes = Object.keys(errorTable) as ErrorCode[];

/** Why a job ended as `failed`. `retryable` says whether the same request may succeed later without a change. */
export const failureTable = {
  canceled: { retryable: true, meaning: 'A caller canceled the job.' },
  source_unavailable: { retryable: true, meaning: 'The repository did not answer.' },
  source_not_found: { retryable: false, meaning: 'The repository, branch or folder does not exist.' },
  source_refused: { retryable: false, meaning: 'The address of the repository is not allowed here.' },
  config_invalid: { retryable: false, meaning: 'docs.json could not be read.' },
  no_pages: { retryable: false, meaning: 'The folder holds no page.' },
  unknown_paths: { retryable: false, meaning: 'A page named in `paths` is not part of the site.' },
  strict_failed: {
    retryable: false,
    meaning: '`strict` or `failOn` was asked for, and the report holds what they name.',
  },
  too_large: { retryable: false, meaning: 'The site is over a limit of this installation.' },
  timeout: { retryable: true, meaning: 'The job took longer than it may.' },
  storage_failed: { retryable: true, meaning: 'The bundle could not be written.' },
  agent_stopped: {
    retryable: true,
    meaning: 'The agent ended without a result; `statusReason` of the job says why.',
  },
  worker_lost: { retryable: true, meaning: 'The worker was lost three times.' },
  internal: { retryable: true, meaning: 'A fault in Docyard; the log has the details.' },
} as const satisfies Record<string, { retryable: boolean; meaning: string }>;

export type FailureCode = keyof typeof failureTable;

export const failureCodes = Object.keys(failureTable) as FailureCode[];
