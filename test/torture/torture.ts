/**
 * Kills the service repeatedly under load; every restart must know everything that was acknowledged. A killed process does not
 * lose kernel buffers, so this does not test fsync.
 */
import type { ChildProcess } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DocyardClient } from '@docyard/api';
import {
  commitAll,
  gitRepository,
  siteFiles,
  startService,
  temporaryFolder,
  writeFiles,
  type Service,
  type ServiceOptions,
} from '../service.ts';
import { Chance } from './seeded-random.ts';
import { checkAcknowledged, checkArchives, checkLeftovers, waitForAll } from './checks.ts';
import { Ledger } from './ledger.ts';
import { keepBusy, repeatRequests, type Caller } from './operations.ts';
import { killProcess, processesIn, renderingProcesses, survivors } from './processes.ts';

export interface TortureOptions {
  rounds: number;
  seed: number;
  onRound?: (round: { number: number; kind: RoundKind; killed: string; problems: number }) => void;
  onLog?: (text: string) => void;
}

/** `first`: a kill during the first start on a new folder. `child`: the rendering process is killed instead. */
export type RoundKind = 'serve' | 'boot' | 'first' | 'child';

const deck: RoundKind[] = [
  'serve',
  'serve',
  'boot',
  'serve',
  'first',
  'serve',
  'child',
  'boot',
  'serve',
  'serve',
];
const maxRoundMs = 1500;
const callersAtOnce = 4;
const environment = { EXPORT_CONCURRENCY: '2', RENDER_PROCESSES: '1', RETENTION_EXPORTS: '100000' };

export async function torture(options: TortureOptions) {
  const started = performance.now();
  const run = await prepare(options);
  let kinds: RoundKind[] = [];
  for (let number = 1; number <= options.rounds; number += 1) {
    if (kinds.length === 0) kinds = run.chance.shuffled(deck);
    const kind = kinds.shift() ?? 'serve';
    const killed = await rounds[kind](run);
    run.figures.rounds += 1;
    options.onRound?.({ number, kind, killed, problems: run.ledger.problems.length });
  }
  await finish(run);
  const { ledger, figures } = run;
  const seconds = Math.round((performance.now() - started) / 100) / 10;
  return { ...figures, ...ledger.counts, problems: ledger.problems, seconds };
}

export type TortureFigures = Awaited<ReturnType<typeof torture>>;

async function prepare(options: TortureOptions) {
  const repositories = [3, 5, 24].map((pages) => gitRepository(siteFiles(pages)));
  const run = {
    dataDir: temporaryFolder('torture'),
    chance: new Chance(options.seed),
    ledger: new Ledger(),
    repositories,
    domains: repositories.map((_, index) => `site-${index}.example.com`),
    onLog: options.onLog,
    bootMs: 500,
    counter: { value: 0 },
    figures: {
      rounds: 0,
      killsDuringStart: 0,
      killsWhileRunning: 0,
      killsDuringBundle: 0,
      renderersKilled: 0,
      acknowledgedStarts: 0,
      completed: 0,
      canceled: 0,
      workerLost: 0,
      failedOtherwise: 0,
      wholeArchives: 0,
      stuck: 0,
      attempts: 0,
      idempotentRetries: 0,
      downloads: 0,
      leakedProcesses: 0,
    },
  };
  const service = await start(run);
  for (const [index, domain] of run.domains.entries()) {
    const source = { repository: `file://${repositories[index]}`, ref: 'main' };
    const project = await service.client.call('createProject', { body: { name: domain, domain, source } });
    run.ledger.acknowledgeProject(project, { deletable: false });
  }
  await service.stop();
  return run;
}

type Run = Awaited<ReturnType<typeof prepare>>;

const rounds: Record<RoundKind, (run: Run) => Promise<string>> = {
  serve: killWhileServing,
  boot: (run) => killWhileStarting(run, run.dataDir),
  first: killFirstStart,
  child: killRenderers,
};

async function killWhileServing(run: Run): Promise<string> {
  const { chance, ledger, figures } = run;
  if (chance.happens(0.2)) changeSource(run);
  const service = await start(run);
  await checkAcknowledged(service, ledger, chance);
  const caller = callerOf(run, service);
  const stopping = new AbortController();
  const busy = Promise.all([repeatRequests(caller), keepBusy(caller, stopping.signal, callersAtOnce)]);
  const packing = chance.happens(0.5) && (await untilPacking(service));
  await pause(chance.between(0, packing ? 30 : maxRoundMs));
  const moment = packing || caller.bundlesUnderWay > 0 ? 'bundle' : 'running';
  figures[moment === 'bundle' ? 'killsDuringBundle' : 'killsWhileRunning'] += 1;
  await service.kill();
  // Half of the time the children survive and must detect it.
  if (chance.happens(0.5)) processesIn(run.dataDir).forEach(killProcess);
  stopping.abort();
  await busy;
  return moment;
}

async function killWhileStarting(run: Run, dataDir: string, onSpawn = killLater(run)): Promise<string> {
  run.figures.killsDuringStart += 1;
  const killed = await startService({ ...serviceOptions(run, dataDir), onSpawn }).then(
    (service) => service.kill().then(() => 'just ready'),
    () => 'starting',
  );
  return killed;
}

function killLater(run: Run): (child: ChildProcess) => void {
  const delayMs = run.chance.between(0, run.bootMs * 1.1);
  return (child) => setTimeout(() => child.kill('SIGKILL'), delayMs);
}

