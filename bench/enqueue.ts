/**
 * Measures how many exports per second one API process accepts on PostgreSQL, for one organization and for several. No worker
 * runs.
 */
import { execFile } from 'node:child_process';
import { Agent, request } from 'node:http';
import { promisify } from 'node:util';
import { postgresMissing, startPostgres, type PostgresServer } from '../test/postgres.ts';
import { program, startService, temporaryFolder, type Service } from '../test/service.ts';
import { counted, percentile, rounded, verdict, type Measurement, type Verdict } from './measurement.ts';

const run = promisify(execFile);
const organizations = 8;
const connections = 64;
const warmUpMs = 2000;
const measureMs = 8000;
const targetPerSecond = 500;
const domain = 'docs.example.com';

interface Figures {
  name: string;
  perSecond: number;
  p50: number;
  p99: number;
  errors: number;
  statements: number;
}

export const enqueue: Measurement = {
  name: 'enqueue',
  about: 'exports per second that one API process accepts on PostgreSQL',
  async run(report) {
    if (postgresMissing !== undefined) throw new Error(postgresMissing);
    const postgres = await startPostgres({ durable: true });
    try {
      return await measureOn(postgres, report);
    } finally {
      await postgres.remove();
    }
  },
};

async function measureOn(postgres: PostgresServer, report: (progress: string) => void) {
  const environment = {
    DATABASE_URL: await postgres.createDatabase(),
    SECRET_KEY: 'a'.repeat(64),
    BLOBS_URL: `file://${temporaryFolder('blobs')}`,
    LIMIT_QUEUED_JOBS: '1000000',
  };
  const service = await startService({ role: 'api', sample: false, environment });
  try {
    report(`${organizations} organizations`);
    const keys = [service.key];
    while (keys.length < organizations) keys.push(await createOrganization(environment));
    for (const key of keys) await createProject(service, key);
    const figures: Figures[] = [];
    for (const used of [keys.slice(0, 1), keys]) {
      const name = used.length === 1 ? 'one organization' : `${used.length} organizations`;
      report(name);
      figures.push({ name, ...(await measure(service, used)) });
    }
    return {
      columns: ['', 'jobs/s', 'p50 ms', 'p99 ms', 'errors', 'statements a job'],
      rows: figures.map((each) => [
        each.name,
        Math.round(each.perSecond),
        rounded(each.p50),
        rounded(each.p99),
        each.errors,
        rounded(each.statements),
      ]),
      notes: [
        `POST /v1/static-export/jobs over ${connections} kept-alive connections, each sending the next request when it has its answer, for ${measureMs / 1000} s. PostgreSQL waits for the disk (fsync). The client, one API process and PostgreSQL share the cores.`,
      ],
      verdicts: [verdictOf(figures)],
    };
  } finally {
    await service.stop();
  }
}

function verdictOf(figures: readonly Figures[]): Verdict {
  const summary = figures.map(({ name, perSecond }) => `${counted(perSecond)} (${name})`).join(', ');
  const isMet = figures.every(({ perSecond }) => perSecond >= targetPerSecond);
  return verdict('Exports accepted per second on PostgreSQL', `${targetPerSecond}`, summary, isMet);
}

async function createOrganization(environment: Record<string, string>): Promise<string> {
  const docyard = async (...args: string[]): Promise<unknown> => {
    const env = { ...process.env, ...environment };
    const { stdout } = await run(process.execPath, [program, ...args, '--json'], { env });
    return JSON.parse(stdout);
  };
  const created = await docyard('orgs', 'create', '--name', 'Bench', '--plan', 'enterprise');
  const [{ id }] = created as [{ id: string }];
  return ((await docyard('keys', 'create', '--org', id, '--name', 'Bench')) as { key: string }).key;
}

async function createProject(service: Service, key: string): Promise<void> {
  const source = { repository: 'https://git.example.com/docs.git', ref: 'main' };
  const answer = await fetch(`${service.origin}/v1/projects`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Docs', domain, source }),
  });
  if (answer.status !== 201) throw new Error(`The project was not created: ${await answer.text()}`);
}

async function measure(service: Service, keys: readonly string[]): Promise<Omit<Figures, 'name'>> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  await startMany(service, keys, agent, warmUpMs);
  const before = await countStatements(service);
  const { latencies, errors, seconds } = await startMany(service, keys, agent, measureMs);
  const statements = ((await countStatements(service)) - before) / latencies.length;
  agent.destroy();
  return {
    perSecond: latencies.length / seconds,
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
    errors,
    statements,
  };
}

async function startMany(service: Service, keys: readonly string[], agent: Agent, forMs: number) {
  const latencies: number[] = [];
  let errors = 0;
  const began = performance.now();
  const one = async (connection: number) => {
    const key = keys[connection % keys.length] ?? '';
    while (performance.now() - began < forMs) {
      const sentAt = performance.now();
      if ((await startExport(service, key, agent)) === 202) latencies.push(performance.now() - sentAt);
      else errors += 1;
    }
  };
  await Promise.all(Array.from({ length: connections }, (_, connection) => one(connection)));
  return { latencies, errors, seconds: (performance.now() - began) / 1000 };
}

function startExport(service: Service, key: string, agent: Agent): Promise<number> {
  const body = JSON.stringify({ domain });
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'content-length': body.length,
    };
    const asked = request(`${service.origin}/v1/static-export/jobs`, { method: 'POST', agent, headers });
    asked.once('error', reject).once('response', (answer) => {
      answer.resume().once('end', () => resolve(answer.statusCode ?? 0));
    });
    asked.end(body);
  });
}

async function countStatements(service: Service): Promise<number> {
  const text = await (await service.request('/metrics')).text();
  const [, count] = /^docyard_database_query_duration_seconds_count(?:\{[^}]*\})? (\d+)$/m.exec(text) ?? [];
  if (count === undefined) throw new Error('The metrics do not contain the number of queries.');
  return Number(count);
}
