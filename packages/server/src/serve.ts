/**
 * Runs the whole service in one process: lock, database, worker, HTTP. Stopping goes the other way round and loses
 * nothing: requests under way are answered, running jobs go back to the queue.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { continueWithMessages } from './agent/message.ts';
import { sweepAgentJobs } from './agent/retention.ts';
import { compose, runners } from './compose.ts';
import type { Config } from './config.ts';
import type { Context } from './context.ts';
import { emptyWorkFolder, lockDataFolder, prepareDataFolder } from './data-folder.ts';
import { sweep } from './exports/retention.ts';
import { buildApp } from './http/app.ts';
import { listen } from './http/server.ts';
import { Worker } from './jobs/worker.ts';
import { WebhookDeliverer } from './webhooks/deliverer.ts';
import { sweepWebhooks } from './webhooks/deliveries.ts';

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
    const sweeper = new Sweeper(context);
    const worker = new Worker(context, runners, () => sweeper.run());
    const deliverer = new WebhookDeliverer(context);
    const stopping = new AbortController();
    // The port first: when it is taken, no job has been touched.
    const server = await listen(buildApp(context, stopping.signal), config);
    await worker.start().catch(async (error: unknown) => {
      await server.close(0);
      throw error;
    });
    sweeper.start();
    deliverer.start();
    return {
      context,
      port: server.port,
      async stop() {
        stopping.abort();
        // Until here the socket stays open: whoever comes now is told to come back, and when.
        await Promise.all([worker.stop(), deliverer.stop(), pause(config.drainSeconds * 1000)]);
        await server.close(stopGraceSeconds);
        await sweeper.stop();
        await context.database.destroy();
        unlock();
      },
    };
  } catch (error) {
    unlock();
    throw error;
  }
}

/** What is left to do once jobs have ended. One sweep at a time: at the start, after each job, and now and then. */
class Sweeper {
  readonly #context: Context;
  #underWay = Promise.resolve();
  #waiting = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(context: Context) {
    this.#context = context;
  }

  start(): void {
    this.run();
    this.#timer = setInterval(() => this.run(), sweepEverySeconds * 1000);
  }

  run(): void {
    if (this.#waiting) return;
    this.#waiting = true;
    this.#underWay = this.#underWay.then(async () => {
      this.#waiting = false;
      for (const work of [continueWithMessages, sweep, sweepAgentJobs, sweepWebhooks]) {
        await work(this.#context).catch((error: unknown) =>
          this.#context.log.warn({ err: error }, `${work.name} failed`),
        );
      }
    });
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#underWay;
  }
}
