/**
 * What every feature is given: the ports, the settings and the identity of this installation's secrets.
 */
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
import type { Reach } from './reach.ts';

export interface Secrets {
  /** Mixed into the hash of every API key, so that the database alone does not allow a guess. */
  keyPepper: Buffer;
  pepperId: string;
  /** Peppers of other keys of a rotation, which only verify. */
  otherPeppers: Pepper[];
  /** Signs download links; the first signs, all verify. */
  linkKeys: LinkKey[];
  /** Encrypts what projects keep secret. */
  sealKey: Buffer;
  /** Keys of a rotation that only decrypt. */
  otherSealKeys: Buffer[];
  /** Of the keys that this process was given. */
  fingerprints: string[];
  /** Signs bundles. The key itself is nobody else’s business. */
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
  /** The line that minisign and `docyard verify` take. */
  publicKey: string;
  /** The text of a `.minisig` file. */
  sign(bytes: Uint8Array, trustedComment: string): string;
}

/** How a feature tells of its jobs. The kernel announces changes and does not know what a job means. */
export interface JobView {
  /** The record as callers see it. */
  record(database: Database, job: Selectable<JobRow>): Promise<unknown>;
  /** What else has happened with this change of status. */
  alsoHappened?(database: Database, job: Selectable<JobRow>, change: string): Promise<WebhookEvent[]>;
}

/** Resolves with a few words on how it is, and throws when the part is not usable. */
export interface ReadinessCheck {
  name: string;
  /** The process serves most requests without this part. */
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
  /** Lets go of everything that is open, once nobody uses it any more. */
  close(): Promise<void>;
}

/** Who asks, as the audit log will name them. */
export interface Actor extends Reach {
  /** A key id, the email of a person, `cli` or `system`. */
  name: string;
  address: string | null;
  requestId: string | null;
}

export function nowText(context: Pick<Context, 'clock'>): string {
  return context.clock.now().toISOString();
}
