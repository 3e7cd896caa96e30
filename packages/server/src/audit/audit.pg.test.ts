/** The audit log: what was written stays as it was written, or it shows. */
import { describe, expect, test } from 'vitest';
import { createKey } from '../keys/keys.ts';
import { deleteProject, updateProject } from '../projects/projects.ts';
import {
  composeForTest,
  createTenant,
  createTestProject,
  present,
  type Tenant,
  type TestContext,
} from '../../test/support/test-context.ts';
import { eachAuditEntry, findBrokenEntry, listAuditLog, recordAudit, type AuditFilters } from './audit.ts';

async function setUp() {
  const context = await composeForTest();
  const { actor, organizationId } = await createTenant(context);
  for (let day = 1; day <= 5; day += 1) {
    context.clock.advance(86_400);
    await recordAudit(context, {
      actor: { ...actor, name: 'key_1', address: '203.0.113.7', requestId: `req_${day}` },
      action: 'export.start',
      object: `se_${day}`,
      details: { day },
    });
  }
  const rows = await context.database.selectFrom('audit_log').selectAll().orderBy('sequence').execute();
  return { context, actor, organizationId, rows };
}

test('entries are listed newest first with everything that was recorded', async () => {
  const { context, organizationId } = await setUp();
  const { data } = await listAuditLog(context, { organizationId, limit: 2 });
  expect(data).toMatchObject([
    {
      at: '2026-03-06T12:00:00.000Z',
      actor: 'key_1',
      action: 'export.start',
      object: 'se_5',
      address: '203.0.113.7',
      requestId: 'req_5',
      details: { day: 5 },
      hash: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    },
    { object: 'se_4' },
  ]);
});

test('entries can be asked for by area, action, actor, object and time', async () => {
  const { context, actor, organizationId } = await setUp();
  const ada = { ...actor, name: 'ada@example.com' };
  await recordAudit(context, { actor: ada, action: 'webhook.create', object: 'wh_9' });
  await recordAudit(context, { actor: ada, action: 'webhook.delete', object: 'wh_9' });
  const found = async (filters: AuditFilters) => {
    const { data } = await listAuditLog(context, { organizationId, limit: 100, ...filters });
    return data.map(({ action, object }) => `${action} ${object}`);
  };
  expect(await found({ action: 'webhook' })).toEqual(['webhook.delete wh_9', 'webhook.create wh_9']);
  expect(await found({ action: 'webhook.delete' })).toEqual(['webhook.delete wh_9']);
  expect(await found({ actor: 'ada@example.com', action: 'webhook.create' })).toEqual([
    'webhook.create wh_9',
  ]);
  expect(await found({ object: 'se_2' })).toEqual(['export.start se_2']);
  // The same moment in another zone.
  const between = { since: '2026-03-03T13:00:00+01:00', until: '2026-03-05T12:00:00Z' };
  expect(await found(between)).toEqual(['export.start se_3', 'export.start se_2']);
});

test('entries name their actor and object, also those that were deleted', async () => {
  const context = await composeForTest();
  const { actor, organizationId } = await createTenant(context);
  const key = await createKey(context, { name: 'Pipeline', scopes: ['read'], actor });
  const project = await createTestProject(context, { actor } as Tenant, { name: 'Handbook' });
  const ofKey = { ...actor, name: key.id };
  await updateProject(context, {
    projectId: project.id,
    change: { name: 'Handbook 2' },
    actor: ofKey,
    allowLocal: true,
  });
  await deleteProject(context, { projectId: project.id, actor: ofKey });
  await context.database.deleteFrom('api_keys').where('id', '=', key.id).execute();

  const { data } = await listAuditLog(context, { organizationId, object: project.id });
  expect(data.map(({ action, actorName, objectName }) => [action, actorName, objectName])).toEqual([
    ['project.delete', 'Pipeline', 'Handbook 2'],
    ['project.update', 'Pipeline', 'Handbook 2'],
    ['project.create', null, 'Handbook 2'],
  ]);
});

