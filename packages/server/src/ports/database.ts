/**
 * The tables that every SQL adapter provides. Times are ISO 8601 UTC text, lists and records are JSON text, so that
 * the same queries run on every database.
 */
import type { ReaderKind, ReadingMetric } from '@docyard/api';
import { PostgresAdapter, sql, type Generated, type Kysely } from 'kysely';

export interface OrganizationRow {
  id: string;
  name: string;
  plan: string;
  /** 1 when its projects may read folders and repositories on this machine. */
  local_sources: number;
  created_at: string;
}

export interface ProjectRow {
  sequence: Generated<number>;
  id: string;
  organization_id: string;
  name: string;
  domain: string;
  repository: string;
  ref: string | null;
  directory: string | null;
  created_at: string;
  updated_at: string;
  version: Generated<number>;
}

export interface KeyRow {
  sequence: Generated<number>;
  id: string;
  organization_id: string;
  name: string;
  hash: string;
  prefix: string;
  last4: string;
  scopes: string;
  allowed_addresses: string;
  created_at: string;
  expires_at: string | null;
  last_used_at: string | null;
  revoked_at: string | null;
  rolled_from: string | null;
  /** The project that the key is limited to; null for the whole organization. */
  project_id: string | null;
  /** Id of the pepper in the hash; null before the first rotation. */
  pepper: string | null;
}

export interface JobRow {
  sequence: Generated<number>;
  id: string;
  kind: string;
  organization_id: string;
  project_id: string;
  domain: string;
  status: string;
  phase: string;
  progress: number;
  page_count: number;
  total_pages: number | null;
  attempt: number;
  /** Attempts of earlier runs. */
  earlier_attempts: Generated<number>;
  /** Lost attempts of the current run, limited by `maxLosses` in `jobs/retry-policy.ts`. */
  losses: Generated<number>;
  input: string;
  source_commit: string | null;
  result: string | null;
  failure: string | null;
  /** For filters. */
  failure_code: string | null;
  /** A CanceledBy as JSON. */
  canceled_by: string | null;
  /** The latest findings of an export, as JSON. */
  recent_findings: string | null;
  cancel_requested_at: string | null;
  retry_of: string | null;
  /** The agent job or pull request that this export previews. A preview is never the latest export of its domain. */
  preview_of: string | null;
  created_at: string;
  updated_at: string;
  started_at: string | null;
  finished_at: string | null;
  archived_at: string | null;
  purged_at: string | null;
}

export interface JobEventRow {
  sequence: Generated<number>;
  job_id: string;
  at: string;
  /** The job row after the change, without its input, as JSON. */
  row: string;
}

/** One instruction of an agent job: the first, a follow-up, or a retry. A run without an ending is open. */
export interface AgentRunRow {
  job_id: string;
  /** From 1. */
  number: number;
  kind: string;
  prompt: string;
  /** An EndReason. */
  ending: string | null;
  title: string | null;
  summary: string | null;
  branch: string | null;
  base_commit: string | null;
  /** JSON: Usage, PullRequest, Verdict and the remaining fields of the result. */
  usage: string | null;
  pull_request: string | null;
  policy: string | null;
  result: string | null;
  /** The full diff of the branch: the files as JSON, and the patch. */
  files: string | null;
  patch: string | null;
  /** The diff of this run alone, when it differs from the full diff. */
  own_files: string | null;
  own_patch: string | null;
  created_at: string;
  started_at: string | null;
  finished_at: string | null;
}

/** The journal: the steps of a run, in order. */
export interface AgentStepRow {
  sequence: Generated<number>;
  job_id: string;
  run: number;
  /** From 1 in each run. */
  number: number;
  kind: string;
  /** A Step as JSON. */
  data: string;
  at: string;
}

/** A message sent while the job was running; the run reads it before its next step. */
export interface AgentMessageRow {
  sequence: Generated<number>;
  job_id: string;
  prompt: string;
  created_at: string;
  taken_at: string | null;
  /** The run that took it; null for messages of earlier versions. */
  run: number | null;
}

export interface ProjectSettingsRow {
  project_id: string;
  name: string;
  /** JSON, without secrets. */
  value: string;
  updated_at: string;
}

export interface SecretRow {
  project_id: string;
  name: string;
  /** Encrypted; only `projects/secrets.ts` opens it. */
  sealed: string;
  updated_at: string;
}

