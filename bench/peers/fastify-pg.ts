/**
 * A minimal status server for comparison: Fastify, a PostgreSQL pool and one prepared, indexed select per request. No keys,
 * limits or cache.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { installed, writeFiles } from './peer.ts';

export interface PeerServer {
  port: number;
  pid: number;
  stop(): void;
}

/** The columns of the response, with 10,000 rows. */
export const plainTable = `
  create table jobs (
    id text primary key, status text not null, phase text not null, progress float8 not null,
    page_count int not null, total_pages int, domain text not null, project_id text not null, attempt int not null,
    source text not null, created_at text not null, updated_at text not null, started_at text, finished_at text
  );
  insert into jobs select 'se_' || n, 'running', 'rendering', 40, 12, 30, 'docs.example.com', 'pr_1', 1,
    '{"repository":"https://git.example.com/docs.git","ref":"main","commit":"0123456789abcdef0123456789abcdef01234567"}',
    '2026-03-01T12:00:00.000Z', '2026-03-01T12:00:01.000Z', '2026-03-01T12:00:00.500Z', null
  from generate_series(1, 10000) as n;
  analyze jobs;`;

const server = `import Fastify from 'fastify';
import pg from 'pg';
const pool = new pg.Pool({ connectionString: process.argv[2], max: 10 });
const text = 'select * from jobs where id = $1';
const app = Fastify();
app.get('/v1/static-export/jobs/:id', async (request, reply) => {
  const { rows } = await pool.query({ name: 'job', text, values: [request.params.id] });
  const job = rows[0];
  if (job === undefined) return reply.code(404).send({ error: 'There is no such job.' });
  return {
    jobId: job.id, status: job.status, phase: job.phase, progress: job.progress, pageCount: job.page_count,
    totalPages: job.total_pages, domain: job.domain, projectId: job.project_id, attempt: job.attempt,
    source: JSON.parse(job.source), createdAt: job.created_at, updatedAt: job.updated_at,
    startedAt: job.started_at, finishedAt: job.finished_at,
  };
});
await app.listen({ port: 0, host: '127.0.0.1' });
console.log(app.server.address().port);
`;

export async function startFastify(databaseUrl: string): Promise<PeerServer> {
  const folder = installed('fastify-pg', { packages: ['fastify@5', 'pg@8'] });
  writeFiles(folder, { 'server.js': server });
  const child = spawn(process.execPath, [join(folder, 'server.js'), databaseUrl], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  process.once('exit', () => child.kill());
  const port = await new Promise<number>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`Fastify ended with ${code}.`)));
    child.stdout.setEncoding('utf8').once('data', (line: string) => resolve(Number(line)));
  });
  return { port, pid: child.pid ?? 0, stop: () => void child.kill() };
}
