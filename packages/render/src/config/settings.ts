/**
 * The configuration as the rest of the renderer sees it: checked, defaulted and typed.
 * Unknown keys and wrong types become findings; nothing here can make a site unrenderable.
 */
import type { Diagnostic } from '../check/diagnostic.ts';
import { placeAt } from '../check/diagnostic.ts';
import { type JsonObject, asList, asObject, asText, at, textAt } from './json.ts';
import type { ConfigSource } from './read.ts';

export interface LinkItem {
  label: string;
  href: string;
  icon?: string;
}

export interface FooterColumn {
  header?: string;
  items: LinkItem[];
}

export interface Redirect {
  source: string;
  destination: string;
  permanent: boolean;
}

/** A picture or colour that may differ between the light and the dark appearance. */
export interface Appearances {
  light: string;
  dark: string;
}

export interface SiteSettings {
  name: string;
  description?: string;
  theme: string;
  colors: { primary: string; light?: string; dark?: string };
  background?: Partial<Appearances>;
  logo?: Appearances & { href?: string };
  favicon?: Appearances;
  appearance: { initial: 'system' | 'light' | 'dark'; strict: boolean };
  navbar: { links: LinkItem[]; primary?: LinkItem };
  footer: { socials: LinkItem[]; columns: FooterColumn[] };
  banner?: { content: string; dismissible: boolean };
  redirects: Redirect[];
  variables: Record<string, string>;
  metatags: Record<string, string>;
  indexHidden: boolean;
  notFound: { title?: string; description?: string };
  breadcrumbs: boolean;
}

const knownKeys = new Set(
  (
    '$schema theme name description public colors logo favicon appearance background fonts icons styling thumbnails navbar ' +
    'navigation footer banner interaction contextual redirects variables metadata errors api seo search markdown integrations ' +
    'feedback variations'
  ).split(' '),
);

const defaultPrimary = '#2563eb';

export function readSettings(
  source: ConfigSource,
  fallbackName: string,
): { settings: SiteSettings; diagnostics: Diagnostic[] } {
  const { config } = source;
  const diagnostics = unknownKeyFindings(source);
  const settings: SiteSettings = {
    name: textAt(config, 'name') ?? fallbackName,
    ...optional('description', textAt(config, 'description')),
    theme: textAt(config, 'theme') ?? 'mint',
    colors: readColors(source, diagnostics),
    ...optional('background', readBackground(config)),
    ...optional('logo', readLogo(config['logo'])),
    ...optional('favicon', readAppearances(config['favicon'])),
    appearance: readAppearance(config),
    navbar: readNavbar(config),
    footer: { socials: readSocials(at(config, 'footer', 'socials')), columns: readColumns(config) },
    ...optional('banner', readBanner(config)),
    redirects: readRedirects(config),
    variables: stringRecord(config['variables']),
    metatags: stringRecord(at(config, 'seo', 'metatags')),
    indexHidden: at(config, 'seo', 'indexing') === 'all',
    notFound: {
      ...optional('title', textAt(config, 'errors', '404', 'title')),
      ...optional('description', textAt(config, 'errors', '404', 'description')),
    },
    breadcrumbs: at(config, 'styling', 'eyebrows') === 'breadcrumbs',
  };
  return { settings, diagnostics };
}

function unknownKeyFindings({ file, text, config }: ConfigSource): Diagnostic[] {
  if (file !== 'docs.json') return [];
  return Object.keys(config)
    .filter((key) => !knownKeys.has(key))
    .map((key) => ({
      severity: 'warning',
      code: 'config_unknown_key',
      message: `"${key}" is not a known setting and is ignored`,
      file,
      ...placeOfKey(text, key),
    }));
}

function placeOfKey(text: string, key: string): { line?: number; column?: number } {
  const offset = text.indexOf(JSON.stringify(key));
  return offset < 0 ? {} : placeAt(text, offset);
}

/** `{ key: value }` when there is a value, else nothing: absent keys stay absent under exact optional types. */
function optional<Key extends string, Value>(
  key: Key,
  value: Value | undefined,
): Partial<Record<Key, Value>> {
  return value === undefined ? {} : ({ [key]: value } as Record<Key, Value>);
}

