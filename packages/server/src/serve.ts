/**
 * Starts and stops the service, or the half that its role names. Stopping answers running requests and returns
 * running jobs to the queue.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { errorTable, type ErrorCode } from '@docyard/api';
import { automationJobs } from './automation-jobs.ts';
import { AutomationProcessor } from './automations/processor.ts';
import { adviceAbout } from './egress/rules.ts';
import { compose, openTelemetry, runners } from './compose.ts';
import type { Config } from './config.ts';
import type { Context } from './context.ts';
import {
  emptyWorkFolder,
  explainFullDisk,
  lockDataFolder,
  prepareDataFolder,
  restrictDataFiles,
} from './data-folder.ts';
import { ReviewProcessor } from './agent/review/processor.ts';
import { eventHandlers } from './event-handlers.ts';
import { SourcePoller } from './forge-events/poller.ts';
import { ForgeEventProcessor } from './forge-events/processor.ts';
import { buildApp, buildProbes } from './http/app.ts';
import { openServer } from './http/server.ts';
import { Worker } from './jobs/worker.ts';
import { PullRequestReconciler } from './pull-requests/reconciler.ts';
import { pullRequestPreviews } from './pull-request-previews.ts';
import { findIsolation } from './sandbox/isolation.ts';
import { refreshSecrets, refreshSeconds } from './secrets.ts';
import { Sweeper } from './sweeper.ts';
import { WebhookDeliverer } from './webhooks/deliverer.ts';

const stopGraceSeconds = 10;

export interface Service {
  context: Context;
  port: number;
  stop(): Promise<void>;
}

/** Sets up a first run: the port is bound, the folder is locked and every request is still refused. */
export type Prepare = (context: Context, bound: { port: number }) => Promise<void>;

export async function startService(config: Config, prepare: Prepare = async () => {}): Promise<Service> {
  // Probing the isolation takes a moment, so it starts first.
  void findIsolation();
  const server = await openServer(config);
  try {
    return await startBehind(server, config, prepare);
  } catch (error) {
    await server.close(0);
    throw await explainFullDisk(config.dataDir, error);
  }
}

type OpenServer = Awaited<ReturnType<typeof openServer>>;

async function startBehind(server: OpenServer, config: Config, prepare: Prepare): Promise<Service> {
  await prepareDataFolder(config.dataDir);
  const unlock = await lockDataFolder(config.dataDir);
  try {
    await emptyWorkFolder(config.dataDir);
    await restrictDataFiles(config.dataDir);
    const context = await compose(config, await openTelemetry(config));
    const stop = await startServing(context, server, prepare).catch(async (error: unknown) => {
      await context.close();
      throw error;
    });
    return {
      context,
      port: server.port,
      async stop() {
        await stop();
        await context.close();
        unlock();
      },
    };
  } catch (error) {
    unlock();
    throw error;
  }
}

async function startServing(
  context: Context,
  server: OpenServer,
  prepare: Prepare,
): Promise<() => Promise<void>> {
  const { config } = context;
  await prepare(context, server);
  const stopping = new AbortController();
  const app = (config.role === 'worker' ? buildProbes : buildApp)(context, stopping.signal);
  const work = config.role === 'api' ? undefined : createBackgroundWork(context);
  await work?.start();
  server.serve(app, (code) => countRefusal(context, code));
  const advice = adviceAbout(config.egress);
  if (advice !== undefined) context.log.warn(advice);
  const logged = logIsolation(context);
  const following = followRotations(context);
  return async () => {
    stopping.abort();
    clearInterval(following);
    // The socket stays open so that new requests are refused with Retry-After.
    await Promise.all([work?.stop(), logged, pause(config.drainSeconds * 1000)]);
    await server.close(stopGraceSeconds);
  };
}

/** Errors are ignored: the next interval retries, and readiness reports them. */
function followRotations(context: Context): NodeJS.Timeout {
  const follow = () => void refreshSecrets(context).catch(() => undefined);
  return setInterval(follow, refreshSeconds * 1000).unref();
}

async function logIsolation({ log }: Context): Promise<void> {
  const { level, statement, complaint } = await findIsolation();
  const facts = { isolation: level, ...(complaint === null ? {} : { complaint }) };
  if (level === 3) log.info(facts, `isolation: ${statement}`);
  else log.warn(facts, `isolation: ${statement}`);
}

/** Counts connections and malformed requests that the HTTP server refused before they reached the app. */
function countRefusal({ measures }: Context, problem: ErrorCode): void {
  measures.requestEnded({ operation: 'other', status: errorTable[problem].status, seconds: 0, problem });
}

function createBackgroundWork(context: Context): { start(): Promise<void>; stop(): Promise<void> } {
  const sweeper = new Sweeper(context);
  const worker = new Worker(context, runners, () => sweeper.run());
  const loops = [
    new WebhookDeliverer(context),
    new SourcePoller(context),
    new ForgeEventProcessor(context, eventHandlers),
    new ReviewProcessor(context),
    new AutomationProcessor(context, automationJobs),
    new PullRequestReconciler(context, pullRequestPreviews),
  ];
  return {
    async start() {
      await worker.start();
      sweeper.start();
      for (const loop of loops) loop.start();
    },
    async stop() {
      await Promise.all([worker.stop(), ...loops.map((loop) => loop.stop())]);
      await sweeper.stop();
    },
  };
}
