/**
 * Data folders as earlier versions of the program left them. A released format is never edited here; a new one is added.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface EarlierData {
  /** An admin key that was given out then. */
  key: string;
  /** A completed agent job, a completed export, and the project of both. */
  agentJobId: string;
  exportJobId: string;
  projectId: string;
}

/** What was kept then is kept now, however long ago that is. */
export const keepEverything = {
  RETENTION_DAYS: '36500',
  RETENTION_AGENT_DAYS: '36500',
  RETENTION_EXPORTS: '1000',
};

/** Unpacks it into the folder, which is made. */
export function unpackEarlierData(version: '0.1.0', folder: string): EarlierData {
  const kept = fileURLToPath(new URL(version, import.meta.url));
  mkdirSync(folder, { recursive: true });
  const ended = spawnSync('tar', ['-xzf', join(kept, 'data.tar.gz'), '--no-same-owner', '-C', folder]);
  if (ended.status !== 0) throw new Error(`tar: ${ended.stderr.toString()}`);
  return JSON.parse(readFileSync(join(kept, 'ids.json'), 'utf8')) as EarlierData;
}
