/** Setup, sign-in, sessions, invitations and roles through the HTTP API. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Invitation, Me, User, Role } from '@docyard/api';
import { describe, expect, test } from 'vitest';
import { listAuditLog } from '../../audit/audit.ts';
import { userChanges } from '../../users/sessions.ts';
import { openSetup } from '../../users/setup.ts';
import { goodPassword, Visitor } from '../../../test/support/visitor.ts';
import {
  composeForTest,
  createTenant,
  everythingKept,
  present,
  serveForTest,
  type TestContext,
} from '../../../test/support/test-context.ts';

const ada = { email: 'ada@example.com', name: 'Ada', password: goodPassword };

async function freshInstallation(environment: Record<string, string> = {}) {
  const context = await composeForTest(environment);
  const tenant = await createTenant(context);
  const service = await serveForTest(context);
  const token = present(await openSetup(context));
  const visitor = () => new Visitor(service);
  const signIn = async (email: string, password = goodPassword) => {
    const user = visitor();
    const response = await user.send('POST', '/v1/session', { email, password });
    return { user, response };
  };
  return { context, tenant, service, token, visitor, signIn };
}

/** An installation with Ada as its owner. */
async function setUpInstallation(environment: Record<string, string> = {}) {
  const fresh = await freshInstallation(environment);
  const owner = fresh.visitor();
  expect((await owner.send('POST', '/v1/setup', { token: fresh.token, ...ada })).status).toBe(201);
  const invite = async (email: string, role: Role, by = owner) => {
    const response = await by.send('POST', '/v1/users', { email, role });
    return { response, invitation: (await response.json()) as Invitation };
  };
  const addUser = async (email: string, role: Role) => {
    const { invitation } = await invite(email, role);
    const user = fresh.visitor();
    const token = new URL(invitation.invitationUrl).hash.slice(1);
    const body = { token, name: email, password: goodPassword };
    expect((await user.send('POST', '/v1/invitation', body)).status).toBe(201);
    return { user, person: invitation.person };
  };
  const actions = async () =>
    (await listAuditLog(fresh.context, { organizationId: fresh.tenant.organizationId, limit: 100 })).data;
  return { ...fresh, owner, invite, addUser, actions };
}

const codeOf = async (response: Response) => ((await response.json()) as { code: string }).code;
const tokenFile = (context: TestContext) => join(context.config.dataDir, 'setup-token');

describe('the setup of the first user', () => {
  test('the setup token of the server creates a signed-in owner', async () => {
    const { context, tenant, token, visitor } = await freshInstallation();
    expect(readFileSync(tokenFile(context), 'utf8')).toBe(`${token}\n`);
    expect(statSync(tokenFile(context)).mode & 0o777).toBe(0o600);
    const user = visitor();
    expect(await (await user.send('GET', '/v1/setup')).json()).toEqual({
      needed: true,
      signIn: { oidc: null },
    });
    const response = await user.send('POST', '/v1/setup', { token, ...ada });
    expect(response.status).toBe(201);
    const me: Me = {
      organization: { id: tenant.organizationId, name: 'Harbour', plan: 'enterprise' },
      key: null,
      person: { id: expect.stringMatching(/^pe_/) as string, email: ada.email, name: 'Ada', role: 'owner' },
      scopes: ['read', 'write'],
    };
    expect(await response.json()).toEqual(me);
    expect(await user.me()).toEqual(me);
    expect(existsSync(tokenFile(context))).toBe(false);
  });

  test('a second setup is refused', async () => {
    const { context, visitor, token } = await setUpInstallation();
    expect(await (await visitor().send('GET', '/v1/setup')).json()).toMatchObject({ needed: false });
    const again = await visitor().send('POST', '/v1/setup', { token, ...ada, email: 'eve@example.com' });
    expect(again.status).toBe(404);
    expect(await openSetup(context)).toBeUndefined();
  });

  test('wrong setup tokens are refused and then rate limited', async () => {
    const { visitor } = await freshInstallation();
    const guess = () => visitor().send('POST', '/v1/setup', { ...ada, token: 'x'.repeat(43) });
    for (let tries = 0; tries < 10; tries += 1) expect(await codeOf(await guess())).toBe('token_invalid');
    const refused = await guess();
    expect(await codeOf(refused)).toBe('rate_limited');
    expect(refused.headers.get('retry-after')).toBe('900');
  });

  test('a setup token expires after half an hour and the next start creates another', async () => {
    const { context, token, visitor } = await freshInstallation();
    context.clock.advance(30 * 60);
    expect(await codeOf(await visitor().send('POST', '/v1/setup', { token, ...ada }))).toBe('token_invalid');
    const next = present(await openSetup(context));
    expect((await visitor().send('POST', '/v1/setup', { token: next, ...ada })).status).toBe(201);
  });

  test('a setup token stays valid when another process creates one', async () => {
    const { context, token, visitor } = await freshInstallation();
    expect(await openSetup(context)).not.toBe(token);
    expect((await visitor().send('POST', '/v1/setup', { token, ...ada })).status).toBe(201);
  });

  test.each(['short', 'password1234', 'Password-1234', 'aaaaaaaaaaaaaaaa', 'ADA@example.com'])(
    'the weak password %s is refused',
    async (password) => {
      const { token, visitor } = await freshInstallation();
      const response = await visitor().send('POST', '/v1/setup', { token, ...ada, password });
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ details: [{ path: 'password' }] });
    },
  );
});

