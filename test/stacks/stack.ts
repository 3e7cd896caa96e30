/** The supported stacks: one process with SQLite, or API and worker processes with PostgreSQL and S3. */
import { postgresMissing, startPostgres } from '../postgres.ts';
import { rgwMissing, startRgw } from '../rgw.ts';

export interface Stack {
  /** For every process of the stack. */
  environment: Record<string, string>;
  /** One process each; undefined is one that does everything. */
  roles: readonly ('api' | 'worker' | undefined)[];
  remove(): Promise<void>;
}

interface StackKind {
  name: string;
  /** Why it is not available here. */
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
