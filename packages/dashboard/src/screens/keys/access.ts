/** Converts between API scopes and the access levels of the key form. */
import { keyLifetimesDays, scopes, scopesGrant, type Scope } from '@docyard/api';

export type Preset = 'read' | 'write' | 'custom';

export const areas = {
  exports: 'Exports',
  agent: 'Agent jobs',
  projects: 'Projects',
  keys: 'API keys',
  webhooks: 'Webhooks',
  deployments: 'Deployments',
  users: 'Users',
  audit: 'Audit log',
} as const;
export type Area = keyof typeof areas;
const areaNames = Object.keys(areas) as Area[];

/** Areas that a key of one project can use. The others are organization-wide. */
const areasOfProject: readonly Area[] = ['exports', 'agent', 'projects', 'keys', 'deployments'];

export type Level = 'none' | 'report' | 'read' | 'write';
export type Access = Record<Area, Level>;

export function levelsOf(area: Area): Level[] {
  const levels = ['report', 'read', 'write'] as const;
  return ['none', ...levels.filter((level) => isScope(`${area}:${level}`))];
}

export function scopesOf(
  preset: Preset | undefined,
  access: Access,
  within: readonly Area[] = areaNames,
): Scope[] {
  if (preset === undefined) return [];
  if (preset === 'read') return ['read'];
  if (preset === 'write') return ['read', 'write'];
  return within
    .filter((area) => access[area] !== 'none')
    .map((area) => `${area}:${access[area]}`)
    .filter(isScope);
}

export function accessOf(granted: readonly Scope[]): { preset: Preset; access: Access } {
  const preset = granted.includes('write') ? 'write' : granted.includes('read') ? 'read' : 'custom';
  const level = (area: Area): Level => {
    const allowed = levelsOf(area).filter(
      (each) => each !== 'none' && scopesGrant(granted, `${area}:${each}` as Scope),
    );
    return allowed.at(-1) ?? 'none';
  };
  const access = Object.fromEntries(areaNames.map((area) => [area, level(area)])) as Access;
  // `read` with narrow write scopes, such as `read exports:write`, is not a preset.
  const isMixed = preset === 'read' && Object.values(access).includes('write');
  return { preset: isMixed ? 'custom' : preset, access };
}

export function wordsOf(granted: readonly Scope[]): string[] {
  const { preset, access } = accessOf(granted);
  if (preset === 'write') return ['Everything'];
  if (preset === 'read') return ['Read everything'];
  return areaNames.filter((area) => access[area] !== 'none').map((area) => `${areas[area]}: ${access[area]}`);
}

export const lifetimes = [...keyLifetimesDays.map(String), 'none'];

export interface KeyDraft {
  name: string;
  /** Empty for all projects. */
  projectId: string;
  preset: Preset | undefined;
  access: Access;
  expires: string;
  addresses: string;
}

/** From a link such as `/keys?new=1&name=ci&project=pr_…&scopes=exports:write&expires=30`. Invalid values are ignored. */
export function draftOf(search: URLSearchParams): KeyDraft {
  const requested = (search.get('scopes') ?? '').split(/[\s,]+/).filter(isScope);
  const expires = search.get('expires') ?? '';
  return {
    name: (search.get('name') ?? '').slice(0, 128),
    projectId: (search.get('project') ?? '').slice(0, 64),
    ...accessOf(requested),
    ...(requested.length === 0 ? { preset: undefined } : {}),
    expires: lifetimes.includes(expires) ? expires : '90',
    addresses: (search.get('addresses') ?? '').split(/[\s,]+/).join('\n'),
  };
}

export function bodyOf({ name, projectId, preset, access, expires, addresses }: KeyDraft) {
  const allowedAddresses = addresses.split(/[\s,]+/).filter((address) => address !== '');
  return {
    name,
    scopes: scopesOf(preset, access, areasFor(projectId)),
    ...(projectId === '' ? {} : { projectId }),
    expiresInDays: keyLifetimesDays.find((days) => String(days) === expires) ?? null,
    ...(allowedAddresses.length === 0 ? {} : { allowedAddresses }),
  };
}

export function areasFor(projectId: string): readonly Area[] {
  return projectId === '' ? areaNames : areasOfProject;
}

function isScope(text: string): text is Scope {
  return (scopes as readonly string[]).includes(text);
}