describe('signing in', () => {
  test('the session cookie is HttpOnly and SameSite', async () => {
    const { signIn } = await setUpInstallation();
    const { user, response } = await signIn(' ADA@Example.com ');
    expect(response.status).toBe(201);
    const [cookie] = response.headers.getSetCookie();
    expect(cookie).toMatch(/^docyard=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/);
    expect((await user.me()).person?.email).toBe(ada.email);
  });

  test('a browser that keeps secure cookies gets a cookie with the __Host- prefix', async () => {
    const { service, owner } = await setUpInstallation();
    const page = await service.request('/dashboard/login', {});
    const [probe] = page.headers.getSetCookie();
    expect(probe).toBe('__Host-docyard-probe=1; Path=/; HttpOnly; Secure; SameSite=Lax');
    const cookie = `${present(owner.cookie)}; ${present(probe).split(';')[0]}`;
    const { email, password } = ada;
    const response = await owner.send('POST', '/v1/session', { email, password }, { cookie });
    expect(response.headers.getSetCookie().map((set) => set.replace(/[\w-]{43}/, 'TOKEN'))).toEqual([
      '__Host-docyard=TOKEN; Max-Age=2592000; Path=/; HttpOnly; Secure; SameSite=Lax',
      'docyard=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax',
    ]);
    const again = await service.request('/dashboard/login', { headers: { cookie } });
    expect(again.headers.getSetCookie()).toEqual([]);
  });

  test('the session cookie has the __Host- prefix over https', async () => {
    const { service, owner } = await setUpInstallation({ TRUST_PROXY: 'on' });
    const https = { 'x-forwarded-proto': 'https', origin: service.origin.replace('http:', 'https:') };
    const { email, password } = ada;
    const response = await owner.send('POST', '/v1/session', { email, password }, https);
    expect(response.headers.getSetCookie()[0]).toMatch(/^__Host-docyard=.*; Path=\/; HttpOnly; Secure;/);
    const plain = { cookie: present(owner.cookie).replace('__Host-', ''), 'x-forwarded-proto': 'https' };
    expect((await owner.send('GET', '/v1/me', undefined, plain)).status).toBe(401);
    expect((await owner.send('GET', '/v1/me', undefined, https)).status).toBe(200);
  });

  test('a refused sign-in does not reveal whether the account exists and is audited for known accounts', async () => {
    const { signIn, addUser, owner, actions } = await setUpInstallation();
    const { person } = await addUser('gone@example.com', 'member');
    await owner.send('PATCH', `/v1/users/${person.id}`, { disabled: true });
    const answers = await Promise.all(
      [
        [ada.email, 'not the password'],
        ['unknown@example.com', goodPassword],
        ['gone@example.com', goodPassword],
      ].map(async ([email = '', password]) => {
        const { requestId: _, ...body } = (await (await signIn(email, password)).response.json()) as Record<
          string,
          unknown
        >;
        return body;
      }),
    );
    expect(answers).toEqual(
      Array.from({ length: 3 }, () => ({ error: 'Email or password is wrong.', code: 'sign_in_failed' })),
    );
    const refused = (await actions()).filter(({ action }) => action === 'session.refuse');
    expect(refused.map(({ actor }) => actor).toSorted()).toEqual([ada.email, 'gone@example.com']);
  });

  test('sign-in is rate limited after ten wrong passwords, and correct passwords do not count', async () => {
    const { signIn, context } = await setUpInstallation();
    for (let tries = 0; tries < 9; tries += 1) await signIn(ada.email, 'wrong');
    expect((await signIn(ada.email)).response.status).toBe(201);
    for (let tries = 0; tries < 10; tries += 1) {
      expect((await signIn(ada.email, 'wrong')).response.status).toBe(401);
    }
    expect((await signIn(ada.email)).response.status).toBe(429);
    context.clock.advance(900);
    expect((await signIn(ada.email)).response.status).toBe(201);
  });

  test('no password, token or session is stored in plain text', async () => {
    const { context, owner, token, invite } = await setUpInstallation();
    const { invitation } = await invite('ben@example.com', 'member');
    const kept = everythingKept(context);
    const session = present(owner.cookie).split('=')[1] ?? '';
    for (const secret of [goodPassword, token, session, new URL(invitation.invitationUrl).hash.slice(1)]) {
      expect(kept).not.toContain(secret);
    }
  });
});

