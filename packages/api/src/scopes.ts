/**
 * What an API key, or the role of a person, may do. `read` and `write` cover everything; the finer ones cover one area each.
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
  'people:read',
  'people:write',
] as const;

export const Scope = z.enum(scopes).meta({ id: 'Scope' });
export type Scope = z.infer<typeof Scope>;

/** `write` implies `read`, and the wide scopes imply the narrow ones. */
export function scopesGrant(granted: readonly Scope[], wanted: Scope): boolean {
  const [area, action] = wanted.includes(':') ? wanted.split(':') : [undefined, wanted];
  const wide: Scope[] = action === 'read' ? ['read', 'write'] : ['write'];
  const narrow = area === undefined ? [] : action === 'read' ? [wanted, `${area}:write`] : [wanted];
  return granted.some((scope) => wide.includes(scope) || narrow.includes(scope));
}
