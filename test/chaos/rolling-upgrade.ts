/**
 * Four processes of the previous version on one PostgreSQL and one Ceph bucket are replaced one after another by today's while
 * organizations use them. Acknowledged work must not be lost, duplicated or stuck.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { gitRepository, siteFiles } from '../service.ts';
import { Chance } from '../torture/seeded-random.ts';
import { earlierProgram, previousName } from '../upgrade/earlier-program.ts';
import { Caller, type Organization } from './callers.ts';
import { checkHistory, checkJobs, checkMessages, checkObjects, checkQueue } from './checks.ts';
import { Cluster, type Member } from './cluster.ts';
import { readHistory } from './history.ts';
import { Ledger } from './ledger.ts';
import { Receiver } from './receiver.ts';

export interface RollingUpgradeOptions {
  jobs: number;
  seed: number;
  /** The role whose first process is replaced first, and so migrates the database. */
  first: 'api' | 'worker';
  onProgress(text: string): void;
  onLog?: ((text: string) => void) | undefined;
}

const organizationCount = 4;
const pages = 3;
const progressEverySeconds = 5;
/** When no job ends for so long, the rest counts as stuck. */
const maxIdleSeconds = 180;
/** Shares of all jobs that have ended when a process is replaced. */
const replacedAt = [0.15, 0.3, 0.45, 0.6];

export async function rollingUpgrade(options: RollingUpgradeOptions) {
  const startedAt = performance.now();
  const stage = await setUp(options);
  const { cluster, ledger, callers, receiver } = stage;
  try {
    const upgraded = await useAndUpgrade(options, stage);
    options.onProgress('every process has the new version; checking what they left');
    const history = await readHistory(cluster, stage.organizationIds);
    const ended = await checkJobs(callers, ledger, { history, incidents: [] });
    const messages = await checkMessages({ cluster, ledger, receiver }, history, 120);
    const [worker] = cluster.living('worker');
    // A worker sweeps when it starts.
    await worker?.stop();
    await worker?.start();
    const objects = await checkObjects(cluster, ledger, 60);
    await checkQueue(cluster, ledger);
    const { followedByEvents } = checkHistory(history, ledger);
    const queuedCounts = await cluster.rows(
      'select organization_id, queued from queue_counts where queued <> 0',
    );
    for (const [id, queued] of queuedCounts)
      ledger.complain(`${id} has ${queued} jobs in the count of its queue`);
    for (const left of await cluster.stop()) ledger.complain(`still running: ${left}`);
    return {
      seconds: Math.round((performance.now() - startedAt) / 1000),
      acknowledged: ledger.jobs.size,
      ...ended,
      ...messages,
      objects,
      followedByEvents,
      retries: ledger.retries,
      downloads: ledger.downloads,
      upgraded,
      problems: ledger.problems,
    };
  } finally {
    receiver.close();
    await cluster.stop();
    await cluster.remove();
  }
}

export type RollingUpgradeFigures = Awaited<ReturnType<typeof rollingUpgrade>>;

async function setUp({ jobs, seed, onProgress, onLog }: RollingUpgradeOptions) {
  const chance = new Chance(seed);
  const ledger = new Ledger();
  const receiver = new Receiver(chance);
  receiver.dropsSome = false;
  const stuck = new AbortController();
  const environment = {
    EGRESS_ALLOW: await receiver.listen(),
    EXPORT_CONCURRENCY: '2',
    RENDER_PROCESSES: '1',
    RETENTION_EXPORTS: '1000000',
    LIMIT_QUEUED_JOBS: '1000',
  };
  onProgress(`starting two API processes and two workers of the previous version (${previousName})`);
  const cluster = await Cluster.start({
    environment,
    ofEachRole: 2,
    program: earlierProgram(previousName),
    complain: (problem) => ledger.complain(problem),
    giveUp: (error) => stuck.abort(error),
    onLog,
  });
  const repository = `file://${gitRepository(siteFiles(pages))}`;
  const callers: Caller[] = [];
  for (let number = 1; number <= organizationCount; number += 1) {
    const share = Math.ceil(jobs / organizationCount);
    const organization = await createOrganization(cluster, `org${number}`, share);
    const caller = new Caller({
      cluster,
      chance,
      ledger,
      organization,
      signal: stuck.signal,
      maxUnfollowed: 1,
    });
    const { name, domain } = organization;
    await caller.client.call('createProject', {
      body: { name, domain, source: { repository, ref: 'main' } },
    });
    const url = `http://${environment.EGRESS_ALLOW}/${name}`;
    const { secret } = await caller.client.call('createWebhook', { body: { url } });
    receiver.secrets.set(`/${name}`, secret);
    callers.push(caller);
  }
  const organizationIds = callers.map(({ organization }) => organization.id);
  return { cluster, chance, ledger, receiver, callers, organizationIds, stuck };
}

