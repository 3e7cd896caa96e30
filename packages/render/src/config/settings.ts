/**
 * Reads the configuration into typed settings with defaults. Unknown keys and wrong types become findings; no
 * value makes a site unrenderable.
 */
import type { Diagnostic } from '../model/diagnostic.ts';
import { iconText, readIconLibrary } from '../icons/reference.ts';
import { type CodeThemes, codeThemesOf } from '../highlight/palette.ts';
import { readApiSettings } from './api.ts';
import { asList, asObject, asText, asTexts, at, textAt } from './json.ts';
import { type MachineReaders, readMachineReaders } from './machine-readers.ts';
import type { ConfigSource } from './read.ts';
import { readRedirects } from './redirects.ts';
import { isColor, nearestName, placeFinder, shapeFindings } from './shape.ts';
import { type Surroundings, readSurroundings } from './surroundings.ts';
import type { JsonObject } from '../model/json.ts';
import type { ApiSettings, Redirect, IconLibrary } from '../model/site-plan.ts';
import type { ContextualMenu, ContextualOption } from '../model/page-source.ts';

export const themeNames = [
  'mint',
  'maple',
  'palm',
  'willow',
  'linden',
  'almond',
  'aspen',
  'sequoia',
  'luma',
] as const;
export type ThemeName = (typeof themeNames)[number];

export type { Banner } from './surroundings.ts';

export interface Appearances {
  light: string;
  dark: string;
}

export interface Font {
  family: string;
  weight?: string;
  source?: string;
  format?: string;
}

export interface SiteSettings extends Surroundings {
  name: string;
  description?: string;
  theme: ThemeName;
  colors: { primary: string; light?: string; dark?: string };
  background?: {
    color?: Partial<Appearances>;
    image?: Appearances;
    decoration?: 'gradient' | 'grid' | 'windows';
  };
  fonts: { heading?: Font; body?: Font };
  iconLibrary: IconLibrary;
  codeThemes?: CodeThemes;
  /** Undefined detects formulas per page. */
  latex?: boolean;
  logo?: Appearances & { href?: string };
  favicon?: Appearances;
  appearance: { initial: 'system' | 'light' | 'dark'; strict: boolean };
  /** true: a click on a group opens its first page. false: it never does. Undefined: the theme decides. */
  drilldown?: boolean;
  contextual: ContextualMenu;
  timestamp: boolean;
  feedback: { suggestEdit: boolean; raiseIssue: boolean; thumbsRating: boolean };
  searchPrompt?: string;
  /** The search dialog looks for a server that answers questions. */
  searchAnswers: boolean;
  redirects: Redirect[];
  variables: Record<string, string>;
  metatags: Record<string, string>;
  indexHidden: boolean;
  /** Whether readers of a private site see its pages without signing in, unless a page or the navigation says otherwise. */
  isPublic: boolean;
  /** Combinations of groups that readers have, on a site with many groups. */
  audiences: readonly (readonly string[])[];
  notFound: { title?: string; description?: string; redirect: boolean };
  breadcrumbs: boolean;
  api: ApiSettings;
  machineReaders: MachineReaders;
}

export const defaultPrimary = '#2563eb';

export function readSettings(
  source: ConfigSource,
  fallbackName: string,
): { settings: SiteSettings; diagnostics: Diagnostic[] } {
  const { config } = source;
  const diagnostics = shapeFindings(source);
  const settings: SiteSettings = {
    name: textAt(config, 'name') ?? fallbackName,
    ...optional('description', textAt(config, 'description')),
    theme: readTheme(source, diagnostics),
    colors: readColors(config),
    ...optional('background', readBackground(config)),
    fonts: readFonts(config['fonts']),
    iconLibrary: readIconLibrary(at(config, 'icons', 'library')),
    ...optional('codeThemes', codeThemesOf(at(config, 'styling', 'codeblocks'))),
    ...optional('latex', flagAt(config, 'styling', 'latex')),
    ...optional('logo', readLogo(config['logo'])),
    ...optional('favicon', readAppearances(config['favicon'])),
    appearance: readAppearance(config),
    ...optional('drilldown', flagAt(config, 'interaction', 'drilldown')),
    contextual: readContextual(config['contextual']),
    timestamp: at(config, 'metadata', 'timestamp') === true,
    feedback: {
      suggestEdit: at(config, 'feedback', 'suggestEdit') === true,
      raiseIssue: at(config, 'feedback', 'raiseIssue') === true,
      thumbsRating: at(config, 'feedback', 'thumbsRating') === true,
    },
    ...optional('searchPrompt', textAt(config, 'search', 'prompt')),
    searchAnswers: at(config, 'search', 'answers') === true,
    redirects: readRedirects(config),
    variables: stringRecord(config['variables']),
    metatags: stringRecord(at(config, 'seo', 'metatags')),
    indexHidden: at(config, 'seo', 'indexing') === 'all' || at(config, 'seo', 'indexHiddenPages') === true,
    isPublic: config['public'] === true,
    audiences: asList(at(config, 'access', 'audiences')).map(asTexts),
    notFound: {
      ...optional('title', textAt(config, 'errors', '404', 'title')),
      ...optional('description', textAt(config, 'errors', '404', 'description')),
      redirect: at(config, 'errors', '404', 'redirect') === true,
    },
    breadcrumbs: at(config, 'styling', 'eyebrows') === 'breadcrumbs',
    api: readApiSettings(config['api']),
    machineReaders: readMachineReaders(config),
    ...readSurroundings(config),
  };
  return { settings, diagnostics };
}

