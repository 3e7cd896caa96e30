/**
 * Checks everything an installation depends on and suggests fixes. It changes nothing: no migrations are applied, and
 * test objects are removed.
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
import { minLevel } from '../sandbox/custom-code.ts';
import { findIsolation } from '../sandbox/isolation.ts';
import { checkSecrets } from '../secrets.ts';
import { freeSpace } from './checks.ts';

export interface Finding {
  check: string;
  /** Only a failure prevents the service from working. */
  outcome: 'ok' | 'note' | 'failed';
  message: string;
  remedy?: string;
}

type Verdict = Omit<Finding, 'check'>;
type Check = (config: Config, database: Database | undefined) => Promise<Verdict>;

const ok = (message: string): Verdict => ({ outcome: 'ok', message });
const note = (message: string, remedy?: string): Verdict => ({
  outcome: 'note',
  message,
  ...(remedy === undefined ? {} : { remedy }),
});
const failed = (message: string, remedy: string): Verdict => ({ outcome: 'failed', message, remedy });

const answerSeconds = 5;

/** In the order in which problems should be fixed. */
const checks: Record<string, Check> = {
  node: checkNode,
  git: checkGit,
  'data folder': checkFolder,
  disk: checkDisk,
  database: checkDatabase,
  tables: checkTables,
  secrets: checkSecretKeys,
  bundles: checkBundles,
  clock: checkClock,
  address: checkAddress,
  'open files': checkOpenFiles,
  egress: checkEgress,
  model: checkModel,
  isolation: checkIsolation,
  sandbox: checkSandbox,
};

export async function examine(config: Config): Promise<Finding[]> {
  const opened = await openWithoutMigrating(config);
  try {
    const findings: Finding[] = [];
    for (const [check, look] of Object.entries(checks)) {
      const verdict = await look(config, opened).catch((error: unknown) =>
        failed(reasonOf(error), 'The check failed; see the message.'),
      );
      findings.push({ check, ...verdict });
    }
    return findings;
  } finally {
    await opened?.destroy();
  }
}

/** Undefined when the database cannot be opened; the database check reports the reason. */
async function openWithoutMigrating(config: Config): Promise<Database | undefined> {
  if (config.databaseUrl === null && !(await exists(databaseFile(config)))) return undefined;
  return openTables(config, { pending: 'leave' }).catch(() => undefined);
}

async function checkNode(): Promise<Verdict> {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const good = major > 22 || (major === 22 && minor >= 18);
  if (good) return ok(process.version);
  return failed(process.version, 'Use Node 22.18 or newer; npm ci installs one.');
}

async function checkGit(): Promise<Verdict> {
  const { stdout } = await promisify(execFile)('git', ['--version']).catch(() => ({ stdout: '' }));
  if (stdout === '') return failed('git was not found.', 'Install git, which fetches sources.');
  return ok(stdout.trim().replace('git version ', ''));
}

async function checkFolder({ dataDir }: Config): Promise<Verdict> {
  const found = await stat(dataDir).catch(() => undefined);
  if (found === undefined) return note(`${dataDir} does not exist yet.`, 'The first start creates it.');
  const choose =
    'Make it writable for the user of the service, or choose another folder with --data or DATA_DIR.';
  if (!found.isDirectory()) return failed(`${dataDir} is not a folder.`, choose);
  try {
    await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    return failed(`${dataDir} is not writable.`, choose);
  }
  if ((found.mode & 0o077) === 0) return ok(dataDir);
  return note(`${dataDir} is accessible to other users of this machine.`, `chmod 700 ${dataDir}`);
}

async function checkDisk({ dataDir }: Config): Promise<Verdict> {
  const free = await freeSpace((await exists(dataDir)) ? dataDir : '.').catch((error: Error) => error);
  if (free instanceof Error)
    return failed(free.message, 'Free some space, or lower RETENTION_DAYS and RETENTION_EXPORTS.');
  return free.startsWith('low') ? note(free, 'Exports need space for the site and its bundle.') : ok(free);
}

