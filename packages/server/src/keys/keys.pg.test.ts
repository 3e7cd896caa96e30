/** API keys: creation, project limits, expiry, revocation and rolling. */
import { describe, expect, test } from 'vitest';
import { listAuditLog } from '../audit/audit.ts';
import {
  composeForTest,
  createTenant,
  createTestProject,
  everythingKept,
  present,
} from '../../test/support/test-context.ts';
import { createKey, listKeys, revokeKey, rollKey, type Granter } from './keys.ts';
import { authenticate, touchKey } from './authenticate.ts';

async function setUp() {
  const context = await composeForTest();
  const tenant = await createTenant(context);
  const { actor, organizationId } = tenant;
  const actions = async () =>
    (await listAuditLog(context, { organizationId })).data.map(({ action }) => action);
  const find = async (id: string) => {
    const { data } = await listKeys(context, { reach: actor });
    return present(data.find((key) => key.id === id));
  };
  return { context, tenant, actor, organizationId, actions, find };
}

describe('creating a key', () => {
  test('the key is returned once and not stored', async () => {
    const { context, actor, organizationId } = await setUp();
    const { key, ...view } = await createKey(context, { name: 'CI', actor });
    expect(await authenticate(context, key)).toMatchObject({
      id: view.id,
      key: { name: 'CI' },
      user: null,
      organizationId,
    });
    expect((await listKeys(context, { reach: actor })).data[0]).toEqual(view);
    const kept = everythingKept(context);
    expect(kept).toContain(view.id);
    expect(kept).not.toContain(key);
    expect(kept).not.toContain(key.slice(12, -4));
  });

  test('a key has read and write scopes for 90 days from every address by default', async () => {
    const { context, actor } = await setUp();
    const made = await createKey(context, { name: 'CI', actor });
    expect(made).toMatchObject({
      prefix: made.key.slice(0, 12),
      last4: made.key.slice(-4),
      scopes: ['read', 'write'],
      allowedAddresses: [],
      createdAt: '2026-03-01T12:00:00.000Z',
      expiresAt: '2026-05-30T12:00:00.000Z',
      lastUsedAt: null,
      revokedAt: null,
      rolledFrom: null,
      projectId: null,
    });
  });

  test('a key is refused with another pepper', async () => {
    const { context, tenant } = await setUp();
    const otherPepper = { ...context, secrets: { ...context.secrets, keyPepper: Buffer.alloc(32) } };
    expect(await authenticate(context, tenant.key.key)).toBeDefined();
    expect(await authenticate(otherPepper, tenant.key.key)).toBeUndefined();
  });

  test('a stored key with a deprecated scope is read with the current name', async () => {
    const { context, actor, find } = await setUp();
    const { id, key } = await createKey(context, { name: 'CI', actor });
    const scopes = JSON.stringify(['people:write']);
    await context.database.updateTable('api_keys').set({ scopes }).where('id', '=', id).execute();
    expect((await authenticate(context, key))?.scopes).toEqual(['users:write']);
    expect((await find(id)).scopes).toEqual(['users:write']);
    expect((await rollKey(context, { keyId: id, actor })).scopes).toEqual(['users:write']);
  });

  test('a key cannot have more scopes than the calling key', async () => {
    const { context, actor } = await setUp();
    const granter: Granter = { scopes: ['keys:write', 'exports:read'], allowedAddresses: [] };
    const made = await createKey(context, { name: 'Less', actor, granter, scopes: ['exports:read'] });
    expect(made.scopes).toEqual(['exports:read']);
    await expect(
      createKey(context, {
        name: 'More',
        actor,
        granter,
        scopes: ['exports:read', 'exports:write', 'read'],
      }),
    ).rejects.toMatchObject({
      code: 'invalid_request',
      details: [
        { path: 'scopes.1', message: 'The calling key does not have the scope exports:write.' },
        { path: 'scopes.2', message: 'The calling key does not have the scope read.' },
      ],
    });
    // The default scopes are read and write, so omitting them must not bypass the check.
    await expect(createKey(context, { name: 'More', actor, granter })).rejects.toThrow(
      'does not have the scope read',
    );
  });

  test('a key that is limited to addresses passes the limit to new keys and cannot widen it', async () => {
    const { context, actor, tenant } = await setUp();
    const granter: Granter = {
      scopes: ['read', 'write'],
      allowedAddresses: ['203.0.113.0/24', '2001:db8::1'],
    };
    const inherited = await createKey(context, { name: 'Same', actor, granter });
    expect(inherited.allowedAddresses).toEqual(granter.allowedAddresses);
    const narrower = { name: 'Less', actor, granter, allowedAddresses: ['2001:db8::1'] };
    expect((await createKey(context, narrower)).allowedAddresses).toEqual(['2001:db8::1']);
    for (const allowedAddresses of [[], ['198.51.100.7']]) {
      await expect(
        createKey(context, { name: 'More', actor, granter, allowedAddresses }),
      ).rejects.toMatchObject({
        code: 'invalid_request',
      });
    }
    await expect(rollKey(context, { keyId: tenant.key.id, actor, granter })).rejects.toThrow('limited');
  });

  test('the error for an invalid address range names its position', async () => {
    const { context, actor } = await setUp();
    const allowedAddresses = ['203.0.113.7', '203.0.113.0/40'];
    await expect(createKey(context, { name: 'CI', actor, allowedAddresses })).rejects.toMatchObject({
      details: [{ path: 'allowedAddresses.1' }],
    });
  });
});