type Stage = Awaited<ReturnType<typeof setUp>>;

async function createOrganization(cluster: Cluster, name: string, jobs: number): Promise<Organization> {
  const traits = ['--plan', 'enterprise', '--local-sources'];
  const [{ id }] = (await cluster.command('orgs', 'create', '--name', name, ...traits)) as [{ id: string }];
  const created = await cluster.command('keys', 'create', '--org', id, '--name', 'upgrade');
  return { id, name, key: (created as { key: string }).key, domain: `${name}.example.com`, jobs };
}

/** Replaces processes while the callers start, follow and download exports. Returns the order. */
async function useAndUpgrade(options: RollingUpgradeOptions, stage: Stage): Promise<string[]> {
  const over = new AbortController();
  const watching = watchProgress(options, stage, over.signal);
  const upgrading = upgradeAll(options, stage, over.signal);
  const outcomes = await Promise.allSettled(stage.callers.map((caller) => caller.run()));
  for (const [index, outcome] of outcomes.entries()) {
    if (outcome.status === 'rejected')
      stage.ledger.complain(`the client of org${index + 1} gave up: ${String(outcome.reason)}`);
  }
  over.abort();
  const [upgraded] = await Promise.all([upgrading, watching]);
  return upgraded;
}

async function upgradeAll(
  { jobs, first, onProgress }: RollingUpgradeOptions,
  { cluster, ledger }: Stage,
  signal: AbortSignal,
): Promise<string[]> {
  const order = inTurns(cluster.members, first);
  for (const [index, member] of order.entries()) {
    while (!signal.aborted && endedIn(ledger) < jobs * (replacedAt[index] ?? 1)) await pause(200);
    if (signal.aborted) ledger.complain(`every job had ended before ${member.name} was replaced`);
    await member.upgrade();
    onProgress(`${member.name} has the new version`);
  }
  return order.map(({ name }) => name);
}

/** One process of each role in turns. */
function inTurns(members: readonly Member[], first: 'api' | 'worker'): Member[] {
  const of = (role: 'api' | 'worker') => members.filter((member) => member.role === role);
  const others = of(first === 'api' ? 'worker' : 'api');
  return of(first).flatMap((member, index) => [member, ...others.slice(index, index + 1)]);
}

const endedIn = (ledger: Ledger): number => ledger.jobs.size - ledger.unfinished().length;

async function watchProgress(
  { jobs, onProgress }: RollingUpgradeOptions,
  { ledger, stuck }: Stage,
  signal: AbortSignal,
): Promise<void> {
  let [lastEnded, lastChangeAt] = [0, performance.now()];
  while (!signal.aborted) {
    await pause(progressEverySeconds * 1000, undefined, { signal }).catch(() => {});
    const ended = endedIn(ledger);
    if (ended !== lastEnded) lastChangeAt = performance.now();
    lastEnded = ended;
    onProgress(
      `${ledger.jobs.size} of ${jobs} acknowledged, ${ended} ended, problems: ${ledger.problems.length}`,
    );
    if (performance.now() - lastChangeAt < maxIdleSeconds * 1000) continue;
    ledger.complain(`no job has ended for ${maxIdleSeconds} s`);
    stuck.abort(new Error('The rest is stuck.'));
    return;
  }
}
