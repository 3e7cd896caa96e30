/**
 * Validates authors' inline styles, as text (`style="…"`) or object (`style={{…}}`). Pages contain no style
 * attribute; each distinct set of declarations becomes one class of the site's stylesheet.
 */
import { createHash } from 'node:crypto';
import { ObjectValue, type Value } from '../evaluate/values.ts';

const unitless = new Set(
  'flex flex-grow flex-shrink font-weight line-height opacity order z-index zoom columns aspect-ratio'.split(
    ' ',
  ),
);
/** Security: rejects values that load, execute or end the declaration. */
const refusedValue = /[;{}<>\\@]|url\s*\(|expression|javascript|image-set|import/i;
const file = /\burl\(\s*(?:"([^"]*)"|'([^']*)'|([^"'()\s]*))\s*\)/gi;

/** The address of a site file relative to the stylesheet, escaped for `url()`. */
type FileAddress = (written: string) => string | undefined;

export function declarationsOf(value: Value, fileAddress: FileAddress): string {
  const declaration = (property: string, written: string): string[] =>
    declared(property, written, fileAddress);
  if (typeof value === 'string') return fromText(value, declaration);
  if (!(value instanceof ObjectValue)) return '';
  return [...value.entries]
    .flatMap(([key, item]) => {
      const property = key.startsWith('--') ? key : withHyphens(key);
      if (typeof item === 'number')
        return declaration(property, item === 0 || unitless.has(property) ? String(item) : `${item}px`);
      return typeof item === 'string' ? declaration(property, item) : [];
    })
    .join('; ');
}

export function withHyphens(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function fromText(text: string, declaration: (property: string, written: string) => string[]): string {
  return text
    .split(';')
    .flatMap((part) => {
      const colon = part.indexOf(':');
      return colon < 0 ? [] : declaration(part.slice(0, colon).trim().toLowerCase(), part.slice(colon + 1));
    })
    .join('; ');
}

function declared(property: string, written: string, fileAddress: FileAddress): string[] {
  const clean = written.trim().replaceAll(/\s+/g, ' ');
  if (!/^-{0,2}[a-z][a-z0-9-]*$/.test(property) || clean === '') return [];
  const files: string[] = [];
  const rest = clean.replaceAll(file, (_, double?: string, single?: string, bare?: string) => {
    const address = fileAddress(double ?? single ?? bare ?? '');
    files.push(address === undefined ? 'none' : `url("${address}")`);
    return '\0';
  });
  if (refusedValue.test(rest)) return [];
  return [`${property}: ${rest.replaceAll('\0', () => files.shift() ?? 'none')}`];
}

export function classOfDeclarations(declarations: string): string {
  return `dy-s-${createHash('sha256').update(declarations).digest('hex').slice(0, 10)}`;
}

const pageStylesheets = '_docyard/styles/';

/** The file for rules of a page. Relative addresses resolve from where they are written. */
export function pageStylesheet(css: string, from: string): string {
  const text = /url\(/i.test(css) ? `${from}\n${css}` : css;
  return `${pageStylesheets}${createHash('sha256').update(text).digest('hex').slice(0, 12)}.css`;
}

export function isPageStylesheet(name: string): boolean {
  return name.startsWith(pageStylesheets);
}