describe('a key that is limited to a project', () => {
  async function setUpLimited() {
    const { context, tenant, actor } = await setUp();
    const project = await createTestProject(context, tenant);
    const made = await createKey(context, { name: 'CI', projectId: project.id, actor });
    /** The actor of a request with the key. */
    const limited = { ...actor, name: made.id, projectId: project.id };
    return { context, tenant, actor, project, made, limited };
  }

  test('returns the project on creation and authentication', async () => {
    const { context, project, made } = await setUpLimited();
    expect(made.projectId).toBe(project.id);
    expect(await authenticate(context, made.key)).toMatchObject({ projectId: project.id });
  });

  test('has a successor with the same limit', async () => {
    const { context, actor, project, made } = await setUpLimited();
    const rolled = await rollKey(context, { keyId: made.id, actor });
    expect(rolled.projectId).toBe(project.id);
    expect(await authenticate(context, rolled.key)).toMatchObject({ projectId: project.id });
  });

  test('creates keys only for its project', async () => {
    const { context, tenant, project, limited } = await setUpLimited();
    expect((await createKey(context, { name: 'Same', actor: limited })).projectId).toBe(project.id);
    const neighbour = await createTestProject(context, tenant);
    for (const projectId of [neighbour.id, 'pr_0000000000000000']) {
      await expect(createKey(context, { name: 'More', projectId, actor: limited })).rejects.toThrow(
        'There is no such project. List them with GET /v1/projects.',
      );
    }
  });

  test('lists, rolls and revokes only keys of its project', async () => {
    const { context, tenant, made, limited } = await setUpLimited();
    expect((await listKeys(context, { reach: limited })).data.map(({ id }) => id)).toEqual([made.id]);
    const { id: keyId } = tenant.key;
    await expect(rollKey(context, { keyId, actor: limited })).rejects.toMatchObject({ code: 'not_found' });
    await expect(revokeKey(context, { keyId, actor: limited })).rejects.toMatchObject({ code: 'not_found' });
    await revokeKey(context, { keyId: made.id, actor: limited });
    expect(await authenticate(context, made.key)).toBeUndefined();
  });

  test('cannot be created for a project of another organization', async () => {
    const { context, project } = await setUpLimited();
    const { actor } = await createTenant(context, { name: 'Other' });
    await expect(createKey(context, { name: 'CI', projectId: project.id, actor })).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});

describe('the end of a key', () => {
  test('a key works until it expires', async () => {
    const { context, actor } = await setUp();
    const { key } = await createKey(context, { name: 'Week', expiresInDays: 7, actor });
    context.clock.advance(7 * 86_400 - 0.001);
    expect(await authenticate(context, key)).toBeDefined();
    context.clock.advance(0.001);
    expect(await authenticate(context, key)).toBeUndefined();
  });

  test('a key without an expiry works after many years', async () => {
    const { context, tenant } = await setUp();
    context.clock.advance(20 * 365 * 86_400);
    expect(await authenticate(context, tenant.key.key)).toBeDefined();
  });

  test('a revoked key is refused at once; revoking it again keeps the first time and adds no audit entry', async () => {
    const { context, tenant, actor, find, actions } = await setUp();
    await revokeKey(context, { keyId: tenant.key.id, actor });
    expect(await authenticate(context, tenant.key.key)).toBeUndefined();
    const { revokedAt } = await find(tenant.key.id);
    context.clock.advance(60);
    await revokeKey(context, { keyId: tenant.key.id, actor });
    expect(await find(tenant.key.id)).toMatchObject({ revokedAt });
    expect((await actions()).filter((action) => action === 'key.revoke')).toHaveLength(1);
  });

  test('a key of another organization is not found, like a key that does not exist', async () => {
    const { context, actor } = await setUp();
    const other = await createTenant(context, { name: 'Other' });
    const errors: unknown[] = [];
    for (const keyId of [other.key.id, 'key_0000000000000000']) {
      errors.push(await revokeKey(context, { keyId, actor }).catch((error: unknown) => error));
      errors.push(await rollKey(context, { keyId, actor }).catch((error: unknown) => error));
    }
    for (const error of errors) {
      expect(error).toMatchObject({ code: 'not_found', message: (errors[0] as Error).message });
    }
    expect(await authenticate(context, other.key.key)).toBeDefined();
  });
});

describe('rolling a key', () => {
  test('both keys work during the overlap, then only the new one', async () => {
    const { context, actor, actions } = await setUp();
    const old = await createKey(context, {
      name: 'CI',
      scopes: ['exports:write'],
      allowedAddresses: ['203.0.113.7'],
      expiresInDays: 30,
      actor,
    });
    context.clock.advance(86_400);
    const made = await rollKey(context, { keyId: old.id, overlapSeconds: 600, actor });
    expect(made).toMatchObject({
      name: 'CI',
      scopes: ['exports:write'],
      allowedAddresses: ['203.0.113.7'],
      rolledFrom: old.id,
      expiresAt: '2026-04-01T12:00:00.000Z',
    });
    expect(await actions()).toContain('key.roll');
    context.clock.advance(599);
    expect(await authenticate(context, old.key)).toBeDefined();
    context.clock.advance(1);
    expect(await authenticate(context, old.key)).toBeUndefined();
    expect(await authenticate(context, made.key)).toBeDefined();
  });

  test('the old key works for an hour by default and ends at once with an overlap of 0', async () => {
    const { context, tenant, actor, find } = await setUp();
    const second = await rollKey(context, { keyId: tenant.key.id, actor });
    expect((await find(tenant.key.id)).expiresAt).toBe('2026-03-01T13:00:00.000Z');
    expect(second.expiresAt).toBeNull();
    await rollKey(context, { keyId: second.id, overlapSeconds: 0, actor });
    expect(await authenticate(context, second.key)).toBeUndefined();
  });

  test('an overlap does not extend the expiry of the old key', async () => {
    const { context, actor, find } = await setUp();
    const old = await createKey(context, { name: 'Week', expiresInDays: 7, actor });
    context.clock.advance(7 * 86_400 - 60);
    await rollKey(context, { keyId: old.id, overlapSeconds: 604_800, actor });
    expect((await find(old.id)).expiresAt).toBe(old.expiresAt);
  });

  test('an expired or revoked key cannot be rolled', async () => {
    const { context, tenant, actor } = await setUp();
    const short = await createKey(context, { name: 'Week', expiresInDays: 7, actor });
    context.clock.advance(8 * 86_400);
    await revokeKey(context, { keyId: tenant.key.id, actor });
    for (const keyId of [short.id, tenant.key.id]) {
      await expect(rollKey(context, { keyId, actor })).rejects.toThrow(
        'has expired or was revoked and cannot be rolled',
      );
    }
  });

  test('a key cannot roll a key with more scopes', async () => {
    const { context, tenant, actor } = await setUp();
    const attempt = rollKey(context, {
      keyId: tenant.key.id,
      actor,
      granter: { scopes: ['keys:write'], allowedAddresses: [] },
    });
    await expect(attempt).rejects.toMatchObject({ code: 'invalid_request' });
    expect(await authenticate(context, tenant.key.key)).toBeDefined();
  });
});

test('the last use is written at most once a minute', async () => {
  const { context, tenant, find } = await setUp();
  const { id } = tenant.key;
  await touchKey(context, id);
  expect((await find(id)).lastUsedAt).toBe('2026-03-01T12:00:00.000Z');
  context.clock.advance(60);
  await touchKey(context, id);
  expect((await find(id)).lastUsedAt).toBe('2026-03-01T12:00:00.000Z');
  context.clock.advance(1);
  await touchKey(context, id);
  expect((await find(id)).lastUsedAt).toBe('2026-03-01T12:01:01.000Z');
});
