/** Data folders and databases of earlier versions. Never edit a released one; add a new one. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { loadDump } from '../postgres.ts';

/** The least that a fixture has. */
export interface EarlierIds {
  key: string;
  agentJobId: string;
  exportJobId: string;
  projectId: string;
}

/** What `make-fixture.ts` keeps. */
export interface EarlierData extends EarlierIds {
  readKey: string;
  revokedKey: string;
  docsProjectId: string;
  webhookId: string;
  /** The folder of the repository, which no longer exists. */
  repository: string;
  olderExportJobId: string;
  failedExportJobId: string;
  /** An export that was running when the program was killed, and a queued one. */
  unfinishedJobIds: string[];
}

/** Disables retention, because the records are old. */
export const keepEverything = {
  RETENTION_DAYS: '36500',
  RETENTION_JOB_DAYS: '36500',
  RETENTION_AGENT_DAYS: '36500',
  RETENTION_EXPORTS: '1000',
};

export const fixtureFolder = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

export function unpackEarlierData(name: '0.1.0', folder: string): EarlierIds;
export function unpackEarlierData(name: string, folder: string): EarlierData;
export function unpackEarlierData(name: string, folder: string): EarlierIds {
  const kept = fixtureFolder(name);
  mkdirSync(folder, { recursive: true });
  const ended = spawnSync('tar', ['-xzf', join(kept, 'data.tar.gz'), '--no-same-owner', '-C', folder]);
  if (ended.status !== 0) throw new Error(`tar: ${ended.stderr.toString()}`);
  return JSON.parse(readFileSync(join(kept, 'ids.json'), 'utf8')) as EarlierIds;
}

/** Loads the dump of a fixture into an empty database; `folder` receives the statements. */
export function loadEarlierDatabase(name: string, url: string, folder: string): void {
  const file = join(folder, 'database.sql');
  writeFileSync(file, gunzipSync(readFileSync(join(fixtureFolder(name), 'database.sql.gz'))));
  loadDump(url, file);
}