export interface IdempotencyRow {
  organization_id: string;
  key: string;
  fingerprint: string;
  status: number;
  headers: string;
  body: string;
  created_at: string;
}

export interface AuditRow {
  sequence: Generated<number>;
  id: string;
  organization_id: string;
  at: string;
  actor: string;
  action: string;
  object: string | null;
  address: string | null;
  request_id: string | null;
  details: string;
  hash: string;
}

/** A webhook with a job reports that job only. */
export interface WebhookRow {
  sequence: Generated<number>;
  id: string;
  organization_id: string;
  job_id: string | null;
  url: string;
  description: string;
  /** Names of events, as JSON. */
  events: string;
  enabled: number;
  disabled_reason: string | null;
  /** The first failure since the last success. */
  failing_since: string | null;
  created_at: string;
  updated_at: string;
  version: Generated<number>;
}

/** Signing secrets. The owner is a webhook, or an organization for the webhooks of single jobs. */
export interface WebhookSecretRow {
  sequence: Generated<number>;
  owner: string;
  /** Encrypted; only `webhooks/secrets.ts` opens it. */
  sealed: string;
  created_at: string;
  /** Null for the newest. */
  valid_until: string | null;
}

/** A message as it is sent; each receiving webhook has a delivery of it. */
export interface WebhookMessageRow {
  id: string;
  type: string;
  job_id: string | null;
  payload: string;
  created_at: string;
}

export interface WebhookDeliveryRow {
  sequence: Generated<number>;
  id: string;
  webhook_id: string;
  organization_id: string;
  message_id: string;
  job_id: string | null;
  status: string;
  /** All attempts, and how many of them belong to earlier rounds. */
  attempt: number;
  earlier_attempts: number;
  /** When the next attempt is due, and until when a claimed attempt may run. */
  next_at: string;
  claimed_until: string | null;
  created_at: string;
  finished_at: string | null;
}

export interface WebhookAttemptRow {
  delivery_id: string;
  number: number;
  at: string;
  duration_ms: number;
  status: number | null;
  error: string | null;
  response: string;
}

/** A user who may sign in or is invited. */
export interface UserRow {
  sequence: Generated<number>;
  id: string;
  organization_id: string;
  /** Lower case. The same email may exist in several organizations, which must not learn of each other. */
  email: string;
  name: string;
  role: string;
  /** A hash; only `users/password.ts` reads it. */
  password: string | null;
  oidc_issuer: string | null;
  oidc_subject: string | null;
  invitation_hash: string | null;
  invitation_expires_at: string | null;
  created_at: string;
  last_seen_at: string | null;
  disabled_at: string | null;
  version: Generated<number>;
}

export interface SessionRow {
  /** Hash of the token; the token is not stored. */
  hash: string;
  person_id: string;
  created_at: string;
  last_seen_at: string;
  expires_at: string;
}

/** Counts sign-in attempts; see `users/sign-in-attempts.ts`. */
export interface AttemptWindowRow {
  subject: string;
  ends_at_ms: number;
  used: number;
}

/** The requests that a key or user has used of a rate limit, across all processes; see `keys/rates.ts`. */
export interface RateWindowRow {
  caller_id: string;
  rate: string;
  ends_at_ms: number;
  used: number;
  /** The size of the last lease, for the process that wrote the row. */
  lent: number;
}

/** A site that reports what it serves. */
export interface DeploymentRow {
  sequence: Generated<number>;
  id: string;
  organization_id: string;
  /** The project of the reporting key, or of the served export. */
  project_id: string | null;
  /** The project that the reporting key is limited to, or empty. Names are unique per owner. */
  owner: string;
  name: string;
  /** A DeploymentReport as JSON. */
  report: string;
  report_seconds: number;
  serving_since: string | null;
  /** A DeploymentInstruction as JSON. */
  instruction: string | null;
  first_seen_at: string;
  last_seen_at: string;
}

/** What readers of a deployment did on one day, as its site reports it. */
export interface DeploymentCountRow {
  deployment_id: string;
  day: string;
  metric: ReadingMetric;
  name: string;
  reader: ReaderKind;
  /** The file of the site that has the count. */
  source: string;
  count: number;
}

export interface DeploymentFeedbackRow {
  deployment_id: string;
  id: string;
  day: string;
  path: string;
  is_helpful: number;
  comment: string | null;
}