describe('a session', () => {
  test('a session ends when the user signs out', async () => {
    const { owner, signIn } = await setUpInstallation();
    const { user } = await signIn(ada.email);
    const { cookie } = user;
    expect((await user.send('DELETE', '/v1/session')).status).toBe(204);
    expect(user.cookie).toBe('docyard=');
    user.cookie = cookie;
    expect((await user.send('GET', '/v1/me')).status).toBe(401);
    expect((await owner.send('GET', '/v1/me')).status).toBe(200);
  });

  test('the event streams of a session end with it', async () => {
    const { owner, signIn } = await setUpInstallation();
    const { user } = await signIn(ada.email);
    const read = async (visitor: Visitor) => {
      const stream = present((await visitor.send('GET', '/v1/static-export/events')).body).getReader();
      await stream.read();
      return stream;
    };
    const [ending, staying] = [await read(user), await read(owner)];
    await user.send('DELETE', '/v1/session');
    const isOver = ending.read().then(
      ({ done }) => done,
      () => true,
    );
    expect(await isOver).toBe(true);
    expect((await owner.send('GET', '/v1/me')).status).toBe(200);
    await staying.cancel();
  });

  test('a session ends after a week without use and after thirty days in any case', async () => {
    const { context, owner, signIn } = await setUpInstallation();
    const { user } = await signIn(ada.email);
    const day = 86_400;
    for (let days = 0; days < 30; days += 6) {
      expect((await owner.send('GET', '/v1/me')).status).toBe(200);
      context.clock.advance(6 * day);
      // The session cache uses the real clock, so it is evicted here.
      context.changes.notify(userChanges);
    }
    expect((await owner.send('GET', '/v1/me')).status).toBe(401);
    expect((await user.send('GET', '/v1/me')).status).toBe(401);
    const { user: idle } = await signIn(ada.email);
    context.clock.advance(7 * day);
    expect((await idle.send('GET', '/v1/me')).status).toBe(401);
  });

  test('a change from another origin or without an origin is refused', async () => {
    const { owner, service } = await setUpInstallation();
    const body = { email: 'ben@example.com', role: 'viewer' };
    for (const origin of ['https://evil.example', 'null', service.origin.replace(/\d+$/, '1')]) {
      const response = await owner.send('POST', '/v1/users', body, { origin });
      expect(await codeOf(response)).toBe('origin_refused');
    }
    const headers = { cookie: present(owner.cookie), 'content-type': 'application/json' };
    const init = { method: 'POST', headers, body: JSON.stringify(body) };
    expect(await codeOf(await service.request('/v1/users', init))).toBe('origin_refused');
    expect((await owner.send('POST', '/v1/users', body)).status).toBe(201);
  });

  test('a session is ignored when the request has a key', async () => {
    const { owner, tenant } = await setUpInstallation();
    const withKey = (key: string) =>
      owner.send('GET', '/v1/me', undefined, { authorization: `Bearer ${key}` });
    expect(await (await withKey(tenant.key.key)).json()).toMatchObject({
      person: null,
      key: { name: 'Test key' },
    });
    expect((await withKey('docyard_wrong')).status).toBe(401);
  });

  test('the rate limit of a session is independent of other callers', async () => {
    const { owner, tenant, service } = await setUpInstallation({ LIMIT_READS_PER_MINUTE: '2' });
    for (const status of [200, 200, 429]) {
      expect((await owner.send('GET', '/v1/me')).status).toBe(status);
    }
    expect((await service.request('/v1/me', { key: tenant.key.key })).status).toBe(200);
  });

  test('a session cannot read or change another organization', async () => {
    const { context, owner, service } = await setUpInstallation();
    const other = await createTenant(context, { name: 'Other' });
    const made = await service.request('/v1/users', {
      method: 'POST',
      key: other.key.key,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'zoe@example.org', role: 'member' }),
    });
    const { person } = (await made.json()) as Invitation;
    const { data } = (await (await owner.send('GET', '/v1/users')).json()) as { data: User[] };
    expect(data.map(({ email }) => email)).toEqual([ada.email]);
    expect((await owner.send('PATCH', `/v1/users/${person.id}`, { disabled: true })).status).toBe(404);
    expect((await owner.send('DELETE', `/v1/users/${person.id}`)).status).toBe(404);
    expect((await owner.send('DELETE', `/v1/api-keys/${other.key.id}`)).status).toBe(404);
  });
});