test('entries are found by the words in them and by the names of their actors', async () => {
  const { context, actor, organizationId } = await setUp();
  const key = await createKey(context, { name: 'Night build', scopes: ['read'], actor });
  await recordAudit(context, { actor: { ...actor, name: key.id }, action: 'export.cancel', object: 'se_7' });
  const found = async (filters: AuditFilters) => {
    const { data } = await listAuditLog(context, { organizationId, limit: 100, ...filters });
    return data.map(({ action, object }) => `${action} ${object}`);
  };
  expect(await found({ q: 'night cancel' })).toEqual(['export.cancel se_7']);
  expect(await found({ q: 'se_4' })).toEqual(['export.start se_4']);
  expect(await found({ q: 'se%4' })).toEqual([]);
  expect((await found({ q: 'export.start', sort: 'at' }))[0]).toBe('export.start se_1');
});

test('the whole log is read in parts, each entry once', async () => {
  const { context, organizationId, rows } = await setUp();
  const [{ id: _id, sequence: _sequence, ...row } = present(rows[0])] = rows;
  const copies = Array.from({ length: 1200 }, (_, index) => ({ ...row, id: `au_copy${index}` }));
  for (let from = 0; from < copies.length; from += 100)
    await context.database
      .insertInto('audit_log')
      .values(copies.slice(from, from + 100))
      .execute();
  const ids = new Set<string>();
  for await (const { id } of eachAuditEntry(context, { organizationId })) ids.add(id);
  expect(ids.size).toBe(rows.length + copies.length);
});

describe('the chain', () => {
  test('is whole, also when two organizations write by turns', async () => {
    const { context, actor, organizationId } = await setUp();
    const other = await createTenant(context, { name: 'Other' });
    for (let turn = 0; turn < 6; turn += 1) {
      const who = turn % 2 === 0 ? actor : other.actor;
      await recordAudit(context, { actor: who, action: 'turn', object: null });
    }
    expect(await findBrokenEntry(context, organizationId)).toBeUndefined();
    expect(await findBrokenEntry(context, other.organizationId)).toBeUndefined();
    const { data } = await listAuditLog(context, { organizationId: other.organizationId });
    expect(data).toHaveLength(5);
  });

  test('stays whole when entries are written at the same time', async () => {
    const { context, actor, organizationId } = await setUp();
    const writes = Array.from({ length: 20 }, (_, index) =>
      recordAudit(context, { actor, action: 'same time', object: String(index) }),
    );
    await Promise.all(writes);
    expect(await findBrokenEntry(context, organizationId)).toBeUndefined();
  });

  test.each(['at', 'actor', 'action', 'object', 'address', 'request_id', 'details', 'hash'] as const)(
    'shows a changed %s',
    async (column) => {
      const { context, organizationId, rows } = await setUp();
      const row = present(rows[3]);
      await change(context, row.id, { [column]: 'changed' });
      expect(await findBrokenEntry(context, organizationId)).toBe(row.id);
    },
  );

  test('shows a removed entry at the one that followed it', async () => {
    const { context, organizationId, rows } = await setUp();
    await context.database.deleteFrom('audit_log').where('id', '=', present(rows[2]).id).execute();
    expect(await findBrokenEntry(context, organizationId)).toBe(present(rows[3]).id);
  });

  test('shows two entries that changed places', async () => {
    const { context, organizationId, rows } = await setUp();
    const [first, second] = [present(rows[2]), present(rows[3])];
    const { sequence: _a, id: _idA, ...one } = first;
    const { sequence: _b, id: _idB, ...two } = second;
    await change(context, first.id, two);
    await change(context, second.id, one);
    expect(await findBrokenEntry(context, organizationId)).toBe(first.id);
  });
});

async function change(context: TestContext, id: string, values: Record<string, string | null>) {
  await context.database.updateTable('audit_log').set(values).where('id', '=', id).execute();
}
