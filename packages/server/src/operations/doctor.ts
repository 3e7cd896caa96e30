/**
 * Looks at everything an installation needs and says what is wrong with it and what to do. It changes nothing: a
 * database is not brought up to date, and what it writes to try a store it removes again.
 */
import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, readFile, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import { adviceAbout, alsoAllowing, policyFor } from '../egress/rules.ts';
import { listMigrations, openBlobs, openTables } from '../compose.ts';
import type { Config } from '../config.ts';
import { addressesFor } from '../egress/addresses.ts';
import { guardedFetch } from '../egress/guarded-fetch.ts';
import { peerFetch } from '@docyard/site/network';
import type { Database } from '../ports/database.ts';
import { leastLevel } from '../rendering/custom-code.ts';
import { findIsolation } from '../rendering/isolation.ts';
import { judgeSecrets } from '../secrets.ts';
import { freeSpace } from './checks.ts';

export interface Finding {
  check: string;
  /** A note is worth knowing; only a failure keeps the service from its work. */
  outcome: 'ok' | 'note' | 'failed';
  message: string;
  remedy?: string;
}

type Verdict = Omit<Finding, 'check'>;
type Look = (config: Config, database: Database | undefined) => Promise<Verdict>;

const ok = (message: string): Verdict => ({ outcome: 'ok', message });
const note = (message: string, remedy?: string): Verdict => ({
  outcome: 'note',
  message,
  ...(remedy === undefined ? {} : { remedy }),
});
const failed = (message: string, remedy: string): Verdict => ({ outcome: 'failed', message, remedy });

const answerSeconds = 5;

/** In the order in which they should be put right. */
const looks: Record<string, Look> = {
  node: lookAtNode,
  git: lookAtGit,
  'data folder': lookAtFolder,
  disk: lookAtDisk,
  database: lookAtDatabase,
  tables: lookAtTables,
  secrets: lookAtSecrets,
  bundles: lookAtBundles,
  clock: lookAtClock,
  address: lookAtAddress,
  'open files': lookAtOpenFiles,
  egress: lookAtEgress,
  model: lookAtModel,
  isolation: lookAtIsolation,
  sandbox: lookAtSandbox,
};

export async function examine(config: Config): Promise<Finding[]> {
  const opened = await openAsItIs(config);
  try {
    const findings: Finding[] = [];
    for (const [check, look] of Object.entries(looks)) {
      const verdict = await look(config, opened).catch((error: unknown) =>
        failed(reasonOf(error), 'This could not be looked at; the message says why.'),
      );
      findings.push({ check, ...verdict });
    }
    return findings;
  } finally {
    await opened?.destroy();
  }
}

/** Undefined when it cannot be opened; `lookAtDatabase` says why. */
async function openAsItIs(config: Config): Promise<Database | undefined> {
  if (config.databaseUrl === null && !(await exists(databaseFile(config)))) return undefined;
  return openTables(config, { asItIs: true }).catch(() => undefined);
}

async function lookAtNode(): Promise<Verdict> {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const good = major > 22 || (major === 22 && minor >= 18);
  if (good) return ok(process.version);
  return failed(process.version, 'Use Node 22.18 or newer; npm ci brings a fitting one.');
}

async function lookAtGit(): Promise<Verdict> {
  const { stdout } = await promisify(execFile)('git', ['--version']).catch(() => ({ stdout: '' }));
  if (stdout === '') return failed('git cannot be started.', 'Install git; sources are fetched with it.');
  return ok(stdout.trim().replace('git version ', ''));
}

async function lookAtFolder({ dataDir }: Config): Promise<Verdict> {
  const found = await stat(dataDir).catch(() => undefined);
  if (found === undefined) return note(`${dataDir} is not there yet.`, 'The first start makes it.');
  const choose = 'Make it writable for the user of the service, or choose another with DATA_DIR.';
  if (!found.isDirectory()) return failed(`${dataDir} is no folder.`, choose);
  try {
    await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    return failed(`${dataDir} cannot be written.`, choose);
  }
  if ((found.mode & 0o077) === 0) return ok(dataDir);
  return note(`${dataDir} can be entered by other users of this machine.`, `chmod 700 ${dataDir}`);
}

async function lookAtDisk({ dataDir }: Config): Promise<Verdict> {
  const free = await freeSpace((await exists(dataDir)) ? dataDir : '.').catch((error: Error) => error);
  if (free instanceof Error)
    return failed(free.message, 'Free some space, or shorten RETENTION_DAYS and RETENTION_EXPORTS.');
  return free.startsWith('low') ? note(free, 'Exports need space for the site and its bundle.') : ok(free);
}

