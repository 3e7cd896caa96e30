/** The kinds of readers of a site: combinations of its groups, and readers who have not signed in. */
import { RemoteHosts } from '../assets/remote-hosts.ts';
import { asObject, at } from '../config/json.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { GroupRule } from '../model/page-source.ts';
import { specsOf } from '../openapi/site-api.ts';
import { type RenderEvent, type RenderOptions, renderSite } from './render-site.ts';
import type { Site } from '../site/site.ts';
import { readGroups } from '../source/page-meta.ts';

export interface SiteAudience {
  /** False for readers of a private site who have not signed in. */
  isSignedIn: boolean;
  /** In alphabetical order. */
  groups: readonly string[];
}

export interface SiteAudiences {
  /** Without the readers who have signed in and belong to no group. */
  audiences: readonly SiteAudience[];
  /** Groups whose members do not see everything that others see. */
  excludedGroups: readonly string[];
  findings: readonly Diagnostic[];
}

/** All combinations of so many groups are rendered. */
const maxCombinedGroups = 4;
const maxCombinations = 63;

export function audiencesOf(site: Site): SiteAudiences {
  const rules = groupRulesOf(site);
  const names = (key: keyof GroupRule): string[] =>
    [...new Set(rules.flatMap((rule) => rule[key]))].filter((name) => name !== '*').toSorted();
  const excludedGroups = names('excludes');
  const groups = [...new Set([...names('includes'), ...excludedGroups])].toSorted();
  const combinations =
    groups.length <= maxCombinedGroups ? allCombinations(groups) : chosenCombinations(groups, site);
  const audiences: SiteAudience[] = combinations
    .slice(0, maxCombinations)
    .map((combination) => ({ isSignedIn: true, groups: combination }));
  if ([...site.metas.values()].some(({ isPublic }) => isPublic))
    audiences.push({ isSignedIn: false, groups: [] });
  return { audiences, excludedGroups, findings: findingsAbout(site, groups, combinations) };
}

/** Downloads of other hosts get a new time limit. */
export function renderAudience(
  site: Site,
  { isSignedIn, groups }: SiteAudience,
  options: RenderOptions,
): AsyncGenerator<RenderEvent> {
  return renderSite(
    { ...site, remoteHosts: new RemoteHosts() },
    { ...options, groups, publicOnly: !isSignedIn },
  );
}

function groupRulesOf(site: Site): GroupRule[] {
  const metas = [...site.metas.values()];
  const specs = [...specsOf(metas)].map((name) => site.specOf(name));
  return [...metas.flatMap(({ groups }) => groups), ...specs.flatMap(groupRulesIn)];
}

function groupRulesIn(value: unknown): GroupRule[] {
  if (Array.isArray(value)) return (value as unknown[]).flatMap(groupRulesIn);
  const object = asObject(value);
  if (object === undefined) return [];
  const values = Object.values(asObject(object['x-mint-enum']) ?? {});
  return [
    ...readGroups(at(object, 'x-mint', 'groups')),
    ...values.flatMap(readGroups),
    ...Object.values(object).flatMap(groupRulesIn),
  ];
}

function allCombinations(groups: readonly string[]): string[][] {
  const all = groups.reduce<string[][]>(
    (combinations, group) => [...combinations, ...combinations.map((known) => [...known, group])],
    [[]],
  );
  return all.slice(1);
}

/** The declared combinations, each single group, and all groups together. */
function chosenCombinations(groups: readonly string[], { settings }: Site): string[][] {
  const declared = settings.audiences.map((names) => groups.filter((group) => names.includes(group)));
  const all = [...declared, [...groups], ...groups.map((group) => [group])];
  const unique = new Map(all.map((combination) => [JSON.stringify(combination), combination]));
  return [...unique.values()].filter((combination) => combination.length > 0);
}

function findingsAbout(
  { settings, configFile, placeInConfig }: Site,
  groups: readonly string[],
  combinations: readonly (readonly string[])[],
): Diagnostic[] {
  const declared = settings.audiences;
  const place = { file: configFile, ...placeInConfig(['access', 'audiences']) };
  if (combinations.length > maxCombinations)
    return [
      {
        severity: 'warning',
        code: 'audiences_limited',
        message: `The site has ${combinations.length} combinations of groups; ${maxCombinations} are rendered`,
        ...place,
        hint: 'Use fewer groups, or declare fewer combinations under "access.audiences".',
      },
    ];
  if (groups.length <= maxCombinedGroups || declared.length > 0) return [];
  return [
    {
      severity: 'warning',
      code: 'audiences_limited',
      message: `The site has ${groups.length} groups; readers in several of them, but not in all, see the pages of only one`,
      ...place,
      hint: 'List the combinations that readers have under "access.audiences", for example [["partners", "staff"]].',
    },
  ];
}
