/** Data folders of earlier versions. Never edit a released one; add a new one. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface EarlierData {
  key: string;
  agentJobId: string;
  exportJobId: string;
  projectId: string;
}

/** Disables retention, because the records are old. */
export const keepEverything = {
  RETENTION_DAYS: '36500',
  RETENTION_AGENT_DAYS: '36500',
  RETENTION_EXPORTS: '1000',
};

export function unpackEarlierData(version: '0.1.0', folder: string): EarlierData {
  const kept = fileURLToPath(new URL(version, import.meta.url));
  mkdirSync(folder, { recursive: true });
  const ended = spawnSync('tar', ['-xzf', join(kept, 'data.tar.gz'), '--no-same-owner', '-C', folder]);
  if (ended.status !== 0) throw new Error(`tar: ${ended.stderr.toString()}`);
  return JSON.parse(readFileSync(join(kept, 'ids.json'), 'utf8')) as EarlierData;
}
