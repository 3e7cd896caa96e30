/**
 * Six organizations with different backlogs use an installation of six processes under constant faults. Acknowledged work must
 * not be lost, duplicated or stuck.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { gitRepository, siteFiles } from '../service.ts';
import { Chance } from '../torture/seeded-random.ts';
import { Caller, type Organization } from './callers.ts';
import { checkHistory, checkJobs, checkMessages, checkObjects, checkQueue } from './checks.ts';
import { Cluster } from './cluster.ts';
import type { Incident } from './explanation.ts';
import { jainIndex, maxConcurrent, readHistory, turnsOf, waitsOf, type Change } from './history.ts';
import { Ledger } from './ledger.ts';
import { Receiver } from './receiver.ts';
import { makeTrouble, type TroubleCounts } from './fault-injection.ts';

export interface ChaosOptions {
  jobs: number;
  seed: number;
  onProgress(text: string): void;
  onLog?: ((text: string) => void) | undefined;
}

/** Shares of all jobs, by organization. */
const partsOfAll = [0.4, 0.24, 0.16, 0.1, 0.06, 0.04];
const runningPerOrganization = 2;
const pages = 3;
const sampleEverySeconds = 0.5;
const progressEverySeconds = 10;
/** When no job ends for so long, the rest counts as stuck. */
const patienceSeconds = 180;

export async function chaos(options: ChaosOptions) {
  const beganAt = performance.now();
  const stage = await setUp(options);
  const { cluster, ledger, callers, receiver, organizations, chance } = stage;
  try {
    const { troubles, incidents, mostActive } = await useAndBreak(options, stage);
    if (stage.broken.error !== undefined) throw stage.broken.error;
    options.onProgress('all is calm: looking at what is left');
    receiver.dropsSome = false;
    const organizationIds = organizations.map(({ id }) => id);
    const history = await readHistory(cluster, organizationIds);
    const ended = await checkJobs(callers, ledger, { history, incidents });
    const messages = await checkMessages({ cluster, ledger, receiver }, history, 400);
    // A worker sweeps when it starts.
    const worker = chance.pick(cluster.living('worker'));
    await worker?.stop();
    await worker?.start();
    const objects = await checkObjects(cluster, ledger, 60);
    await checkQueue(cluster, ledger);
    const followed = checkHistory(history, ledger);
    const maxRunning = maxConcurrent(history);
    for (const [what, most] of [
      ['at work', maxRunning],
      ['active in the queue', mostActive],
    ] as const) {
      if (most > runningPerOrganization)
        ledger.complain(`${most} jobs of an organization were ${what} at once`);
    }
    const leaked = await cluster.stop();
    for (const process of leaked) ledger.complain(`still running: ${process}`);
    return {
      seconds: Math.round((performance.now() - beganAt) / 1000),
      troubles,
      ...ended,
      ...messages,
      ...followed,
      objects,
      acknowledged: ledger.jobs.size,
      retries: ledger.retries,
      dropped: receiver.dropped,
      failedStarts: cluster.members.reduce((sum, { failedStarts }) => sum + failedStarts, 0),
      downloads: ledger.downloads,
      maxRunning,
      mostActive,
      runningPerOrganization,
      fairness: fairnessOf(history, organizations),
      problems: ledger.problems,
    };
  } finally {
    receiver.close();
    await cluster.stop();
    await cluster.remove();
  }
}

export type ChaosFigures = Awaited<ReturnType<typeof chaos>>;

async function setUp({ jobs, seed, onProgress, onLog }: ChaosOptions) {
  const chance = new Chance(seed);
  const ledger = new Ledger();
  const receiver = new Receiver(chance);
  const environment = {
    EGRESS_ALLOW: await receiver.listen(),
    EXPORT_CONCURRENCY: '2',
    RENDER_PROCESSES: '1',
    RETENTION_EXPORTS: '1000000',
    LIMIT_RUNNING_PER_ORGANIZATION: String(runningPerOrganization),
    LIMIT_QUEUED_JOBS: '1000000',
  };
  onProgress('starting PostgreSQL, Ceph, three API processes and three workers');
  const complain = (problem: string) => ledger.complain(problem);
  const signal = new AbortController();
  const broken: { error: Error | undefined } = { error: undefined };
  const giveUp = (error: Error) => {
    broken.error ??= error;
    signal.abort(error);
  };
  const cluster = await Cluster.start({ environment, complain, giveUp, onLog });
  const repository = `file://${gitRepository(siteFiles(pages))}`;
  const organizations: Organization[] = [];
  for (const [index, wanted] of divide(jobs, partsOfAll).entries()) {
    organizations.push(await createOrganization(cluster, `org${index + 1}`, wanted));
  }
  const callers = organizations.map(
    (organization) => new Caller({ cluster, chance, ledger, organization, signal: signal.signal }),
  );
  for (const caller of callers) {
    const { name, domain } = caller.organization;
    const source = { repository, ref: 'main' };
    await caller.client.call('createProject', { body: { name, domain, source } });
    const url = `http://${environment.EGRESS_ALLOW}/${name}`;
    const { secret } = await caller.client.call('createWebhook', { body: { url } });
    receiver.secrets.set(`/${name}`, secret);
  }
  return { cluster, chance, ledger, receiver, organizations, callers, patience: signal, broken };
}