/** While the tables are created, a window that a random moment would seldom hit. */
function killAtFirstTables(run: Run, dataDir: string): (child: ChildProcess) => void {
  const delayMs = run.chance.between(0, 30);
  return (child) => {
    const look = setInterval(() => {
      if (!existsSync(join(dataDir, 'docyard.db-wal'))) return;
      clearInterval(look);
      setTimeout(() => child.kill('SIGKILL'), delayMs);
    }, 1);
    child.once('exit', () => clearInterval(look));
  };
}

/** An interrupted first start must still result in an installation with a working key. */
async function killFirstStart(run: Run): Promise<string> {
  const dataDir = temporaryFolder('torture-first');
  const onSpawn = run.chance.happens(0.7) ? killAtFirstTables(run, dataDir) : killLater(run);
  const killed = await killWhileStarting(run, dataDir, onSpawn);
  try {
    const service = await startService(serviceOptions(run, dataDir));
    const answer = await service.request('/v1/me');
    await service.stop();
    if (answer.status !== 200) throw new Error(`its key is answered ${answer.status}`);
  } catch (error) {
    run.ledger.complain('other', `after a first start that was killed: ${String(error)}`);
  }
  rmSync(dataDir, { recursive: true, force: true });
  return killed;
}

async function killRenderers(run: Run): Promise<string> {
  const { chance, ledger, figures } = run;
  const service = await start(run);
  await checkAcknowledged(service, ledger, chance);
  const stopping = new AbortController();
  const caller = callerOf(run, service);
  const busy = Promise.all([repeatRequests(caller), keepBusy(caller, stopping.signal, callersAtOnce)]);
  let killed = 0;
  for (const deadline = Date.now() + 2 * maxRoundMs; Date.now() < deadline && killed < 2;) {
    await pause(chance.between(0, 400));
    killed += renderingProcesses(run.dataDir).slice(0, 1).filter(killProcess).length;
  }
  figures.renderersKilled += killed;
  stopping.abort();
  await busy;
  const status = await service.stop();
  if (status !== 0) ledger.complain('other', `a clean stop ended with ${status}`);
  return `${killed} rendering processes`;
}

/** Lets every job end, then checks everything. */
async function finish(run: Run): Promise<void> {
  const { ledger, chance, figures, dataDir } = run;
  const service = await start(run);
  await checkAcknowledged(service, ledger, chance);
  const caller = callerOf(run, service);
  await repeatRequests(caller);
  const waiting = [...ledger.jobs.values()].filter(({ latest }) => latest.finishedAt === null).length;
  const stuck = await waitForAll(service, ledger, 60 + 5 * waiting);
  figures.stuck = stuck.length;
  for (const job of stuck) ledger.problems.push(`stuck: ${job.jobId} is ${job.status}, ${job.phase}`);
  await service.stop();

  const fresh = await start(run);
  await checkAcknowledged(fresh, ledger, chance);
  figures.wholeArchives = await checkArchives(fresh, ledger);
  await checkLeftovers(fresh, ledger);
  await fresh.stop();

  const leaked = await survivors(dataDir, 5);
  figures.leakedProcesses = leaked.length;
  for (const { pid, command } of leaked) ledger.problems.push(`still running: ${pid} ${command}`);
  leaked.forEach(killProcess);
  count(run);
}

function count({ ledger, figures }: Run): void {
  figures.acknowledgedStarts = ledger.requests.filter(({ jobId }) => jobId !== undefined).length;
  for (const { latest } of ledger.jobs.values()) {
    figures.attempts += latest.attempt;
    const code = latest.failure?.code;
    if (latest.status === 'completed') figures.completed += 1;
    else if (code === 'canceled') figures.canceled += 1;
    else if (code === 'worker_lost') figures.workerLost += 1;
    else if (latest.status === 'failed') figures.failedOtherwise += 1;
  }
  // Only a rendering process that was killed from outside may fail its job as an internal error.
  if (figures.failedOtherwise > figures.renderersKilled) {
    const excess = `${figures.failedOtherwise} failures, ${figures.renderersKilled} killed renderers`;
    ledger.complain('other', `${excess}; run with --log to see why`);
  }
}

async function start(run: Run): Promise<Service> {
  const began = performance.now();
  const service = await startService(serviceOptions(run, run.dataDir)).catch(async (error: unknown) => {
    run.ledger.complain('other', `the service did not start: ${String(error)}`);
    return startService(serviceOptions(run, run.dataDir));
  });
  run.bootMs = performance.now() - began;
  return service;
}

function serviceOptions(run: Run, dataDir: string): ServiceOptions {
  const { onLog } = run;
  return { dataDir, workingFolder: dataDir, environment, ...(onLog === undefined ? {} : { onLog }) };
}

function callerOf(run: Run, service: Service): Caller {
  return {
    service,
    client: new DocyardClient({ baseUrl: service.origin, apiKey: service.key, tries: 1, timeoutSeconds: 20 }),
    ledger: run.ledger,
    chance: run.chance,
    domains: run.domains,
    repository: `file://${run.repositories[0]}`,
    figures: run.figures,
    bundlesUnderWay: 0,
    counter: run.counter,
  };
}

/** Occasional commits, so that equal and different exports both occur. */
function changeSource({ chance, repositories, counter }: Run): void {
  const repository = chance.pick(repositories) ?? '';
  counter.value += 1;
  writeFiles(repository, { 'index.mdx': `---\ntitle: Home\n---\n\nChange ${counter.value}.\n` });
  commitAll(repository, `Change ${counter.value}`);
}

/** False when no job got there in time. */
async function untilPacking(service: Service): Promise<boolean> {
  for (const deadline = Date.now() + 2 * maxRoundMs; Date.now() < deadline;) {
    const { data } = await service.client.call('listExports', { query: { status: 'running' } });
    if (data.some(({ phase }) => phase === 'packing' || phase === 'storing')) return true;
    await pause(5);
  }
  return false;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