async function lookAtDatabase(config: Config, database: Database | undefined): Promise<Verdict> {
  if (config.databaseUrl === null) return lookAtSqlite(config, database);
  const { host } = new URL(config.databaseUrl);
  if (database === undefined) {
    const error = await openTables(config, { asItIs: true }).catch((reason: unknown) => reason);
    return failed(reasonOf(error), `Check DATABASE_URL and that PostgreSQL at ${host} lets this machine in.`);
  }
  const shown = sql<{ server_version: string }>`show server_version`;
  return ok(`PostgreSQL ${(await shown.execute(database)).rows[0]?.server_version} at ${host}`);
}

async function lookAtSqlite(config: Config, database: Database | undefined): Promise<Verdict> {
  const repair = 'Stop the service, and restore a backup with docyard restore.';
  if (database === undefined) {
    return (await exists(databaseFile(config)))
      ? failed('SQLite cannot be opened: the file is no database.', repair)
      : note('SQLite, not made yet.', 'The first start makes it.');
  }
  const check = sql<Record<string, string>>`pragma quick_check(1)`;
  const [result] = Object.values((await check.execute(database)).rows[0] ?? {});
  return result === 'ok' ? ok('SQLite, whole') : failed(`SQLite is damaged: ${result}`, repair);
}

async function lookAtTables(_config: Config, database: Database | undefined): Promise<Verdict> {
  if (database === undefined) return note('There is no database to look at.');
  const { known, newer } = await listMigrations(database);
  if (newer.length > 0)
    return failed(`A newer version has changed them (${newer.join(', ')}).`, 'Start that version instead.');
  const pending = known.filter(({ appliedAt }) => appliedAt === null);
  if (pending.length === 0) return ok('up to date');
  return note(
    `${pending.length} of ${known.length} steps are to do.`,
    'The next start does them; docyard migrate --plan lists them.',
  );
}

async function lookAtSecrets(config: Config, database: Database | undefined): Promise<Verdict> {
  const from = config.secretKey === null ? 'secrets.json' : 'SECRET_KEY';
  switch (await judgeSecrets(config, database)) {
    case 'fit':
      return ok(`those of this database, from ${from}`);
    case 'unproven':
      return note(`${from}, not used with a database yet.`);
    case 'none':
      return note('None yet.', 'The first start makes them, in secrets.json.');
    case 'other':
      return failed(
        `${from} did not set up this database.`,
        'Give every process the SECRET_KEY of the first one, or SECRET_KEY_FILE with a copy of its secrets.json.',
      );
  }
}

/** Writes, reads and removes a small object, as an export would. */
async function lookAtBundles(config: Config): Promise<Verdict> {
  const place = config.blobsUrl === null ? 'the data folder' : config.blobsUrl.replace(/\?.*$/s, '');
  if (config.blobsUrl === null && !(await exists(config.dataDir)))
    return note('None yet.', 'The first start makes the folder.');
  const name = `doctor/${process.pid}/probe.json`;
  try {
    const blobs = await openBlobs(config);
    const written = Buffer.from('{}');
    await blobs.putBytes(name, written, AbortSignal.timeout(answerSeconds * 2000));
    const read = await blobs.readBytes(name);
    await blobs.removeAll('doctor');
    if (written.equals(read)) return ok(`in ${place}`);
    return failed(`What was written to ${place} came back otherwise.`, 'Choose another BLOBS_URL.');
  } catch (error) {
    const remedy =
      config.blobsUrl?.startsWith('s3:') === true
        ? 'Check BLOBS_URL, the bucket, and the credentials: AWS_ACCESS_KEY_ID and the like. They must allow reading, writing, listing and deleting.'
        : 'Make the folder writable for the user of the service.';
    return failed(reasonOf(error), remedy);
  }
}

/** Links, leases and signatures depend on it. Only a database on another machine can tell. */
async function lookAtClock(config: Config, database: Database | undefined): Promise<Verdict> {
  const now = new Date();
  if (now.getUTCFullYear() < 2025) return failed(now.toISOString(), 'Set the clock of this machine.');
  if (config.databaseUrl === null || database === undefined) return ok(now.toISOString());
  const before = Date.now();
  const asked = sql<{ now: Date }>`select clock_timestamp() as now`;
  const there = (await asked.execute(database)).rows[0]?.now.getTime() ?? 0;
  const apart = Math.max(0, before - there, there - Date.now()) / 1000;
  if (apart < 2) return ok('as that of the database');
  return failed(`${apart.toFixed(1)} s apart from that of the database.`, 'Let both machines use NTP.');
}

