/**
 * Permissions of API keys and roles. `read` and `write` cover every area; the others cover one area each.
 */
import { z } from 'zod';

export const scopes = [
  'read',
  'write',
  'exports:read',
  'exports:write',
  'agent:read',
  'agent:write',
  'projects:read',
  'projects:write',
  'keys:read',
  'keys:write',
  'webhooks:read',
  'webhooks:write',
  'deployments:read',
  'deployments:write',
  'deployments:report',
  'audit:read',
  'users:read',
  'users:write',
] as const;

/** Former names, valid in requests and in stored keys. Responses hold only current names. */
const deprecatedScopes = new Map<string, Scope>([
  ['people:read', 'users:read'],
  ['people:write', 'users:write'],
]);

export type Scope = (typeof scopes)[number];
export const Scope = z
  .enum([...scopes, ...deprecatedScopes.keys()], `Use one of these scopes: ${scopes.join(', ')}.`)
  .transform(currentScope)
  .meta({ id: 'Scope', enum: scopes });

export function currentScope(name: string): Scope {
  return deprecatedScopes.get(name) ?? (name as Scope);
}

/** `write` implies `read`, and the wide scopes imply the narrow ones. */
export function scopesGrant(granted: readonly Scope[], wanted: Scope): boolean {
  const [area, action] = wanted.includes(':') ? wanted.split(':') : [undefined, wanted];
  const wide: Scope[] = action === 'read' ? ['read', 'write'] : ['write'];
  const narrow = area === undefined ? [] : action === 'read' ? [wanted, `${area}:write`] : [wanted];
  return granted.some((scope) => wide.includes(scope) || narrow.includes(scope));
}
