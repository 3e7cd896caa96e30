/** The ports and settings that every feature receives. */
import type { WebhookEvent } from '@docyard/api';
import type { Selectable } from 'kysely';
import type { Logger } from 'pino';
import type { Config } from './config.ts';
import type { Blobs } from './ports/blobs.ts';
import type { JobChanges } from './ports/changes.ts';
import type { Clock } from './ports/clock.ts';
import type { Database, JobRow } from './ports/database.ts';
import type { Forges } from './ports/forge.ts';
import type { JobKind, Queue } from './ports/queue.ts';
import type { Sources } from './ports/sources.ts';
import type { Measures, Tracer } from './ports/telemetry.ts';
import type { AccessScope } from './access-scope.ts';

export interface Secrets {
  /** Part of the hash of every API key, so that a stolen database does not allow guessing. */
  keyPepper: Buffer;
  pepperId: string;
  /** Peppers of other keys of a rotation; they only verify. */
  otherPeppers: Pepper[];
  /** The first key signs download links; all keys verify. */
  linkKeys: LinkKey[];
  /** Encrypts the secrets of projects. */
  sealKey: Buffer;
  /** Keys of a rotation that only decrypt. */
  otherSealKeys: Buffer[];
  /** Fingerprints of the keys that this process was given. */
  fingerprints: string[];
  /** Signs bundles without exposing the key. */
  signer: Signer;
}

export interface Pepper {
  id: string;
  key: Buffer;
}

export interface LinkKey {
  id: string;
  key: Buffer;
}

export interface Signer {
  keyId: string;
  /** As minisign and `docyard verify` accept it. */
  publicKey: string;
  /** The text of a `.minisig` file. */
  sign(bytes: Uint8Array, trustedComment: string): string;
}

/** How a feature presents its jobs to the job kernel, which announces changes of any kind of job. */
export interface JobView {
  /** The record that the API returns. */
  record(database: Database, job: Selectable<JobRow>): Promise<unknown>;
  /** Webhook events besides the change of status. */
  extraEvents?(database: Database, job: Selectable<JobRow>, change: string): Promise<WebhookEvent[]>;
}

/** Resolves with a short description, and throws when the component is unusable. */
export interface ReadinessCheck {
  name: string;
  /** The process serves most requests without this component. */
  isOptional?: boolean;
  run(): Promise<string>;
}

export interface Context {
  config: Config;
  version: string;
  secrets: Secrets;
  database: Database;
  blobs: Blobs;
  queue: Queue;
  sources: Sources;
  forges: Forges;
  clock: Clock;
  changes: JobChanges;
  views: Record<JobKind, JobView>;
  log: Logger;
  checks: ReadinessCheck[];
  measures: Measures;
  tracer: Tracer;
  close(): Promise<void>;
}

/** The caller as the audit log names it. */
export interface Actor extends AccessScope {
  /** A key id, an email, `cli` or `system`. */
  name: string;
  address: string | null;
  requestId: string | null;
}

export function nowText(context: Pick<Context, 'clock'>): string {
  return context.clock.now().toISOString();
}