describe('a password', () => {
  test('changing a password requires the current one and ends every other session', async () => {
    const { owner, signIn } = await setUpInstallation();
    const { user } = await signIn(ada.email);
    const next = 'forty two herrings on a rope';
    const wrong = await owner.send('POST', '/v1/session/password', { current: 'wrong', next });
    expect(await codeOf(wrong)).toBe('sign_in_failed');
    const weak = await owner.send('POST', '/v1/session/password', {
      current: goodPassword,
      next: 'password1234',
    });
    expect(await weak.json()).toMatchObject({ details: [{ path: 'next' }] });
    const changed = await owner.send('POST', '/v1/session/password', { current: goodPassword, next });
    expect(changed.status).toBe(204);
    expect((await owner.send('GET', '/v1/me')).status).toBe(200);
    expect((await user.send('GET', '/v1/me')).status).toBe(401);
    expect((await signIn(ada.email)).response.status).toBe(401);
    expect((await signIn(ada.email, next)).response.status).toBe(201);
  });

  test('an API key cannot change a password', async () => {
    const { service, tenant } = await setUpInstallation();
    const response = await service.request('/v1/session/password', {
      method: 'POST',
      key: tenant.key.key,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ current: goodPassword, next: goodPassword }),
    });
    expect(await codeOf(response)).toBe('session_required');
  });
});

describe('an invitation', () => {
  test('an invitation admits one user once with the role that it names', async () => {
    const { invite, visitor, owner } = await setUpInstallation();
    const { invitation } = await invite('Ben@example.com', 'viewer');
    expect(invitation.person).toMatchObject({
      email: 'ben@example.com',
      status: 'invited',
      signsInWith: null,
    });
    const url = new URL(invitation.invitationUrl);
    expect(url.pathname).toBe('/dashboard/invitation');
    const body = { token: url.hash.slice(1), name: 'Ben', password: goodPassword };
    const ben = visitor();
    expect(await (await ben.send('POST', '/v1/invitation', body)).json()).toMatchObject({
      person: { email: 'ben@example.com', name: 'Ben', role: 'viewer' },
      scopes: ['exports:read', 'agent:read', 'projects:read', 'deployments:read'],
    });
    expect(await codeOf(await visitor().send('POST', '/v1/invitation', body))).toBe('token_invalid');
    const { data } = (await (await owner.send('GET', '/v1/users')).json()) as { data: User[] };
    expect(data.map(({ email, status }) => [email, status])).toEqual([
      ['ben@example.com', 'active'],
      [ada.email, 'active'],
    ]);
  });

  test('an invitation ends when it is replaced, after a week, or when its user is removed', async () => {
    const { context, invite, visitor, owner } = await setUpInstallation();
    const accept = async ({ invitationUrl }: Invitation) => {
      const token = new URL(invitationUrl).hash.slice(1);
      return (await visitor().send('POST', '/v1/invitation', { token, name: 'B', password: goodPassword }))
        .status;
    };
    const first = await invite('ben@example.com', 'viewer');
    const second = await invite('ben@example.com', 'member');
    expect(second.invitation.person.id).toBe(first.invitation.person.id);
    expect(await accept(first.invitation)).toBe(403);
    context.clock.advance(7 * 86_400);
    expect(await accept(second.invitation)).toBe(403);
    await owner.send('POST', '/v1/session', { email: ada.email, password: goodPassword });
    const third = await invite('ben@example.com', 'member');
    expect((await owner.send('DELETE', `/v1/users/${third.invitation.person.id}`)).status).toBe(204);
    expect(await accept(third.invitation)).toBe(403);
  });

  test('an invitation of an existing user is refused', async () => {
    const { invite } = await setUpInstallation();
    expect((await invite(ada.email, 'viewer')).response.status).toBe(409);
  });
});

