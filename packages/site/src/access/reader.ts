/** Reads groups from claims and headers. */

const maxGroups = 200;
const maxGroupCharacters = 200;

/** The groups in a claim or header: a list, or text with commas. Other values give no group. */
export function groupsIn(value: unknown): string[] {
  const list = Array.isArray(value) ? value : typeof value === 'string' ? value.split(',') : [];
  const names = list.filter((name): name is string => typeof name === 'string').map((name) => name.trim());
  const usable = names.filter((name) => name !== '' && name.length <= maxGroupCharacters);
  return [...new Set(usable)].slice(0, maxGroups);
}

/** The value of a claim. `realm_access.roles` is a claim of that name, or `roles` inside of `realm_access`. */
export function claimIn(claims: Readonly<Record<string, unknown>>, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path];
  let value: unknown = claims;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}