type Stage = Awaited<ReturnType<typeof setUp>>;

async function createOrganization(cluster: Cluster, name: string, jobs: number): Promise<Organization> {
  const traits = ['--plan', 'enterprise', '--local-sources'];
  const created = (await cluster.command('orgs', 'create', '--name', name, ...traits)) as [{ id: string }];
  const { id } = created[0];
  const { key } = (await cluster.command('keys', 'create', '--org', id, '--name', 'chaos')) as {
    key: string;
  };
  return { id, name, key, domain: `${name}.example.com`, jobs };
}

/** Until every job has ended, or no more do. */
async function useAndBreak(
  options: ChaosOptions,
  stage: Stage,
): Promise<{ troubles: TroubleCounts; incidents: Incident[]; mostActive: number }> {
  const { cluster, ledger, callers, chance, patience } = stage;
  const over = new AbortController();
  const onTrouble = (what: string) => options.onProgress(what);
  const trouble = makeTrouble({ cluster, chance, signal: over.signal, onTrouble });
  const sampling = sampleActive(cluster, over.signal);
  const watching = watchProgress(options, stage, over.signal);
  const outcomes = await Promise.allSettled(callers.map((caller) => caller.run()));
  over.abort();
  for (const [index, outcome] of outcomes.entries()) {
    if (outcome.status === 'rejected' && !patience.signal.aborted) {
      ledger.complain(`the client of org${index + 1} gave up: ${String(outcome.reason)}`);
    }
  }
  const [made, mostActive] = await Promise.all([trouble, sampling, watching]);
  return { ...made, mostActive };
}

async function watchProgress(
  { jobs, onProgress }: ChaosOptions,
  { ledger, patience }: Stage,
  signal: AbortSignal,
): Promise<void> {
  const beganAt = performance.now();
  let lastEnded = 0;
  let lastChangeAt = beganAt;
  while (!signal.aborted) {
    await pause(progressEverySeconds * 1000, undefined, { signal }).catch(() => {});
    const ended = ledger.jobs.size - ledger.unfinished().length;
    if (ended !== lastEnded) lastChangeAt = performance.now();
    lastEnded = ended;
    const seconds = Math.round((performance.now() - beganAt) / 1000);
    const { length: problems } = ledger.problems;
    const text = `${seconds} s: ${ledger.jobs.size} of ${jobs} acknowledged, ${ended} seen ended`;
    onProgress(`${text}, problems so far: ${problems}`);
    if (performance.now() - lastChangeAt < patienceSeconds * 1000) continue;
    ledger.complain(`nothing has ended for ${patienceSeconds} s`);
    patience.abort(new Error('The rest is stuck.'));
  }
}

/** The maximum of concurrent deliveries per organization. */
async function sampleActive(cluster: Cluster, signal: AbortSignal): Promise<number> {
  const statement = `select count(*) from pgboss.job where state = 'active' and name = 'export' group by group_id`;
  let most = 0;
  while (!signal.aborted) {
    const counts = await cluster.rows(statement).catch(() => []);
    most = Math.max(most, ...counts.map(([count]) => Number(count)));
    await pause(sampleEverySeconds * 1000, undefined, { signal }).catch(() => {});
  }
  return most;
}

function fairnessOf(history: readonly Change[], organizations: readonly Organization[]) {
  const ids = organizations.map(({ id }) => id);
  const turns = turnsOf(history, ids, runningPerOrganization);
  const shares = [...turns.values()].filter(({ due }) => due > 0).map(({ got, due }) => got / due);
  return {
    jain: jainIndex(shares),
    organizations: organizations.map(({ id, name, jobs }) => {
      const waits = waitsOf(history, id).toSorted((a, b) => a - b);
      const at = (share: number) => Math.round(waits[Math.floor((waits.length - 1) * share)] ?? 0);
      const { got = 0, due = 0 } = turns.get(id) ?? {};
      return { name, jobs, got, due: Math.round(due), medianSeconds: at(0.5), maxSeconds: at(1) };
    }),
  };
}

/** Integers with the given sum, at least one each. */
function divide(sum: number, parts: readonly number[]): number[] {
  const [, ...others] = parts.map((part) => Math.max(1, Math.round(sum * part)));
  return [sum - others.reduce((total, count) => total + count, 0), ...others];
}