/** An event that a forge reported to the hook of a project. */
export interface ReviewTaskRow {
  id: string;
  organization_id: string;
  project_id: string;
  job_id: string;
  /** Identifies the comment or the conflict in its project. */
  source: string;
  pull_request: number;
  /** A ReviewComment as JSON; null for a conflict with the base branch. */
  comment: string | null;
  state: string;
  reason: string | null;
  message_sequence: number | null;
  /** The run that merges the base branch. */
  run: number | null;
  attempts: number;
  next_at: string;
  created_at: string;
}

export interface ForgeEventRow {
  sequence: Generated<number>;
  id: string;
  organization_id: string;
  project_id: string;
  forge: string;
  /** The id that the forge gave the delivery. A delivery about several refs has several parts. */
  delivery_id: string;
  part: number;
  kind: string;
  /** As the forge names it. */
  name: string;
  ref: string | null;
  before_commit: string | null;
  after_commit: string | null;
  repository: string | null;
  actor: string | null;
  /** An EventDetails as JSON. */
  details: string;
  state: string;
  reason: string | null;
  job_id: string | null;
  attempts: number;
  /** When a pending event is due. */
  next_at: string | null;
  received_at: string;
  replayed_at: string | null;
  finished_at: string | null;
}

/** Exists while the branch of the project is polled. */
export interface SourcePollRow {
  project_id: string;
  /** The source that was polled. Another one starts from the beginning. */
  repository: string | null;
  ref: string | null;
  branch: string | null;
  /** The newest known commit; null before the first poll. */
  commit_id: string | null;
  polled_at: string | null;
  problem: string | null;
  failures: number;
  /** When the next poll is due, and until then the lease of the process that polls. */
  next_at: string;
}

/** The automations of a project, as last read from its repository. */
export interface AutomationFileRow {
  project_id: string;
  organization_id: string;
  commit_id: string | null;
  /** AutomationDefinitions as JSON, of the last version without problems. */
  automations: string;
  /** AutomationProblems of the newest version, as JSON. */
  problems: string;
  /** When the repository was last read successfully. */
  read_at: string | null;
  attempts: number;
  refresh_at: string | null;
}

/** What an automation needs besides its definition. */
export interface AutomationRow {
  project_id: string;
  name: string;
  organization_id: string;
  /** The trigger. */
  kind: string;
  /** As JSON. */
  schedule: string | null;
  /** When the schedule is due. */
  next_at: string | null;
  /** Until when exports or feedback were examined. */
  checked_at: string;
  paused_at: string | null;
  /** The newest agent job. */
  job_id: string | null;
}

/** Something that may start automations. */
export interface AutomationEventRow {
  sequence: Generated<number>;
  id: string;
  organization_id: string;
  project_id: string;
  /** What happened, once per project: a forge event, an export, a slot of a schedule, a request. */
  source: string;
  kind: string;
  /** Null for every automation with this trigger. */
  automation: string | null;
  subject: string;
  /** An EventDetails of `automations/event.ts` as JSON. */
  details: string;
  forge_event_id: string | null;
  state: string;
  attempts: number;
  next_at: string | null;
  received_at: string;
}

export interface AutomationRunRow {
  sequence: Generated<number>;
  id: string;
  organization_id: string;
  project_id: string;
  automation: string;
  event_id: string;
  state: string;
  reason: string | null;
  job_id: string | null;
  attempts: number;
  created_at: string;
  next_at: string | null;
  finished_at: string | null;
}

/** A pull request of the repository of a project, and what is published about it. */
export interface PullRequestRow {
  sequence: Generated<number>;
  id: string;
  organization_id: string;
  project_id: string;
  number: number;
  /** Part of the address of the preview, which grants access to it. */
  token: string;
  url: string | null;
  title: string;
  author: string | null;
  /** As the forge reports it: `open`, `closed` or `merged`. */
  forge_state: string;
  is_fork: number;
  head_branch: string;
  head_commit: string;
  base_branch: string;
  /** The head commit of a fork that may be built. */
  approved_commit: string | null;
  approved_by: string | null;
  /** The state of the preview. */
  state: string;
  reason: string | null;
  /** The export of `job_commit`. Null while none is wanted. */
  job_id: string | null;
  job_commit: string | null;
  /** The newest completed export. The address of the pull request shows it. */
  shown_job_id: string | null;
  shown_commit: string | null;
  /** The published export that the shown one was compared with. */
  base_job_id: string | null;
  comment_url: string | null;
  has_comment: number;
  /** A hash of the comment and the status that the forge has. */
  published: string | null;
  /** Counts changes, so that a worker notices those that happen while it works. */
  revision: number;
  attempts: number;
  /** When the pull request is due. Null while nothing is to be done. */
  next_at: string | null;
  /** Identifies the worker that works on the row until `claimed_until`. */
  claim: string | null;
  claimed_until: string | null;
  created_at: string;
  updated_at: string;
}

