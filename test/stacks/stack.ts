/**
 * What the program can stand on: the embedded default in one process, or PostgreSQL and S3 with processes for requests
 * and for work. A test that runs on each of them holds for both.
 */
import { postgresMissing, startPostgres } from '../postgres.ts';
import { rgwMissing, startRgw } from '../rgw.ts';

export interface Stack {
  /** For every process that belongs to it. */
  environment: Record<string, string>;
  /** One process each; undefined is one that does everything. */
  roles: readonly ('api' | 'worker' | undefined)[];
  remove(): Promise<void>;
}

interface StackKind {
  name: string;
  /** Why it cannot be had here. */
  missing: string | undefined;
  start(): Promise<Stack>;
}

export const stacks: readonly StackKind[] = [
  {
    name: 'SQLite and a folder',
    missing: undefined,
    start: async () => ({ environment: {}, roles: [undefined], remove: async () => {} }),
  },
  { name: 'PostgreSQL and S3', missing: postgresMissing ?? rgwMissing, start: startServers },
];

async function startServers(): Promise<Stack> {
  const [postgres, rgw] = await Promise.all([startPostgres(), startRgw()]);
  return {
    environment: {
      ...rgw.credentials,
      DATABASE_URL: await postgres.createDatabase(),
      BLOBS_URL: await rgw.createBucket(),
      SECRET_KEY: 'the same for every process of this stack',
    },
    roles: ['api', 'worker'],
    async remove() {
      await Promise.all([postgres.remove(), rgw.remove()]);
    },
  };
}
