/**
 * Protects the settings in docs.json that add code, tracking or other hosts to every page. A run may arrange
 * pages; users decide about these settings.
 */
import { type ParseError, parse } from 'jsonc-parser';
import { posix } from 'node:path';
import type { DiffFile } from '../contract.ts';
import {
  type Change,
  type Objection,
  type PolicySettings,
  type Rule,
  addedTo,
  block,
  draft,
  quoted,
} from './rule.ts';

export const configRule: Rule = { name: 'config', judge: judgeConfig };

function judgeConfig({ files, settings }: Change): Objection[] {
  const parts = new Map([...settings.existing.configParts, ...newParts(files, settings)]);
  return files.flatMap((file) => {
    const key = configKey(file.path, settings, parts);
    if (key === undefined) return [];
    if (file.status === 'removed') return [block(file.path, 'A settings file is removed.')];
    if (file.status === 'moved') return [block(file.path, 'A settings file is moved.')];
    const now = readLeaves(file.after, key);
    if (now === undefined) return [block(file.path, 'The settings cannot be read.')];
    const then = readLeaves(file.before, key) ?? [];
    return [...judgeKeys(file.path, then, now, settings), ...judgeValues(file.path, then, now, settings)];
  });
}

function configKey(
  path: string,
  { docsRoot }: PolicySettings,
  parts: ReadonlyMap<string, string>,
): string | undefined {
  const root = docsRoot.replaceAll(/^\/+|\/+$/g, '');
  const inside = root !== '' && path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;
  if (/^(?:docs|mint)\.json$/i.test(posix.basename(inside))) return '';
  return parts.get(inside);
}

function newParts(files: readonly DiffFile[], settings: PolicySettings): [string, string][] {
  return files
    .filter(({ path }) => configKey(path, settings, new Map()) === '')
    .flatMap(({ path, after }) =>
      (readLeaves(after, '') ?? [])
        .filter(({ key, value }) => isReference(key) && typeof value === 'string')
        .map(({ key, value }): [string, string] => [
          posix.join(posix.dirname(path), String(value)),
          key.replace(/\.?\$ref$/, ''),
        ]),
    );
}

export interface Leaf {
  /** Names joined with dots, without list indexes, so that order does not matter. */
  key: string;
  value: unknown;
}

/** No setting is this deep; a deeper file would only cost time. */
const maxKeyCharacters = 500;

/** Undefined if the text is not JSON or is nested too deeply. */
export function readLeaves(text: string | null, prefix: string): Leaf[] | undefined {
  if (text === null) return undefined;
  const root = parsed(text);
  if (root === undefined) return undefined;
  const leaves: Leaf[] = [];
  const open: Leaf[] = [{ key: prefix, value: root }];
  for (let part = open.pop(); part; part = open.pop()) {
    const { key, value } = part;
    if (key.length > maxKeyCharacters) return undefined;
    if (Array.isArray(value)) for (const item of value) open.push({ key, value: item });
    else if (typeof value === 'object' && value !== null)
      for (const [name, item] of Object.entries(value))
        open.push({ key: key === '' ? name : `${key}.${name}`, value: item });
    else leaves.push(part);
  }
  return leaves;
}

/** The parser is recursive, so deeply nested brackets can exhaust the stack. */
function parsed(text: string): unknown {
  const errors: ParseError[] = [];
  try {
    const root: unknown = parse(text.replace(/^\uFEFF/, ' '), errors, { allowTrailingComma: true });
    return errors.length === 0 ? root : undefined;
  } catch {
    return undefined;
  }
}

const protectedKeys =
  /^(?:integrations|analytics|scripts?|head|plugins|telemetry|css|js|styles|custom(?:Css|Js|Scripts?|Domains?)|domains?|subdomain|canonical(?:Url)?|url|base(?:Url|Path)|auth(?:entication)?|userAuth|api\.(?:proxy|baseUrl|auth|playground\.(?:proxy|disableProxy|credentials)|mdx\.(?:server|auth)))(?:\.|$)/i;
/** These tags prove ownership of the site or redirect its readers. */
const ownershipTag = /(?:^|\.)(?:metatags|metadata)\..*(?:verif|refresh|security-policy|canonical)/i;
const metaTag = /(?:^|\.)(?:metatags|metadata)(?:\.|$)/i;

function judgeKeys(path: string, then: Leaf[], now: Leaf[], settings: PolicySettings): Objection[] {
  const changed = [...addedTo(then, now, identity), ...addedTo(now, then, identity)];
  const keys = [...new Set(changed.map(({ key }) => key))].filter((key) => !isAllowed(key, settings));
  return keys.flatMap((key) => {
    if (protectedKeys.test(key) || ownershipTag.test(key))
      return [block(path, `The setting ${quoted(key)} is protected and was changed.`)];
    return metaTag.test(key) ? [draft(path, `The setting ${quoted(key)} is changed.`)] : [];
  });
}

function judgeValues(path: string, then: Leaf[], now: Leaf[], settings: PolicySettings): Objection[] {
  return addedTo(then, now, identity).flatMap(({ key, value }) => {
    if (typeof value !== 'string' || isAllowed(key, settings)) return [];
    if (isReference(key)) return [judgeReference(path, value)];
    if (isOtherHost(value) && /(?:^|\.)redirects?\.|(?:^|\.)redirect$/i.test(key))
      return [block(path, `A redirect leads to ${quoted(value)}.`)];
    if (isOtherHost(value) && /(?:^|\.)(?:openapi|asyncapi)(?:\.|$)/i.test(key))
      return [block(path, `An API description is fetched from ${quoted(value)}.`)];
    // Browsers ignore white space and control characters in a scheme.
    if (/^(?:javascript|vbscript|data|blob|file):/i.test(value.replaceAll(/[\s\p{Cc}]/gu, '')))
      return [block(path, `The setting ${quoted(key)} contains an address that can run code.`)];
    return activeMarkup.test(value)
      ? [block(path, `The setting ${quoted(key)} contains active markup.`)]
      : [];
  });
}

const activeMarkup =
  /<\s{0,10}(?:script|iframe|object|embed|form|base|meta|link|style|svg)\b|[\s"'/]on[a-z]{3,40}\s{0,10}=|\]\(\s{0,10}(?:javascript|vbscript|data):/i;

function judgeReference(path: string, target: string): Objection {
  const inside = posix.join(posix.dirname(path), target);
  return isOtherHost(target) || /^[\\/]|^\.\.(?:\/|$)|\\/.test(target) || inside.startsWith('..')
    ? block(path, `Settings are read from outside the docs folder: ${quoted(target)}.`)
    : draft(path, `Settings are read from another file: ${quoted(target)}.`);
}

function isReference(key: string): boolean {
  return /(?:^|\.)\$ref$/.test(key);
}

function isOtherHost(value: string): boolean {
  return /^\s*(?:[a-z][a-z0-9+.-]*:|[\\/]{2})/i.test(value);
}

function isAllowed(key: string, { allowedConfigKeys }: PolicySettings): boolean {
  return allowedConfigKeys.some((allowed) => key === allowed || key.startsWith(`${allowed}.`));
}

function identity({ key, value }: Leaf): string {
  return JSON.stringify([key, value]);
}
