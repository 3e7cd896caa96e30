/**
 * The settings file: YAML or JSON, for one site or with a list of sites. It knows which settings exist at which
 * place, and the line of each.
 */
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml';
import { ConfigError } from '../errors.ts';
import { fileErrorReason } from '../disk/file-error.ts';
import { closestName } from './closest-name.ts';
import { entrySettings, type Setting, siteSettings } from './settings-table.ts';

/** The top of the file, or an entry of `sites`. */
export interface FileSection {
  /** Undefined for a missing setting. */
  valueOf(path: string): unknown;
  /** File, line and path, for messages. */
  placeOf(path: string): string;
}

export interface SettingsFile extends FileSection {
  /** Paths in the file are relative to it. */
  folder: string;
  /** Null for the file of one site. */
  entries: FileSection[] | null;
}

type Content = Record<string, unknown>;

const settings: readonly Setting[] = Object.values(siteSettings);
const topPaths = settings.map(({ path }) => path);
const entryPaths = [
  ...Object.values(entrySettings).map(({ path }) => path as string),
  ...settings.filter(({ scope }) => scope !== 'process').map(({ path }) => path),
];
const sections = [
  ...new Set(topPaths.filter((path) => path.includes('.')).map((path) => path.split('.', 1)[0] ?? '')),
];

export function openSettingsFile(file: string): SettingsFile {
  const { content, lineOf } = parseFile(file);
  const at = (path: readonly (string | number)[]) => `${file}${lineOf(path)}`;
  const { sites, ...top } = content;
  const hasSites = Object.hasOwn(content, 'sites');
  refuseUnknownKeys(top, { known: topPaths, path: [], at });
  if (hasSites) refuseSettingsOfOneSite(top, at);
  return {
    ...sectionOf(content, [], at),
    folder: dirname(resolve(file)),
    entries: hasSites ? entriesOf(sites, at) : null,
  };
}

type At = (path: readonly (string | number)[]) => string;

function entriesOf(sites: unknown, at: At): FileSection[] {
  if (!Array.isArray(sites) || sites.length === 0)
    throw new ConfigError(`${at(['sites'])}: sites must be a list of sites, each with its own settings.`);
  return sites.map((entry: unknown, index) => {
    const path = ['sites', index];
    if (!isContent(entry))
      throw new ConfigError(
        `${at(path)}: sites[${index}] must hold settings, such as host and staticExport.`,
      );
    refuseUnknownKeys(entry, { known: entryPaths, path, at });
    return sectionOf(entry, path, at);
  });
}

function sectionOf(content: Content, path: readonly (string | number)[], at: At): FileSection {
  return {
    valueOf: (name) => valueAt(content, name),
    placeOf: (name) => `${at([...path, ...name.split('.')])}: ${shownPath(path)}${name}`,
  };
}

function refuseUnknownKeys(
  content: Content,
  { known, path, at }: { known: readonly string[]; path: readonly (string | number)[]; at: At },
): void {
  const shown = shownPath(path);
  const given = Object.entries(content).flatMap(([key, value]) => {
    if (!sections.includes(key)) return [key];
    if (value !== null && !isContent(value))
      throw new ConfigError(
        `${at([...path, key])}: ${shown}${key} must hold settings, such as ${exampleOf(key, known)}.`,
      );
    return Object.keys(value ?? {}).map((inner) => `${key}.${inner}`);
  });
  for (const name of given) {
    if (known.includes(name)) continue;
    const place = at([...path, ...name.split('.')]);
    if (topPaths.includes(name))
      throw new ConfigError(`${place}: ${name} is a setting of the process. Move it to the top of the file.`);
    const near = closestName(name, [...sections, ...known, ...(path.length === 0 ? ['sites'] : [])]);
    const hint = near === undefined ? `Known: ${known.join(', ')}.` : `Did you mean ${near}?`;
    throw new ConfigError(`${place}: there is no setting ${shown}${name}. ${hint}`);
  }
}

function refuseSettingsOfOneSite(top: Content, at: At): void {
  for (const { path, scope } of settings) {
    if (scope === 'site' && valueAt(top, path) !== undefined)
      throw new ConfigError(
        `${at(path.split('.'))}: ${path} is a setting of one site. Move it into an entry of sites.`,
      );
  }
}

function exampleOf(section: string, known: readonly string[]): string {
  const names = known.filter((path) => path.startsWith(`${section}.`));
  return names
    .map((path) => path.slice(section.length + 1))
    .slice(0, 3)
    .join(', ');
}

/** `sites[2].` */
function shownPath(path: readonly (string | number)[]): string {
  return path.length === 0 ? '' : `${path[0]}[${path[1]}].`;
}

/** YAML is a superset of JSON. Aliases are limited against expansion attacks. */
function parseFile(file: string): { content: Content; lineOf(path: readonly (string | number)[]): string } {
  let source: string;
  try {
    source = readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError(`${file} cannot be read: ${fileErrorReason(error)}.`, { cause: error });
  }
  const lines = new LineCounter();
  let document: Document;
  let content: unknown;
  try {
    document = parseDocument(source, { prettyErrors: true, lineCounter: lines });
    const [error] = document.errors;
    if (error !== undefined) throw error;
    content = document.toJS({ maxAliasCount: 100 }) ?? {};
  } catch (error) {
    throw new ConfigError(`${file} is neither YAML nor JSON: ${(error as Error).message.split('\n', 1)[0]}`);
  }
  if (!isContent(content))
    throw new ConfigError(`${file} must hold settings, such as staticExport: { bundleUrl: … }.`);
  return {
    content,
    lineOf(path) {
      const offset = offsetOf(document, path);
      return offset === undefined ? '' : `:${lines.linePos(offset).line}`;
    },
  };
}

/** Of the key, or of the nearest key above a missing one. */
function offsetOf(document: Document, path: readonly (string | number)[]): number | undefined {
  let node: unknown = document.contents;
  let offset: number | undefined;
  for (const name of path) {
    if (isAlias(node)) node = node.resolve(document);
    if (isSeq(node)) {
      node = node.items[Number(name)];
      offset = (node as Node | undefined)?.range?.[0] ?? offset;
    } else if (isMap(node)) {
      const pair = node.items.find(({ key }) => (isScalar(key) ? key.value : key) === name);
      if (pair === undefined) return offset;
      offset = (pair.key as Node).range?.[0] ?? offset;
      node = pair.value;
    } else return offset;
  }
  return offset;
}

function valueAt(content: Content, path: string): unknown {
  let value: unknown = content;
  for (const key of path.split('.')) {
    if (!isContent(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}

function isContent(value: unknown): value is Content {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