async function lookAtAddress({ publicUrl, host, port, egress }: Config): Promise<Verdict> {
  if (publicUrl === null) {
    const isNear = host === '127.0.0.1' || host === 'localhost' || host === '::1';
    if (isNear) return ok(`${host}:${port}, for this machine only`);
    return note(
      'PUBLIC_URL is not set.',
      'Set it, so that links do not depend on the Host header of requests.',
    );
  }
  const signal = AbortSignal.timeout(answerSeconds * 1000);
  const answer = await peerFetch(egress)(`${publicUrl}/healthz`, { signal })
    .then((response) => response.json() as Promise<{ status?: unknown }>)
    .catch(() => undefined);
  if (answer?.status !== 'ok')
    return note(`${publicUrl} does not answer.`, 'That is right while the service is stopped.');
  const isPlain = publicUrl.startsWith('http:') && !/^http:\/\/(localhost|127\.)/.test(publicUrl);
  if (isPlain) return note(`${publicUrl} answers without encryption.`, 'Put a proxy with TLS before it.');
  return ok(`${publicUrl} answers`);
}

async function lookAtOpenFiles({ limits }: Config): Promise<Verdict> {
  const text = await readFile('/proc/self/limits', 'utf8').catch(() => '');
  const [, most] = /^Max open files +(\d+)/m.exec(text) ?? [];
  if (most === undefined) return ok('not limited, or not told by this system');
  if (Number(most) > limits.connections) return ok(`${most} may be open`);
  return note(
    `${most} may be open, and LIMIT_CONNECTIONS is ${limits.connections}.`,
    'Raise the limit (ulimit -n, or LimitNOFILE of systemd), or lower LIMIT_CONNECTIONS.',
  );
}

/** Whether the hosts of the repositories are known and may be reached; nothing is fetched. */
async function lookAtEgress({ egress }: Config, database: Database | undefined): Promise<Verdict> {
  if (egress.offline) return note('OFFLINE is on: nothing but this machine is reached.');
  const rows = await database?.selectFrom('projects').select('repository').limit(1000).execute();
  const hosts = new Map(
    (rows ?? []).flatMap(({ repository }) => {
      const url = URL.canParse(repository) ? new URL(repository) : undefined;
      return url?.protocol.startsWith('http') === true ? [[url.host, url] as const] : [];
    }),
  );
  const refused: string[] = [];
  for (const [host, url] of [...hosts].slice(0, 50)) {
    await addressesFor(url, policyFor(egress, 'source')).catch((error: unknown) =>
      refused.push(`${host}: ${reasonOf(error)}`),
    );
  }
  const advice = adviceAbout(egress);
  if (refused.length === 0 && advice !== undefined) return note(advice);
  if (refused.length === 0)
    return ok(hosts.size === 0 ? 'no hosts to reach yet' : `${hosts.size} hosts known`);
  return failed(
    refused.join(' '),
    'Check the name server, or allow the host in EGRESS_ALLOW, for example source+forge:git.internal.',
  );
}

async function lookAtModel({ model, egress }: Config): Promise<Verdict> {
  if (model === null)
    return note(
      'There is none for all projects.',
      'Agent jobs need MODEL_URL, or an endpoint of the project.',
    );
  const url = new URL(model.url);
  const policy = alsoAllowing(policyFor(egress, 'model'), model.url);
  await addressesFor(url, policy);
  const limits = { bytes: 1_000_000, idleSeconds: answerSeconds };
  const answers = await guardedFetch(
    policy,
    limits,
  )(url).then(
    () => true,
    () => false,
  );
  if (answers) return ok(`${url.host} answers`);
  return failed(`${url.host} does not answer.`, 'Check MODEL_URL and what lies between.');
}

async function lookAtIsolation(config: Config, database: Database | undefined): Promise<Verdict> {
  const { level, statement, complaint } = await findIsolation();
  const told = `level ${level} of 3. ${statement}`;
  if (level === 3) return ok(told);
  const remedy = `${complaint === null ? '' : `${complaint.trim().slice(-300)} `}The manual's page on isolation says what is needed.`;
  const least = database === undefined ? config.renderIsolationMin : await leastLevel({ config, database });
  if (least === null || level >= least) return note(told, remedy);
  return note(`${told} Pages whose code would have to run are refused: that needs level ${least}.`, remedy);
}

async function lookAtSandbox({ agentCommand }: Config): Promise<Verdict> {
  if (agentCommand === null) return ok('not needed: the built-in engine runs no foreign program');
  const { whySandboxFails } = await import('../agent/engine/sandbox.ts');
  const reason = await whySandboxFails(tmpdir());
  if (reason === undefined) return ok('holds');
  return failed(reason, 'Install bubblewrap and allow unprivileged user namespaces, or unset AGENT_COMMAND.');
}

function databaseFile({ dataDir }: Config): string {
  return join(dataDir, 'docyard.db');
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
