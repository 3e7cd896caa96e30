/**
 * Config in, Context out: the only file that knows the adapters by name.
 */
import { join } from 'node:path';
import { pino } from 'pino';
import { FolderBlobs } from './adapters/blobs/folder.ts';
import { InProcessChanges } from './adapters/changes/in-process.ts';
import { systemClock } from './adapters/clock/system.ts';
import { openSqlite } from './adapters/database/sqlite.ts';
import { InProcessQueue } from './adapters/queue/in-process.ts';
import { GitAndFolderSources } from './adapters/sources/sources.ts';
import type { Config } from './config.ts';
import type { Context } from './context.ts';
import { prepareDataFolder, readSecrets } from './data-folder.ts';
import { runAgent } from './agent/run.ts';
import { runExport } from './exports/run.ts';
import type { Runners } from './jobs/worker.ts';
import { version } from './version.ts';

export const runners: Runners = { export: runExport, agent: runAgent };

export async function compose(config: Config): Promise<Context> {
  await prepareDataFolder(config.dataDir);
  return {
    config,
    version,
    secrets: await readSecrets(config.dataDir),
    database: await openSqlite(join(config.dataDir, 'docyard.db')),
    blobs: new FolderBlobs(join(config.dataDir, 'blobs')),
    queue: new InProcessQueue(),
    sources: new GitAndFolderSources(config.egress),
    clock: systemClock,
    changes: new InProcessChanges(),
    // Standard output is for people; the log goes to the other stream.
    log: pino(
      { level: config.logLevel, base: null, redact: ['*.authorization', '*.key'] },
      pino.destination(2),
    ),
  };
}
