/** Organizations and their plans. Only the operator creates them, with the CLI. */
import type { Plan } from '@docyard/api';
import type { Selectable } from 'kysely';
import { recordAudit } from '../audit/audit.ts';
import { nowText, type Context } from '../context.ts';
import { newId } from '../ids.ts';
import { inTransaction, type OrganizationRow } from '../ports/database.ts';
import { Problem } from '../problem.ts';

export type Organization = Selectable<OrganizationRow>;

type OrganizationContext = Pick<Context, 'database' | 'clock'>;

export async function createOrganization(
  context: OrganizationContext,
  input: { name: string; plan: Plan; localSources: boolean },
): Promise<Organization> {
  return inTransaction(context.database, async (database) => {
    const row = await database
      .insertInto('organizations')
      .values({
        id: newId('org'),
        name: input.name,
        plan: input.plan,
        local_sources: input.localSources ? 1 : 0,
        created_at: nowText(context),
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    await recordAudit(
      { ...context, database },
      { actor: operator(row.id), action: 'organization.create', object: row.id, details: { plan: row.plan } },
    );
    return row;
  });
}

export async function listOrganizations(context: Pick<Context, 'database'>): Promise<Organization[]> {
  return context.database
    .selectFrom('organizations')
    .selectAll()
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

export async function planOf(
  { database }: Pick<Context, 'database'>,
  organizationId: string,
): Promise<Plan | undefined> {
  const row = await database
    .selectFrom('organizations')
    .select('plan')
    .where('id', '=', organizationId)
    .executeTakeFirst();
  return row?.plan as Plan | undefined;
}

export async function setPlan(
  context: OrganizationContext,
  input: { id: string; plan: Plan },
): Promise<Organization> {
  return inTransaction(context.database, async (database) => {
    const row = await database
      .updateTable('organizations')
      .set({ plan: input.plan })
      .where('id', '=', input.id)
      .returningAll()
      .executeTakeFirst();
    if (row === undefined) {
      throw new Problem(
        'not_found',
        `There is no organization ${input.id}. List them with docyard orgs list.`,
      );
    }
    await recordAudit(
      { ...context, database },
      { actor: operator(row.id), action: 'organization.plan', object: row.id, details: { plan: row.plan } },
    );
    return row;
  });
}

function operator(organizationId: string) {
  return { organizationId, projectId: null, name: 'cli', address: null, requestId: null };
}
