/** Paths and scopes under their former names, which work for one release after a rename. */
import type { CreatedKey, Invitation, User } from '@docyard/api';
import { operation, operationIds } from '@docyard/api';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type Service } from '../service.ts';
import { freshEmail } from './users.ts';

let service: Service;

beforeAll(async () => {
  service = await startService({ sample: false });
});
afterAll(() => service?.stop());

const send = (method: string, path: string, body?: object, key = service.key) =>
  service.request(path, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

test('only operations on users have a deprecated path', () => {
  const renamed = operationIds.filter((id) => operation(id).deprecatedPath !== undefined);
  expect(renamed).toEqual(['listUsers', 'inviteUser', 'updateUser', 'removeUser']);
});

test.each(['/v1/users', '/v1/people'])(
  'users are invited, listed, changed and removed at %s',
  async (path) => {
    const invited = await send('POST', path, { email: freshEmail(), role: 'viewer' });
    expect(invited.status).toBe(201);
    const { person: user } = (await invited.json()) as Invitation;
    expect(invited.headers.get('location')).toBe(`/v1/users/${user.id}`);
    const { data } = (await (await send('GET', path)).json()) as { data: User[] };
    expect(data.map(({ id }) => id)).toContain(user.id);
    const changed = await send('PATCH', `${path}/${user.id}`, { role: 'member' });
    expect((await changed.json()) as User).toMatchObject({ id: user.id, role: 'member' });
    expect((await send('DELETE', `${path}/${user.id}`)).status).toBe(204);
    expect((await send('PUT', path)).headers.get('allow')).toBe('GET, HEAD, POST');
  },
);

test.each([
  ['users:read', 'users:read'],
  ['people:read', 'users:read'],
])('a key with the scope %s is shown as %s and reads users', async (wanted, shown) => {
  const created = await send('POST', '/v1/api-keys', { name: wanted, scopes: [wanted] });
  const { key, scopes } = (await created.json()) as CreatedKey;
  expect(scopes).toEqual([shown]);
  for (const path of ['/v1/users', '/v1/people'])
    expect((await send('GET', path, undefined, key)).status).toBe(200);
  const refused = await send('POST', '/v1/users', { email: freshEmail(), role: 'viewer' }, key);
  expect(refused.status).toBe(403);
});