function isColor(value: string | undefined): value is string {
  return value !== undefined && /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i.test(value);
}

function readColors(source: ConfigSource, diagnostics: Diagnostic[]): SiteSettings['colors'] {
  const colors = asObject(source.config['colors']) ?? {};
  for (const key of ['primary', 'light', 'dark']) {
    const value = asText(colors[key]);
    if (value === undefined || isColor(value)) continue;
    diagnostics.push({
      severity: 'warning',
      code: 'config_color',
      message: `colors.${key} "${value}" is not a 3 or 6 digit hex colour and is ignored`,
      file: source.file ?? 'docs.json',
      ...placeOfKey(source.text, 'colors'),
    });
  }
  const color = (key: string): string | undefined => {
    const value = asText(colors[key]);
    return isColor(value) ? value : undefined;
  };
  return {
    primary: color('primary') ?? defaultPrimary,
    ...optional('light', color('light')),
    ...optional('dark', color('dark')),
  };
}

function readBackground(config: JsonObject): Partial<Appearances> | undefined {
  const light = textAt(config, 'background', 'color', 'light');
  const dark = textAt(config, 'background', 'color', 'dark');
  if (!isColor(light) && !isColor(dark)) return undefined;
  return { ...(isColor(light) ? { light } : {}), ...(isColor(dark) ? { dark } : {}) };
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

function readLink(value: unknown): LinkItem | undefined {
  const href = textAt(value, 'href') ?? textAt(value, 'url');
  if (!href) return undefined;
  const type = textAt(value, 'type');
  const icon = textAt(value, 'icon') ?? textAt(value, 'icon', 'name') ?? type;
  const label =
    textAt(value, 'label') ??
    textAt(value, 'name') ??
    brandNames[icon ?? ''] ??
    href.replace(/^https?:\/\//, '');
  return { label, href, ...optional('icon', icon === 'button' ? undefined : icon) };
}

function readNavbar(config: JsonObject): SiteSettings['navbar'] {
  return {
    links: readLinks(at(config, 'navbar', 'links')),
    ...optional('primary', readLink(at(config, 'navbar', 'primary'))),
  };
}

function readLinks(value: unknown): LinkItem[] {
  return asList(value).flatMap((item) => readLink(item) ?? []);
}

const brandNames: Record<string, string> = {
  x: 'X',
  twitter: 'Twitter',
  'x-twitter': 'X',
  github: 'GitHub',
  discord: 'Discord',
  slack: 'Slack',
  linkedin: 'LinkedIn',
  youtube: 'YouTube',
  'hacker-news': 'Hacker News',
  'earth-americas': 'Website',
};

function readSocials(value: unknown): LinkItem[] {
  return Object.entries(stringRecord(value)).map(([key, href]) => ({
    label: brandNames[key] ?? key.charAt(0).toUpperCase() + key.slice(1),
    href,
    icon: key,
  }));
}

function readColumns(config: JsonObject): FooterColumn[] {
  return asList(at(config, 'footer', 'links')).flatMap((column) => {
    const items = readLinks(at(column, 'items'));
    return items.length ? [{ ...optional('header', textAt(column, 'header')), items }] : [];
  });
}

function readBanner(config: JsonObject): SiteSettings['banner'] {
  const content = textAt(config, 'banner', 'content');
  return content ? { content, dismissible: at(config, 'banner', 'dismissible') === true } : undefined;
}

function readRedirects(config: JsonObject): Redirect[] {
  return asList(config['redirects']).flatMap((item) => {
    const source = textAt(item, 'source');
    const destination = textAt(item, 'destination');
    if (!source || !destination) return [];
    return [{ source, destination, permanent: at(item, 'permanent') !== false }];
  });
}

function stringRecord(value: unknown): Record<string, string> {
  const entries = Object.entries(asObject(value) ?? {}).flatMap(([key, item]) => {
    const text = asText(item);
    return text === undefined || key === '__proto__' ? [] : [[key, text] as const];
  });
  return Object.fromEntries(entries);
}
