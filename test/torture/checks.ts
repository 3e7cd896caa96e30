/** Compares the running service with the ledger, and at the end archives, files and processes with the records. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { ApiKey, DocyardClient, ExportJob, Project } from '@docyard/api';
import { downloadBundle } from '@docyard/api/download';
import { temporaryFolder, type Service } from '../service.ts';
import type { Chance } from './seeded-random.ts';
import type { Ledger } from './ledger.ts';
import { isFinal } from './operations.ts';

/** Everything acknowledged before the last kill. Only the worker may be active meanwhile. */
export async function checkAcknowledged(service: Service, ledger: Ledger, chance: Chance): Promise<void> {
  const askedAt = ledger.moment();
  ledger.checkJobs(await listAll(service.client, 'listExports'), askedAt);
  ledger.checkKeys(await listAll(service.client, 'listKeys'));
  ledger.checkProjects(await listAll(service.client, 'listProjects'));
  for (const { text, name, revocation } of chance.shuffled([...ledger.keys.values()]).slice(0, 4)) {
    const response = await service.request('/v1/me', { headers: { authorization: `Bearer ${text}` } });
    const expected = revocation === 'acknowledged' ? 401 : 200;
    if (revocation !== 'asked' && response.status !== expected) {
      ledger.complain('other', `the key ${name} is answered ${response.status}, not ${expected}`);
    }
  }
}

/** Resolves with the jobs that did not end in time. */
export async function waitForAll(service: Service, ledger: Ledger, seconds: number): Promise<ExportJob[]> {
  for (const deadline = Date.now() + seconds * 1000; ;) {
    const askedAt = ledger.moment();
    const jobs = await listAll(service.client, 'listExports');
    for (const job of jobs) ledger.observe(job, askedAt);
    const unfinished = jobs.filter(({ status }) => !isFinal(status));
    if (unfinished.length === 0 || Date.now() > deadline) return unfinished;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

/** Downloads every bundle; returns the number of intact ones. */
export async function checkArchives(service: Service, ledger: Ledger): Promise<number> {
  const folder = temporaryFolder('archives');
  let whole = 0;
  for (const job of await listAll(service.client, 'listExports')) {
    if (job.status !== 'completed') continue;
    const complaint = await checkArchive(service.client, job, folder).catch((error: unknown) =>
      String(error),
    );
    if (complaint === undefined) whole += 1;
    else ledger.complain('torn', `${job.jobId}: ${complaint}`);
  }
  return whole;
}

/** The download verifies the SHA-256 of the link. */
async function checkArchive(
  client: DocyardClient,
  job: ExportJob,
  folder: string,
): Promise<string | undefined> {
  const archive = join(folder, 'bundle.tar.gz');
  const unpacked = join(folder, 'unpacked');
  mkdirSync(unpacked);
  try {
    const bundle = await downloadBundle(client, job.jobId, archive);
    if (bundle.sha256 !== job.bundle?.sha256) return 'the link and the job record name different hashes';
    if (statSync(archive).size !== job.bundle.sizeBytes) return 'the size is not that of the record';
    const ended = spawnSync('tar', ['-xzf', archive, '-C', unpacked], { encoding: 'utf8' });
    if (ended.status !== 0) return `tar: ${ended.stderr}`;
    const files = readdirSync(unpacked, { recursive: true, withFileTypes: true }).filter((file) =>
      file.isFile(),
    );
    if (files.length !== job.bundle.fileCount) return `${files.length} of ${job.bundle.fileCount} files`;
    return undefined;
  } finally {
    rmSync(unpacked, { recursive: true, force: true });
    rmSync(archive, { force: true });
  }
}

/** An idle service keeps one attempt with three files for each completed job. */
export async function checkLeftovers(service: Service, ledger: Ledger): Promise<void> {
  const jobs = await listAll(service.client, 'listExports');
  const expected = new Set(
    jobs
      .filter(({ status }) => status === 'completed')
      .flatMap(({ jobId, attempt }) =>
        ['bundle.tar.gz', 'manifest.json', 'report.json'].map((file) => `blobs/${jobId}/${attempt}/${file}`),
      ),
  );
  let found: string[] = [];
  // The sweep starts with the service and may take a moment.
  for (const deadline = Date.now() + 5000; Date.now() < deadline;) {
    found = [...filesBelow(service.dataDir, 'blobs'), ...filesBelow(service.dataDir, 'work')];
    if (found.every((file) => expected.has(file))) break;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const surplus = found.filter((file) => !expected.has(file));
  for (const file of surplus) {
    const second = file.endsWith('bundle.tar.gz') ? 'duplicated' : 'other';
    ledger.complain(second, `left behind: ${file}`);
  }
  const there = new Set(found);
  for (const file of expected) if (!there.has(file)) ledger.complain('torn', `missing: ${file}`);
  const temporary = readdirSync(service.dataDir).filter((name) => name.endsWith('.tmp'));
  for (const name of temporary) ledger.complain('other', `left behind: ${name}`);
}

function filesBelow(dataDir: string, name: string): string[] {
  return readdirSync(join(dataDir, name), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(dataDir.length + 1));
}

interface Listed {
  listExports: ExportJob;
  listKeys: ApiKey;
  listProjects: Project;
}

async function listAll<Id extends keyof Listed>(client: DocyardClient, id: Id): Promise<Listed[Id][]> {
  const all: unknown[] = [];
  let cursor: string | undefined;
  do {
    const query = { limit: 100, ...(cursor === undefined ? {} : { cursor }) };
    const page = await client.call(id as 'listExports', { query });
    all.push(...page.data);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return all as Listed[Id][];
}
