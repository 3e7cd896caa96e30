/**
 * Permissions of API keys and roles. `read` and `write` cover every area; the others cover one area each.
 */
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
export const deprecatedScopes: ReadonlyMap<string, Scope> = new Map([
  ['people:read', 'users:read'],
  ['people:write', 'users:write'],
]);

export type Scope = (typeof scopes)[number];

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

export const roles = ['owner', 'admin', 'member', 'viewer'] as const;

/** Owners and admins have the same scopes; the operations on users stop an admin from changing owners. */
export const scopesOfRole: Readonly<Record<(typeof roles)[number], readonly Scope[]>> = {
  owner: ['read', 'write'],
  admin: ['read', 'write'],
  member: ['read', 'exports:write', 'agent:write', 'projects:write'],
  viewer: ['exports:read', 'agent:read', 'projects:read', 'deployments:read'],
};
