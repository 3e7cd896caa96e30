/**
 * The tables, as every SQL adapter must offer them. Times are ISO 8601 UTC text, lists and records are JSON text,
 * so that the same queries run on each database.
 */
import { PostgresAdapter, sql, type Generated, type Kysely } from 'kysely';

export interface OrganizationRow {
  id: string;
  name: string;
  plan: string;
  /** 1 when its projects may read folders and repositories of this machine. */
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
  /** What the key is limited to; null for the whole organization. */
  project_id: string | null;
  /** Id of the pepper of the hash; null before the first rotation. */
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
  /** Attempts of the runs before the current one. */
  earlier_attempts: Generated<number>;
  /** How often the worker was lost in the current run; counts towards giving up. */
  losses: Generated<number>;
  input: string;
  source_commit: string | null;
  result: string | null;
  failure: string | null;
  /** The code of the failure, for filters. */
  failure_code: string | null;
  /** Who asked to cancel the job: a CanceledBy as JSON. */
  canceled_by: string | null;
  /** The last findings of an export, as JSON. */
  recent_findings: string | null;
  cancel_requested_at: string | null;
  retry_of: string | null;
  /** The agent job whose branch an export shows. Such an export is never the latest of its domain. */
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
  /** The job row as it was after the change, without its input, as JSON. */
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
  /** Usage, PullRequest, Verdict, and what else the record tells of the result, each as JSON. */
  usage: string | null;
  pull_request: string | null;
  policy: string | null;
  result: string | null;
  /** The whole change of the branch, as reviewers see it: the files as JSON, and the patch. */
  files: string | null;
  patch: string | null;
  /** What this run alone has changed, when that is something else. */
  own_files: string | null;
  own_patch: string | null;
  created_at: string;
  started_at: string | null;
  finished_at: string | null;
}

/** The journal: what a run did, in order. */
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

/** What a person said while the job was at work; the run takes it before its next step. */
export interface AgentMessageRow {
  sequence: Generated<number>;
  job_id: string;
  prompt: string;
  created_at: string;
  taken_at: string | null;
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

/** Who is told of what. One with a job tells of that job alone, as its request asked for. */
export interface WebhookRow {
  sequence: Generated<number>;
  id: string;
  organization_id: string;
  job_id: string | null;
  url: string;
  description: string;
  /** Names of events, as JSON. */
  events: string;
  /** 1 when it is switched on. */
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

/** What is told, word for word; each webhook that is told has a delivery of it. */
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
  /** Attempts so far, and how many of them belong to rounds before the current one. */
  attempt: number;
  earlier_attempts: number;
  /** When the next attempt is due, and until when one may be under way. */
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

/** Somebody who may sign in, or is invited to. */
export interface PersonRow {
  sequence: Generated<number>;
  id: string;
  organization_id: string;
  /** In lower case. Another organization may have a person with the same one, and must not learn of this. */
  email: string;
  name: string;
  role: string;
  /** A hash; only `people/password.ts` reads it. */
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
  /** Of the token, which is stored nowhere. */
  hash: string;
  person_id: string;
  created_at: string;
  last_seen_at: string;
  expires_at: string;
}

/** How often a password or a token was tried; see `people/attempts.ts`. */
export interface AttemptWindowRow {
  subject: string;
  ends_at_ms: number;
  used: number;
}

/** What a key or person has used of a rate, counted for all processes; see `keys/rates.ts`. */
export interface RateWindowRow {
  caller_id: string;
  rate: string;
  ends_at_ms: number;
  used: number;
  /** How much of it was lent last, to the process that has just written the row. */
  lent: number;
}

/** A site that reports what it serves. */
export interface DeploymentRow {
  sequence: Generated<number>;
  id: string;
  organization_id: string;
  /** The project of the key that reports, or of the export that is served. */
  project_id: string | null;
  /** The project that the reporting key is limited to, or empty: names are unique for each. */
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

/** What this installation knows of itself, by name. */
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
  people: PersonRow;
  sessions: SessionRow;
  attempt_windows: AttemptWindowRow;
  rate_windows: RateWindowRow;
  webhooks: WebhookRow;
  webhook_secrets: WebhookSecretRow;
  webhook_messages: WebhookMessageRow;
  webhook_deliveries: WebhookDeliveryRow;
  webhook_attempts: WebhookAttemptRow;
  deployments: DeploymentRow;
}

export type Database = Kysely<Tables>;

const serializationFailure = '40001';
const deadlock = '40P01';
export const maxTransactionTries = 4;

/**
 * Runs in the transaction that is open already, or in one of its own. The work may run again from its beginning when
 * two transactions were in each other's way: it must do nothing that a rollback does not undo.
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
 * Waits until no other transaction holds these names, and holds them to the end of this one. For a decision that depends on
 * rows which another process may add meanwhile, such as a count. SQLite has one writer at a time anyway. Names of one kind must
 * be sorted: two transactions that lock them in different orders would wait for each other.
 */
export async function exclusively(transaction: Database, ...names: string[]): Promise<void> {
  if (!transaction.isTransaction) throw new Error('Only a transaction can hold a name.');
  if (!isPostgres(transaction)) return;
  const lock = sql`select pg_advisory_xact_lock(hashtextextended(name, 0)) from unnest(${names}::text[]) as name`;
  await lock.execute(transaction);
}

/**
 * Runs the work unless another process is at work under the same name. The name is held by a connection: a process that
 * ends, however it ends, lets go of it.
 */
export async function unlessElsewhere(
  database: Database,
  name: string,
  work: () => Promise<void>,
): Promise<void> {
  // The lock of the data folder has let no other process in.
  if (!isPostgres(database)) return work();
  await database.connection().execute(async (connection) => {
    const lock = sql<{
      isMine: boolean;
    }>`select pg_try_advisory_lock(hashtextextended(${name}, 0)) as "isMine"`;
    const { rows } = await lock.execute(connection);
    if (rows[0]?.isMine !== true) return;
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