async function checkDatabase(config: Config, database: Database | undefined): Promise<Verdict> {
  if (config.databaseUrl === null) return checkSqlite(config, database);
  const { host } = new URL(config.databaseUrl);
  if (database === undefined) {
    const error = await openTables(config, { pending: 'leave' }).catch((reason: unknown) => reason);
    return failed(
      reasonOf(error),
      `Check DATABASE_URL and that PostgreSQL at ${host} accepts connections from this machine.`,
    );
  }
  const shown = sql<{ server_version: string }>`show server_version`;
  return ok(`PostgreSQL ${(await shown.execute(database)).rows[0]?.server_version} at ${host}`);
}

async function checkSqlite(config: Config, database: Database | undefined): Promise<Verdict> {
  const repair = 'Stop the service and restore a backup with docyard restore.';
  if (database === undefined) {
    return (await exists(databaseFile(config)))
      ? failed('Cannot open SQLite: the file is not a database.', repair)
      : note('SQLite, not created yet.', 'The first start creates it.');
  }
  const check = sql<Record<string, string>>`pragma quick_check(1)`;
  const [result] = Object.values((await check.execute(database)).rows[0] ?? {});
  return result === 'ok' ? ok('SQLite, intact') : failed(`SQLite is damaged: ${result}`, repair);
}

async function checkTables(_config: Config, database: Database | undefined): Promise<Verdict> {
  if (database === undefined) return note('There is no database yet.');
  const { known, newer } = await listMigrations(database);
  if (newer.length > 0)
    return failed(`A newer version has migrated them (${newer.join(', ')}).`, 'Start that version instead.');
  const pending = known.filter(({ appliedAt }) => appliedAt === null);
  if (pending.length === 0) return ok('up to date');
  return note(
    `${pending.length} of ${known.length} migrations are pending.`,
    'The next start applies them; docyard migrate --plan lists them.',
  );
}

async function checkSecretKeys(config: Config, database: Database | undefined): Promise<Verdict> {
  const from = config.secretKey === null ? 'secrets.json' : 'SECRET_KEY';
  switch (await checkSecrets(config, database)) {
    case 'fit':
      return ok(`match the database, from ${from}`);
    case 'unproven':
      return note(`from ${from}, not used with a database yet.`);
    case 'none':
      return note('None yet.', 'The first start creates them in secrets.json.');
    case 'other':
      return failed(
        `${from} does not belong to this database.`,
        'Give every process the SECRET_KEY of the first one, or SECRET_KEY_FILE with a copy of its secrets.json.',
      );
  }
}

/** Writes, reads and removes a small object, as an export does. */
async function checkBundles(config: Config): Promise<Verdict> {
  const place = config.blobsUrl === null ? 'the data folder' : config.blobsUrl.replace(/\?.*$/s, '');
  if (config.blobsUrl === null && !(await exists(config.dataDir)))
    return note('None yet.', 'The first start creates the folder.');
  const name = `doctor/${process.pid}/probe.json`;
  try {
    const blobs = await openBlobs(config);
    const written = Buffer.from('{}');
    await blobs.putBytes(name, written, AbortSignal.timeout(answerSeconds * 2000));
    const read = await blobs.readBytes(name);
    await blobs.removeAll('doctor');
    if (written.equals(read)) return ok(`in ${place}`);
    return failed(
      `An object written to ${place} was read back with other content.`,
      'Choose another BLOBS_URL.',
    );
  } catch (error) {
    const remedy =
      config.blobsUrl?.startsWith('s3:') === true
        ? 'Check BLOBS_URL, the bucket, and the credentials: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY. They must allow reading, writing, listing and deleting.'
        : 'Make the folder writable for the user of the service.';
    return failed(reasonOf(error), remedy);
  }
}

