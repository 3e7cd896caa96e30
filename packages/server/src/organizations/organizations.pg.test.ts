/** Organizations: made by the operator, with a plan that can change, and each step in the audit log. */
import { expect, test } from 'vitest';
import { listAuditLog } from '../audit/audit.ts';
import { composeForTest } from '../../test/support/test-context.ts';
import { createOrganization, listOrganizations, setPlan } from './organizations.ts';

test('organizations are listed in the order they were made', async () => {
  const context = await composeForTest();
  const first = await createOrganization(context, { name: 'First', plan: 'enterprise', localSources: true });
  context.clock.advance(1);
  const second = await createOrganization(context, { name: 'Second', plan: 'free', localSources: false });
  expect(first).toEqual({
    id: expect.stringMatching(/^org_[0-9a-f]{16}$/) as string,
    name: 'First',
    plan: 'enterprise',
    local_sources: 1,
    created_at: '2026-03-01T12:00:00.000Z',
  });
  expect(second.local_sources).toBe(0);
  expect(await listOrganizations(context)).toEqual([first, second]);
});

test('a plan is changed for one organization only, and the log says so', async () => {
  const context = await composeForTest();
  const first = await createOrganization(context, { name: 'First', plan: 'free', localSources: false });
  const second = await createOrganization(context, { name: 'Second', plan: 'free', localSources: false });
  expect(await setPlan(context, { id: first.id, plan: 'enterprise' })).toMatchObject({ plan: 'enterprise' });
  const plans = (await listOrganizations(context)).map(({ id, plan }) => [id, plan]);
  expect(Object.fromEntries(plans)).toEqual({ [first.id]: 'enterprise', [second.id]: 'free' });
  expect((await listAuditLog(context, { organizationId: first.id })).data).toMatchObject([
    { action: 'organization.plan', actor: 'cli', object: first.id, details: { plan: 'enterprise' } },
    { action: 'organization.create', details: { plan: 'free' } },
  ]);
});

test('the plan of an unknown organization cannot be set', async () => {
  const context = await composeForTest();
  await expect(setPlan(context, { id: 'org_none', plan: 'pro' })).rejects.toMatchObject({
    code: 'not_found',
    message: expect.stringContaining('docyard orgs list') as string,
  });
});