describe('a role', () => {
  test('a change of role takes effect at once', async () => {
    const { owner, addUser } = await setUpInstallation();
    const { user: ben, person } = await addUser('ben@example.com', 'viewer');
    const tryAll = async () => ({
      exports: (await ben.send('GET', '/v1/static-export/jobs')).status,
      keys: (await ben.send('GET', '/v1/api-keys')).status,
      project: (await ben.send('POST', '/v1/projects', {})).status,
      users: (await ben.send('POST', '/v1/users', {})).status,
    });
    expect(await tryAll()).toEqual({ exports: 200, keys: 403, project: 403, users: 403 });
    await owner.send('PATCH', `/v1/users/${person.id}`, { role: 'member' });
    expect(await tryAll()).toEqual({ exports: 200, keys: 200, project: 400, users: 403 });
    await owner.send('PATCH', `/v1/users/${person.id}`, { role: 'admin' });
    expect(await tryAll()).toEqual({ exports: 200, keys: 200, project: 400, users: 400 });
    await owner.send('PATCH', `/v1/users/${person.id}`, { disabled: true });
    expect(await tryAll()).toEqual({ exports: 401, keys: 401, project: 401, users: 401 });
  });

  test('only owners grant and revoke the role of an owner', async () => {
    const { owner, service, tenant, addUser } = await setUpInstallation();
    const { user: admin, person } = await addUser('ben@example.com', 'admin');
    const adaId = present((await owner.me()).person).id;
    const refused = [
      await admin.send('POST', '/v1/users', { email: 'eve@example.com', role: 'owner' }),
      await admin.send('PATCH', `/v1/users/${person.id}`, { role: 'owner' }),
      await admin.send('PATCH', `/v1/users/${adaId}`, { role: 'viewer' }),
      await admin.send('DELETE', `/v1/users/${adaId}`),
      await service.request(`/v1/users/${adaId}`, { method: 'DELETE', key: tenant.key.key }),
    ];
    for (const response of refused) expect(await codeOf(response)).toBe('owner_required');
    expect((await owner.send('PATCH', `/v1/users/${person.id}`, { role: 'owner' })).status).toBe(200);
  });

  test('the last owner cannot be changed or removed', async () => {
    const { owner, invite, addUser } = await setUpInstallation();
    const adaId = present((await owner.me()).person).id;
    await invite('late@example.com', 'owner');
    for (const change of [{ role: 'admin' }, { disabled: true }]) {
      expect(await codeOf(await owner.send('PATCH', `/v1/users/${adaId}`, change))).toBe('last_owner');
    }
    expect(await codeOf(await owner.send('DELETE', `/v1/users/${adaId}`))).toBe('last_owner');
    await addUser('ben@example.com', 'owner');
    expect((await owner.send('DELETE', `/v1/users/${adaId}`)).status).toBe(204);
    expect((await owner.send('GET', '/v1/me')).status).toBe(401);
  });
});

test('the audit log names users by their email', async () => {
  const { owner, addUser, actions } = await setUpInstallation();
  const { person } = await addUser('ben@example.com', 'member');
  await owner.send('PATCH', `/v1/users/${person.id}`, { role: 'viewer' });
  await owner.send('DELETE', `/v1/users/${person.id}`);
  const entries = (await actions()).filter(({ action }) => action.startsWith('person.'));
  expect(entries.toReversed().map(({ actor, action, details }) => [actor, action, details])).toEqual([
    [ada.email, 'person.setup', {}],
    [ada.email, 'person.invite', { email: 'ben@example.com', role: 'member' }],
    ['ben@example.com', 'person.join', {}],
    [ada.email, 'person.update', { role: 'viewer' }],
    [ada.email, 'person.remove', { email: 'ben@example.com' }],
  ]);
});
