/** Users for the contract tests: an owner with a session, another user, and the setup token of a new installation. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Me, Role } from '@docyard/api';
import type { Service } from '../service.ts';

export const password = 'a lighthouse keeper counts ships';
export const owner = { email: 'owner@example.com', name: 'Olga', password };

type Installation = Pick<Service, 'origin' | 'dataDir' | 'client'>;

export function setupToken({ dataDir }: Pick<Service, 'dataDir'>): string {
  return readFileSync(join(dataDir, 'setup-token'), 'utf8').trim();
}

export async function addOwner(service: Installation): Promise<string> {
  const { me } = await begin(service, '/v1/setup', { token: setupToken(service), ...owner });
  return me.person?.id ?? '';
}

/** The headers of a signed-in browser. */
export async function signIn(service: Installation, email = owner.email): Promise<Record<string, string>> {
  const { cookie } = await begin(service, '/v1/session', { email, password });
  return { Cookie: cookie, Origin: service.origin };
}

let emails = 0;

export function freshEmail(): string {
  emails += 1;
  return `user-${emails}@example.com`;
}

/** Returns the token of the invitation. */
export async function invite(
  { client }: Installation,
  role: Role = 'viewer',
): Promise<{ userId: string; token: string }> {
  const { person, invitationUrl } = await client.call('inviteUser', {
    body: { email: freshEmail(), role },
  });
  return { userId: person.id, token: new URL(invitationUrl).hash.slice(1) };
}

async function begin(
  { origin }: Installation,
  path: string,
  body: Record<string, string>,
): Promise<{ me: Me; cookie: string }> {
  const response = await fetch(origin + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (response.status !== 201) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  const [cookie = ''] = response.headers.getSetCookie();
  return { me: (await response.json()) as Me, cookie: cookie.split(';')[0] ?? '' };
}
