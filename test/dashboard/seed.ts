/** Writes the projects, exports and keys of a large customer directly into the database, because the API would take minutes. */
import { write } from '../contract/harness.ts';
import type { Service } from '../service.ts';

export interface SeedCounts {
  projects: number;
  exports: number;
  keys: number;
}

export const largeCounts: SeedCounts = { projects: 1000, exports: 5000, keys: 2000 };

export interface SeededProject {
  id: string;
  name: string;
  domain: string;
}

export interface Seeded {
  /** Oldest first; the API lists the newest first. */
  projects: SeededProject[];
  exportIds: string[];
  keyIds: string[];
}

/** Exports end as completed, failed or canceled, spread over all projects and the last 25 days. */
export async function seed(
  { client, dataDir }: Pick<Service, 'client' | 'dataDir'>,
  counts: SeedCounts = largeCounts,
): Promise<Seeded> {
  const { organization } = await client.call('readMe');
  const projects = Array.from({ length: counts.projects }, (_, index) => projectAt(index));
  const exports = Array.from({ length: counts.exports }, (_, index) =>
    exportAt(index, counts.exports, projects[index % projects.length] as SeededProject),
  );
  const keys = Array.from({ length: counts.keys }, (_, index) => keyAt(index, projects));
  const ofOrganization = (row: Row) => ({ ...row, organization_id: organization.id });
  write(
    dataDir,
    ...insertions('projects', projects.map(rowOfProject).map(ofOrganization)),
    ...insertions('jobs', exports.map(ofOrganization)),
    ...insertions('api_keys', keys.map(ofOrganization)),
  );
  return {
    projects,
    exportIds: exports.map(({ id }) => id),
    keyIds: keys.map(({ id }) => id),
  };
}

type Value = string | number | null;
type Row = Record<string, Value>;

const rowsAtOnce = 200;

function insertions(table: string, rows: readonly Row[]): string[] {
  const [first] = rows;
  if (first === undefined) return [];
  const columns = Object.keys(first);
  const lines = rows.map((row) => `(${columns.map((column) => literal(row[column] ?? null)).join(', ')})`);
  return Array.from({ length: Math.ceil(lines.length / rowsAtOnce) }, (_, chunk) => {
    const values = lines.slice(chunk * rowsAtOnce, (chunk + 1) * rowsAtOnce).join(',\n');
    return `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${values}`;
  });
}

function literal(value: Value): string {
  if (value === null) return 'NULL';
  return typeof value === 'number' ? String(value) : `'${value.replaceAll("'", "''")}'`;
}

const topics = ['Handbook', 'API reference', 'Runbook', 'Release notes', 'Style guide'];

function projectAt(index: number): SeededProject {
  const number = String(index + 1).padStart(4, '0');
  const topic = topics[index % topics.length] as string;
  return { id: idOf('pr', index), name: `${topic} ${number}`, domain: `docs-${number}.example.com` };
}

function rowOfProject({ id, name, domain }: SeededProject, index: number): Row {
  const at = momentBefore(40 * 24 * 60 - index);
  return {
    id,
    name,
    domain,
    repository: `https://git.example.com/docs/${domain}.git`,
    ref: 'main',
    directory: null,
    created_at: at,
    updated_at: at,
  };
}

const spanMinutes = 25 * 24 * 60;

function exportAt(index: number, count: number, project: SeededProject): Row & { id: string } {
  const createdMinutesAgo = Math.round(spanMinutes * (1 - index / count)) + 10;
  const at = momentBefore(createdMinutesAgo);
  const seconds = 5 + (index % 90);
  const finishedAt = new Date(Date.parse(at) + seconds * 1000).toISOString();
  const repository = `https://git.example.com/docs/${project.domain}.git`;
  return {
    id: idOf('se', index),
    kind: 'export',
    project_id: project.id,
    domain: project.domain,
    phase: 'done',
    total_pages: 40,
    attempt: 1,
    input: JSON.stringify({
      request: { domain: project.domain, version: `1.${index}` },
      source: { repository, ref: 'main', directory: null, allowLocal: false },
    }),
    source_commit: idOf('', index).slice(1).padEnd(40, 'c'),
    created_at: at,
    updated_at: finishedAt,
    started_at: at,
    finished_at: finishedAt,
    ...endingAt(index),
  };
}

function endingAt(index: number): Row {
  const place = index % 10;
  if (place < 7) {
    const bundle = { sizeBytes: 100_000 + index, sha256: 'a'.repeat(64), fileCount: 60 };
    const result = JSON.stringify({ bundle, warnings: place, errors: 0, attempt: 1 });
    return { status: 'completed', progress: 100, page_count: 40, result, failure: null, failure_code: null };
  }
  const failure =
    place === 9
      ? { code: 'canceled', message: 'The job was canceled.', retryable: true }
      : { code: 'config_invalid', message: 'docs.json is not valid JSON.', retryable: false };
  const whole = { ...failure, file: null, line: null, hint: null };
  return {
    status: 'failed',
    progress: 50,
    page_count: 12,
    result: null,
    failure: JSON.stringify(whole),
    failure_code: failure.code,
  };
}

/** One in four is limited to a project, one in ten is revoked. */
function keyAt(index: number, projects: readonly SeededProject[]): Row & { id: string } {
  const number = String(index + 1).padStart(4, '0');
  const at = momentBefore(spanMinutes - index);
  return {
    id: idOf('key', index),
    name: `Pipeline ${number}`,
    hash: `seeded-${number}`,
    prefix: 'docyard_seed',
    last4: number,
    scopes: '["read"]',
    allowed_addresses: '[]',
    created_at: at,
    expires_at: null,
    last_used_at: index % 3 === 0 ? momentBefore(index + 1) : null,
    revoked_at: index % 10 === 0 ? momentBefore(5) : null,
    rolled_from: null,
    project_id: index % 4 === 0 ? (projects[index % projects.length]?.id ?? null) : null,
  };
}

function idOf(kind: string, index: number): string {
  return `${kind}_${(index + 1).toString(16).padStart(16, '0')}`;
}

function momentBefore(minutes: number): string {
  return new Date(Date.now() - minutes * 60_000).toISOString();
}