/** The name of the fact with the last migration and the version of Docyard that applied it. */
export const schemaVersionName = 'schema_version';

/** Facts about this installation, by name. */
export interface InstallationRow {
  name: string;
  value: string;
}

export interface QueueCountRow {
  organization_id: string;
  queued: number;
}

export interface Tables {
  organizations: OrganizationRow;
  projects: ProjectRow;
  api_keys: KeyRow;
  jobs: JobRow;
  queue_counts: QueueCountRow;
  job_events: JobEventRow;
  agent_runs: AgentRunRow;
  agent_steps: AgentStepRow;
  agent_messages: AgentMessageRow;
  project_settings: ProjectSettingsRow;
  secrets: SecretRow;
  idempotency: IdempotencyRow;
  audit_log: AuditRow;
  installation: InstallationRow;
  people: UserRow;
  sessions: SessionRow;
  attempt_windows: AttemptWindowRow;
  rate_windows: RateWindowRow;
  webhooks: WebhookRow;
  webhook_secrets: WebhookSecretRow;
  webhook_messages: WebhookMessageRow;
  webhook_deliveries: WebhookDeliveryRow;
  webhook_attempts: WebhookAttemptRow;
  deployments: DeploymentRow;
  deployment_counts: DeploymentCountRow;
  deployment_feedback: DeploymentFeedbackRow;
  forge_events: ForgeEventRow;
  source_polls: SourcePollRow;
  pull_requests: PullRequestRow;
  review_tasks: ReviewTaskRow;
  automation_files: AutomationFileRow;
  automations: AutomationRow;
  automation_events: AutomationEventRow;
  automation_runs: AutomationRunRow;
}

export type Database = Kysely<Tables>;

const serializationFailure = '40001';
const deadlock = '40P01';
export const maxTransactionTries = 4;

/**
 * Joins the open transaction or starts one. A serialization failure or deadlock restarts `work`, so it must have no
 * effects outside the transaction.
 */
export async function inTransaction<T>(
  database: Database,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  if (database.isTransaction) return work(database);
  for (let tries = 1; ; tries += 1) {
    try {
      return await database.transaction().execute(work);
    } catch (error) {
      const { code } = error as { code?: unknown };
      if ((code !== serializationFailure && code !== deadlock) || tries === maxTransactionTries) throw error;
    }
  }
}

/**
 * Locks the names until the transaction ends, for decisions that depend on rows another process may add, such as a
 * count. Callers sort names of one kind, because locking in different orders deadlocks. SQLite has a single writer
 * and needs no lock.
 */
export async function acquireLocks(transaction: Database, ...names: string[]): Promise<void> {
  if (!transaction.isTransaction) throw new Error('Locks need a transaction.');
  if (!isPostgres(transaction)) return;
  const lock = sql`select pg_advisory_xact_lock(hashtextextended(name, 0)) from unnest(${names}::text[]) as name`;
  await lock.execute(transaction);
}

/**
 * Runs `work` unless another process holds the lock. PostgreSQL releases it when the connection closes, so a crash
 * leaves no lock behind.
 */
export async function runUnlessLocked(
  database: Database,
  name: string,
  work: () => Promise<void>,
): Promise<void> {
  // SQLite: the lock of the data folder already excludes other processes.
  if (!isPostgres(database)) return work();
  await database.connection().execute(async (connection) => {
    const lock = sql<{
      isAcquired: boolean;
    }>`select pg_try_advisory_lock(hashtextextended(${name}, 0)) as "isAcquired"`;
    const { rows } = await lock.execute(connection);
    if (rows[0]?.isAcquired !== true) return;
    try {
      await work();
    } finally {
      await sql`select pg_advisory_unlock(hashtextextended(${name}, 0))`.execute(connection);
    }
  });
}

export function isPostgres(database: Pick<Kysely<unknown>, 'getExecutor'>): boolean {
  return database.getExecutor().adapter instanceof PostgresAdapter;
}
