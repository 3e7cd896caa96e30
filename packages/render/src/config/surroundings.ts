/** Reads header links, footer and banner, for the site and for languages that override them. */
import { iconText } from '../icons/reference.ts';
import { asList, asObject, asText, at, textAt } from './json.ts';
import { isColor } from './shape.ts';
import type { JsonObject } from '../model/json.ts';

export interface LinkItem {
  label: string;
  href: string;
  icon?: string;
}

export interface FooterColumn {
  header?: string;
  items: LinkItem[];
}

export interface Banner {
  content: string;
  dismissible: boolean;
  kind: 'info' | 'warning' | 'critical';
  color?: { light: string; dark: string };
}

export interface Surroundings {
  navbar: { links: LinkItem[]; primary?: LinkItem };
  footer: { socials: LinkItem[]; columns: FooterColumn[] };
  banner?: Banner;
}

export function readSurroundings(config: JsonObject): Surroundings {
  const banner = readBanner(config['banner']);
  return {
    navbar: readNavbar(config['navbar']),
    footer: { socials: readSocials(at(config, 'footer', 'socials')), columns: readColumns(config['footer']) },
    ...(banner ? { banner } : {}),
  };
}

/** Undefined when the language overrides nothing. */
export function overriddenSurroundings(own: Surroundings, node: JsonObject): Surroundings | undefined {
  if (!['navbar', 'footer', 'banner'].some((key) => asObject(node[key]))) return undefined;
  const read = readSurroundings(node);
  const banner = asObject(node['banner']) ? read.banner : own.banner;
  return {
    navbar: asObject(node['navbar']) ? read.navbar : own.navbar,
    footer: asObject(node['footer']) ? read.footer : own.footer,
    ...(banner ? { banner } : {}),
  };
}

function readNavbar(value: unknown): Surroundings['navbar'] {
  const primary = readLink(at(value, 'primary'));
  return { links: readLinks(at(value, 'links')), ...(primary ? { primary } : {}) };
}

function readLinks(value: unknown): LinkItem[] {
  return asList(value).flatMap((item) => readLink(item) ?? []);
}

function readLink(value: unknown): LinkItem | undefined {
  const href = textAt(value, 'href') ?? textAt(value, 'url');
  if (!href) return undefined;
  const type = textAt(value, 'type');
  const brand = type === 'github' || type === 'discord' ? type : undefined;
  const icon = iconText(at(value, 'icon'), at(value, 'iconType')) ?? brand;
  const label =
    textAt(value, 'label') ?? textAt(value, 'name') ?? brandNames[brand ?? ''] ?? nameOfAddress(href);
  return { label, href, ...(icon ? { icon } : {}) };
}

function nameOfAddress(href: string): string {
  const project = /^https?:\/\/(?:www\.)?github\.com\/([^/]+\/[^/?#]+)/i.exec(href)?.[1];
  return project ?? href.replace(/^[a-z]+:(?:\/\/)?(?:www\.)?/i, '').replace(/\/$/, '');
}

const brandNames: Record<string, string> = {
  x: 'X',
  'x-twitter': 'X',
  github: 'GitHub',
  linkedin: 'LinkedIn',
  youtube: 'YouTube',
  'hacker-news': 'Hacker News',
  'earth-americas': 'Website',
};

const socialIcons: Record<string, string> = {
  x: 'brands:x-twitter',
  'x-twitter': 'brands:x-twitter',
  twitter: 'brands:twitter',
  website: 'globe',
  'earth-americas': 'globe',
  podcast: 'podcast',
};

function readSocials(value: unknown): LinkItem[] {
  const entries = Array.isArray(value)
    ? value.map(
        (item) =>
          [
            textAt(item, 'type') ?? textAt(item, 'platform') ?? 'website',
            at(item, 'url') ?? at(item, 'href'),
          ] as const,
      )
    : Object.entries(asObject(value) ?? {});
  return entries.flatMap(([key, address]) => {
    const href = asText(address);
    if (href === undefined) return [];
    const label = brandNames[key] ?? key.charAt(0).toUpperCase() + key.slice(1).replaceAll('-', ' ');
    return [{ label, href, icon: socialIcons[key] ?? `brands:${key}` }];
  });
}

function readColumns(footer: unknown): FooterColumn[] {
  return asList(at(footer, 'links')).flatMap((column) => {
    const items = readLinks(at(column, 'items') ?? at(column, 'links'));
    const header = textAt(column, 'header') ?? textAt(column, 'title');
    return items.length ? [{ ...(header ? { header } : {}), items }] : [];
  });
}

function readBanner(value: unknown): Banner | undefined {
  const content = textAt(value, 'content');
  if (content === undefined) return undefined;
  const kind = textAt(value, 'type');
  const color = readColorPair(at(value, 'color'));
  return {
    content,
    dismissible: at(value, 'dismissible') === true,
    kind: kind === 'warning' || kind === 'critical' ? kind : 'info',
    ...(color ? { color } : {}),
  };
}

/** A color for one appearance is used for both when the other is missing. */
export function readColorPair(value: unknown): { light: string; dark: string } | undefined {
  const light = isColor(value) ? value : at(value, 'light');
  const dark = isColor(value) ? value : at(value, 'dark');
  const [first] = [light, dark].filter(isColor);
  return first === undefined
    ? undefined
    : { light: isColor(light) ? light : first, dark: isColor(dark) ? dark : first };
}