/** Links, leases and signatures depend on the clock. Only a database on another machine can be compared. */
async function checkClock(config: Config, database: Database | undefined): Promise<Verdict> {
  const now = new Date();
  if (now.getUTCFullYear() < 2025) return failed(now.toISOString(), 'Set the clock of this machine.');
  if (config.databaseUrl === null || database === undefined) return ok(now.toISOString());
  const before = Date.now();
  const query = sql<{ now: Date }>`select clock_timestamp() as now`;
  const there = (await query.execute(database)).rows[0]?.now.getTime() ?? 0;
  const apart = Math.max(0, before - there, there - Date.now()) / 1000;
  if (apart < 2) return ok('in sync with the database');
  return failed(`${apart.toFixed(1)} s off the clock of the database.`, 'Use NTP on both machines.');
}

async function checkAddress({ publicUrl, host, port, egress }: Config): Promise<Verdict> {
  if (publicUrl === null) {
    const isNear = host === '127.0.0.1' || host === 'localhost' || host === '::1';
    if (isNear) return ok(`${host}:${port}, local only`);
    return note(
      'PUBLIC_URL is not set.',
      'Set it so that links do not depend on the Host header of requests.',
    );
  }
  const signal = AbortSignal.timeout(answerSeconds * 1000);
  const answer = await peerFetch(egress)(`${publicUrl}/healthz`, { signal })
    .then((response) => response.json() as Promise<{ status?: unknown }>)
    .catch(() => undefined);
  if (answer?.status !== 'ok')
    return note(`${publicUrl} does not answer.`, 'This is expected while the service is stopped.');
  const isPlain = publicUrl.startsWith('http:') && !/^http:\/\/(localhost|127\.)/.test(publicUrl);
  if (isPlain) return note(`${publicUrl} is not encrypted.`, 'Use a proxy with TLS.');
  return ok(`${publicUrl} answers`);
}

async function checkOpenFiles({ limits }: Config): Promise<Verdict> {
  const text = await readFile('/proc/self/limits', 'utf8').catch(() => '');
  const [, maxOpenFiles] = /^Max open files +(\d+)/m.exec(text) ?? [];
  if (maxOpenFiles === undefined) return ok('unlimited, or not reported by this system');
  if (Number(maxOpenFiles) > limits.connections) return ok(`${maxOpenFiles} allowed`);
  return note(
    `${maxOpenFiles} allowed, but LIMIT_CONNECTIONS is ${limits.connections}.`,
    'Raise the limit (ulimit -n, or LimitNOFILE of systemd), or lower LIMIT_CONNECTIONS.',
  );
}

/** Checks that the hosts of the repositories resolve and are allowed. Fetches nothing. */
async function checkEgress({ egress }: Config, database: Database | undefined): Promise<Verdict> {
  if (egress.offline) return note('OFFLINE is on: only this machine is reachable.');
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
  if (refused.length === 0) return ok(hosts.size === 0 ? 'no hosts yet' : `${hosts.size} hosts resolve`);
  return failed(
    refused.join(' '),
    'Check DNS, or allow the host in EGRESS_ALLOW, for example source+forge:git.internal.',
  );
}

async function checkModel({ model, egress }: Config): Promise<Verdict> {
  if (model === null)
    return note('No default model endpoint.', 'Agent jobs need MODEL_URL or an endpoint of their project.');
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
  return failed(`${url.host} does not answer.`, 'Check MODEL_URL and the network.');
}

async function checkIsolation(config: Config, database: Database | undefined): Promise<Verdict> {
  const { level, statement, complaint } = await findIsolation();
  const message = `level ${level} of 3. ${statement}`;
  if (level === 3) return ok(message);
  const remedy = `${complaint === null ? '' : `${complaint.trim().slice(-300)} `}See the isolation page of the manual.`;
  const requiredLevel =
    database === undefined ? config.renderIsolationMin : await minLevel({ config, database });
  if (requiredLevel === null || level >= requiredLevel) return note(message, remedy);
  return note(`${message} Pages that run code are refused: they need level ${requiredLevel}.`, remedy);
}

async function checkSandbox({ agentCommand }: Config): Promise<Verdict> {
  if (agentCommand === null) return ok('not needed by the built-in engine');
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