/** Returns `{ key: value }` or `{}`: `exactOptionalPropertyTypes` forbids keys with the value undefined. */
function optional<Key extends string, Value>(
  key: Key,
  value: Value | undefined,
): Partial<Record<Key, Value>> {
  return value === undefined ? {} : ({ [key]: value } as Record<Key, Value>);
}

function flagAt(config: JsonObject, ...keys: string[]): boolean | undefined {
  const value = at(config, ...keys);
  return typeof value === 'boolean' ? value : undefined;
}

function readTheme(source: ConfigSource, diagnostics: Diagnostic[]): ThemeName {
  const name = textAt(source.config, 'theme');
  const known = themeNames.find((theme) => theme === name?.toLowerCase());
  if (known === undefined && name !== undefined) {
    const near = nearestName(name, themeNames);
    diagnostics.push({
      severity: 'warning',
      code: 'theme_unknown',
      message: `The theme "${name}" does not exist; the theme "mint" is used`,
      file: source.file ?? 'docs.json',
      ...placeFinder(source.text)(['theme']),
      hint: near ? `Did you mean "${near}"?` : `Choose one of ${themeNames.join(', ')}.`,
    });
  }
  return known ?? 'mint';
}

function readColors(config: JsonObject): SiteSettings['colors'] {
  const color = (key: string): string | undefined => {
    const value = at(config, 'colors', key);
    return isColor(value) ? value.trim() : undefined;
  };
  return {
    primary: color('primary') ?? defaultPrimary,
    ...optional('light', color('light')),
    ...optional('dark', color('dark')),
  };
}

function readBackground(config: JsonObject): SiteSettings['background'] {
  const light = at(config, 'background', 'color', 'light');
  const dark = at(config, 'background', 'color', 'dark');
  const color =
    isColor(light) || isColor(dark)
      ? { ...(isColor(light) ? { light } : {}), ...(isColor(dark) ? { dark } : {}) }
      : undefined;
  const image = readAppearances(at(config, 'background', 'image'));
  const decoration = (['gradient', 'grid', 'windows'] as const).find(
    (name) => name === at(config, 'background', 'decoration'),
  );
  if (!color && !image && !decoration) return undefined;
  return { ...optional('color', color), ...optional('image', image), ...optional('decoration', decoration) };
}

function readFonts(value: unknown): SiteSettings['fonts'] {
  const both = readFont(value);
  return {
    ...optional('heading', readFont(at(value, 'heading')) ?? both),
    ...optional('body', readFont(at(value, 'body')) ?? both),
  };
}

function readFont(value: unknown): Font | undefined {
  const family = textAt(value, 'family')
    ?.replaceAll(/[^\p{L}\p{N} ._-]/gu, '')
    .trim();
  if (!family) return undefined;
  const weight = textAt(value, 'weight');
  return {
    family,
    ...optional('weight', weight && /^\d{1,4}(?:\.\d+)?$/.test(weight) ? weight : undefined),
    ...optional('source', textAt(value, 'source')),
    ...optional('format', textAt(value, 'format')),
  };
}

function readAppearances(value: unknown): Appearances | undefined {
  const both = asText(value);
  const light = both ?? textAt(value, 'light') ?? textAt(value, 'dark');
  const dark = both ?? textAt(value, 'dark') ?? light;
  return light && dark ? { light, dark } : undefined;
}

function readLogo(value: unknown): SiteSettings['logo'] {
  const pictures = readAppearances(value);
  return pictures && { ...pictures, ...optional('href', textAt(value, 'href')) };
}

function readAppearance(config: JsonObject): SiteSettings['appearance'] {
  const initial = textAt(config, 'appearance', 'default');
  return {
    initial: initial === 'light' || initial === 'dark' ? initial : 'system',
    strict: at(config, 'appearance', 'strict') === true,
  };
}

export function readContextual(value: unknown): ContextualMenu {
  const options = asList(at(value, 'options')).flatMap((item): ContextualOption[] => {
    if (typeof item === 'string') return [{ kind: 'known', id: item }];
    const title = textAt(item, 'title');
    const href = textAt(item, 'href') ?? addressWithQuery(at(item, 'href'));
    if (!title || !href) return [];
    return [
      {
        kind: 'own',
        title,
        href,
        ...optional('description', textAt(item, 'description')),
        ...optional('icon', iconText(at(item, 'icon'), at(item, 'iconType'))),
      },
    ];
  });
  return { options, display: at(value, 'display') === 'toc' ? 'toc' : 'header' };
}

function addressWithQuery(value: unknown): string | undefined {
  const base = textAt(value, 'base');
  if (!base) return undefined;
  const query = at(value, 'query');
  const pairs = Array.isArray(query)
    ? query.map((pair) => [textAt(pair, 'key') ?? '', textAt(pair, 'value') ?? ''] as const)
    : Object.entries(stringRecord(query));
  const text = pairs.map(([key, item]) => `${encodeURIComponent(key)}=${encodeURIComponent(item)}`).join('&');
  return text ? `${base}${base.includes('?') ? '&' : '?'}${text}` : base;
}

function stringRecord(value: unknown): Record<string, string> {
  const entries = Object.entries(asObject(value) ?? {}).flatMap(([key, item]) => {
    const text = asText(item);
    return text === undefined || key === '__proto__' ? [] : [[key, text] as const];
  });
  return Object.fromEntries(entries);
}
