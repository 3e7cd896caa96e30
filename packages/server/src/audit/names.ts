/** Names of the actors and objects of audit entries, including deleted ones. */
import type { Database } from '../ports/database.ts';

type Names = Map<string, string>;

/** Names of keys by id and of users by email. Unknown actors are left out. */
export async function namesOfActors(
  database: Database,
  organizationId: string,
  actors: readonly string[],
): Promise<Names> {
  const emails = [...new Set(actors)].filter((actor) => actor.includes('@'));
  const users =
    emails.length === 0
      ? []
      : await database
          .selectFrom('people')
          .select(['email', 'name'])
          .where('organization_id', '=', organizationId)
          .where('email', 'in', emails)
          .where('name', '!=', '')
          .execute();
  const keys = await namesOfObjects(
    database,
    organizationId,
    actors.filter((actor) => actor.startsWith('key_')),
  );
  return new Map([...users.map(({ email, name }) => [email, name] as const), ...keys]);
}

export async function namesOfObjects(
  database: Database,
  organizationId: string,
  objects: readonly string[],
): Promise<Names> {
  const names: Names = new Map();
  const byKind = Map.groupBy(new Set(objects), (id) => id.slice(0, id.indexOf('_')));
  for (const [kind, ids] of byKind) {
    const read = readers[kind];
    if (read === undefined) continue;
    for (const [id, name] of await read(database, organizationId, ids)) names.set(id, name);
  }
  const missing = [...new Set(objects)].filter((id) => !names.has(id));
  for (const [id, name] of await recordedNames(database, organizationId, missing)) names.set(id, name);
  return names;
}

type ReadNames = (
  database: Database,
  organizationId: string,
  ids: string[],
) => Promise<(readonly [id: string, name: string])[]>;

const readers: Readonly<Record<string, ReadNames>> = {
  pr: named('projects'),
  key: named('api_keys'),
  se: readDomains,
  aj: readDomains,
  pe: async (database, organizationId, ids) => {
    const rows = await database
      .selectFrom('people')
      .select(['id', 'name', 'email'])
      .where('organization_id', '=', organizationId)
      .where('id', 'in', ids)
      .execute();
    return rows.map(({ id, name, email }) => [id, name === '' ? email : name]);
  },
  wh: async (database, organizationId, ids) => {
    const rows = await database
      .selectFrom('webhooks')
      .select(['id', 'url'])
      .where('organization_id', '=', organizationId)
      .where('id', 'in', ids)
      .execute();
    // The rest of the URL may contain a secret.
    return rows.map(({ id, url }) => [id, new URL(url).host]);
  },
  org: async (database, organizationId) => {
    const rows = await database
      .selectFrom('organizations')
      .select(['id', 'name'])
      .where('id', '=', organizationId)
      .execute();
    return rows.map(({ id, name }) => [id, name]);
  },
};

function named(table: 'projects' | 'api_keys'): ReadNames {
  return async (database, organizationId, ids) => {
    const rows = await database
      .selectFrom(table)
      .select(['id', 'name'])
      .where('organization_id', '=', organizationId)
      .where('id', 'in', ids)
      .execute();
    return rows.map(({ id, name }) => [id, name]);
  };
}

async function readDomains(
  database: Database,
  organizationId: string,
  ids: string[],
): Promise<(readonly [string, string])[]> {
  const rows = await database
    .selectFrom('jobs')
    .select(['id', 'domain'])
    .where('organization_id', '=', organizationId)
    .where('id', 'in', ids)
    .execute();
  return rows.map(({ id, domain }) => [id, domain]);
}

/** Actions whose details contain the name of their object. */
const namingActions = [
  'export.start',
  'key.create',
  'key.roll',
  'person.create',
  'person.invite',
  'person.remove',
  'project.create',
  'project.delete',
  'webhook.create',
];

async function recordedNames(
  database: Database,
  organizationId: string,
  objects: readonly string[],
): Promise<(readonly [string, string])[]> {
  if (objects.length === 0) return [];
  const entries = await database
    .selectFrom('audit_log')
    .select(['object', 'details'])
    .where('organization_id', '=', organizationId)
    .where('object', 'in', objects)
    .where('action', 'in', namingActions)
    .orderBy('sequence')
    .execute();
  return entries.flatMap(({ object, details }) => {
    const name = nameIn(JSON.parse(details) as Record<string, unknown>);
    return object === null || name === undefined ? [] : [[object, name] as const];
  });
}

function nameIn(details: Record<string, unknown>): string | undefined {
  const found = ['name', 'domain', 'email', 'host'].map((field) => details[field]);
  return found.find((value): value is string => typeof value === 'string' && value !== '');
}
