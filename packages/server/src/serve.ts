/**
 * Runs the whole service in one process: lock, database, worker, HTTP. Stopping goes the other way round and loses
 * nothing: requests under way are answered, running jobs go back to the queue.
 */
import { compose, runners } from './compose.ts';
import type { Config } from './config.ts';
import type { Context } from './context.ts';
import { emptyWorkFolder, lockDataFolder, prepareDataFolder } from './data-folder.ts';
import { sweep } from './exports/retention.ts';
import { buildApp } from './http/app.ts';
import { listen } from './http/server.ts';
import { Worker } from './jobs/worker.ts';

const sweepEverySeconds = 600;
const stopGraceSeconds = 10;

export interface Service {
  context: Context;
  port: number;
  stop(): Promise<void>;
}

/** `beforeListening` is where a first run sets itself up: the folder is locked and no request has been taken. */
export async function startService(
  config: Config,
  beforeListening: (context: Context) => Promise<void> = async () => {},
): Promise<Service> {
  await prepareDataFolder(config.dataDir);
  const unlock = await lockDataFolder(config.dataDir);
  try {
    await emptyWorkFolder(config.dataDir);
    const context = await compose(config);
    await beforeListening(context);
    const worker = new Worker(context, runners);
    await worker.start();
    const stopping = new AbortController();
    const server = await listen(buildApp(context, stopping.signal), config);
    const endSweeping = sweepRegularly(context);
    return {
      context,
      port: server.port,
      async stop() {
        stopping.abort();
        endSweeping();
        await Promise.all([server.close(stopGraceSeconds), worker.stop()]);
        await context.database.destroy();
        unlock();
      },
    };
  } catch (error) {
    unlock();
    throw error;
  }
}

function sweepRegularly(context: Context): () => void {
  let underWay = Promise.resolve();
  const run = () => {
    underWay = underWay.then(async () => {
      await sweep(context).catch((error: unknown) => context.log.warn({ err: error }, 'sweep failed'));
    });
  };
  run();
  const timer = setInterval(run, sweepEverySeconds * 1000);
  return () => clearInterval(timer);
}
