/** What a key may do, between the scopes of the API and the words and switches of this screen. */
import { keyLifetimesDays, scopes, scopesGrant, type Scope } from '@docyard/api';

export type Preset = 'read' | 'write' | 'custom';

export const areas = {
  exports: 'Exports',
  agent: 'Agent jobs',
  projects: 'Projects',
  keys: 'API keys',
  webhooks: 'Webhooks',
  deployments: 'Deployments',
  people: 'People',
  audit: 'Audit log',
} as const;
export type Area = keyof typeof areas;
const areaNames = Object.keys(areas) as Area[];

/** Those that a key of one project can use: the others concern the whole organization. */
const areasOfProject: readonly Area[] = ['exports', 'agent', 'projects', 'keys', 'deployments'];

export type Level = 'none' | 'report' | 'read' | 'write';
export type Access = Record<Area, Level>;

/** The levels an area has: nobody writes the audit log. */
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
  // A wide scope beside narrow ones, as `read exports:write`, is neither of the two presets.
  const isMixed = preset === 'read' && Object.values(access).includes('write');
  return { preset: isMixed ? 'custom' : preset, access };
}

/** Short words for a table: one for everything, else one for each area. */
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
  /** Undefined until the person has chosen. */
  preset: Preset | undefined;
  access: Access;
  /** One of `lifetimes`. */
  expires: string;
  addresses: string;
}

/** From a link such as `/keys?new=1&name=ci&project=pr_…&scopes=exports:write&expires=30`; what it gets wrong is left out. */
export function draftOf(search: URLSearchParams): KeyDraft {
  const wanted = (search.get('scopes') ?? '').split(/[\s,]+/).filter(isScope);
  const expires = search.get('expires') ?? '';
  return {
    name: (search.get('name') ?? '').slice(0, 128),
    projectId: (search.get('project') ?? '').slice(0, 64),
    ...accessOf(wanted),
    ...(wanted.length === 0 ? { preset: undefined } : {}),
    expires: lifetimes.includes(expires) ? expires : '90',
    addresses: (search.get('addresses') ?? '').split(/[\s,]+/).join('\n'),
  };
}

/** The body of `createKey`. */
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
