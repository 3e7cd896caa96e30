/**
 * Icons by name as inline SVG: Font Awesome Free, Lucide and Tabler. Sets are loaded on first use. A name
 * missing in the requested set is looked up in the others.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { nearestNames } from './free-alternatives.ts';
import { type IconReference, readIconText } from './reference.ts';
import type { IconLibrary } from '../model/site-plan.ts';

const require = createRequire(import.meta.url);

const setFiles = {
  'fa7-solid': () => require.resolve('@iconify-json/fa7-solid/icons.json'),
  'fa7-regular': () => require.resolve('@iconify-json/fa7-regular/icons.json'),
  'fa7-brands': () => require.resolve('@iconify-json/fa7-brands/icons.json'),
  lucide: () => require.resolve('@iconify-json/lucide/icons.json'),
  tabler: () => require.resolve('@iconify-json/tabler/icons.json'),
} as const;
type SetName = keyof typeof setFiles;

interface IconSet {
  width: number;
  height: number;
  icons: Record<string, { body: string; width?: number; height?: number }>;
  aliases?: Record<string, { parent: string }>;
}

const sets = new Map<SetName, IconSet>();
const drawn = new Map<string, string | undefined>();

export function iconSvg(text: string, library: IconLibrary = 'fontawesome'): string | undefined {
  const key = `${library} ${text}`;
  if (!drawn.has(key)) drawn.set(key, find(readIconText(text), library));
  return drawn.get(key);
}

function find(reference: IconReference, siteLibrary: IconLibrary): string | undefined {
  const order = searchOrder(reference, siteLibrary);
  for (const name of spellings(reference.name)) {
    const own = svgFromFirst(order.own, name);
    if (own) return own;
  }
  const nearest = Object.hasOwn(nearestNames, reference.name) ? nearestNames[reference.name] : undefined;
  const names = [...(nearest ? [nearest] : []), ...spellings(reference.name)];
  for (const name of names) {
    const other = svgFromFirst([...order.own, ...order.others], name);
    if (other) return other;
  }
  return undefined;
}

function searchOrder(
  { style = '', library }: IconReference,
  siteLibrary: IconLibrary,
): { own: SetName[]; others: SetName[] } {
  const wanted = library ?? siteLibrary;
  const own = wanted === 'fontawesome' ? fontAwesomeOrder(style) : [wanted];
  return {
    own,
    others: (['lucide', 'tabler', ...fontAwesomeOrder(style)] as const).filter((set) => !own.includes(set)),
  };
}

/** Only three styles are free; each other style maps to the most similar free one. */
function fontAwesomeOrder(style: string): SetName[] {
  if (style === 'brands') return ['fa7-brands', 'fa7-solid', 'fa7-regular'];
  if (/regular|light|thin/.test(style)) return ['fa7-regular', 'fa7-solid', 'fa7-brands'];
  return ['fa7-solid', 'fa7-brands', 'fa7-regular'];
}

function spellings(name: string): string[] {
  const plain = name.replace(/^(?:lucide|tabler|icon)-/, '');
  return [...new Set([name, plain, plain.replace(/-(?:o|alt|icon|outline|outlined|line|fill|filled)$/, '')])];
}

/** Sets are large and the first usually has the icon, so they are loaded one at a time. */
function svgFromFirst(order: readonly SetName[], name: string): string | undefined {
  for (const set of order) {
    const svg = svgFrom(set, name);
    if (svg) return svg;
  }
  return undefined;
}

function svgFrom(set: SetName, name: string): string | undefined {
  const { icons, aliases = {}, width, height } = iconSet(set);
  const parent = Object.hasOwn(aliases, name) ? aliases[name]?.parent : undefined;
  const key = parent ?? name;
  const icon = Object.hasOwn(icons, key) ? icons[key] : undefined;
  if (!icon) return undefined;
  const box = `0 0 ${icon.width ?? width} ${icon.height ?? height}`;
  return `<svg class="dy-icon" viewBox="${box}" aria-hidden="true">${icon.body}</svg>`;
}

function iconSet(name: SetName): IconSet {
  const known = sets.get(name);
  if (known) return known;
  const set = JSON.parse(readFileSync(setFiles[name](), 'utf8')) as IconSet;
  sets.set(name, set);
  return set;
}
