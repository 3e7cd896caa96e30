/**
 * Inline styles of authors, as text (`style="…"`) or as an object (`style={{…}}`), turned into checked declarations.
 * Pages carry no style attribute; each distinct set of declarations becomes one class of the site's stylesheet.
 */
import { createHash } from 'node:crypto';
import { ObjectValue, type Value } from '../evaluate/values.ts';

const unitless = new Set(
  'flex flex-grow flex-shrink font-weight line-height opacity order z-index zoom columns aspect-ratio'.split(
    ' ',
  ),
);
/** Nothing that loads, executes or breaks out of the declaration. */
const refusedValue = /[;{}<>\\@]|url\s*\(|expression|javascript|image-set|import/i;

export function declarationsOf(value: Value): string {
  if (typeof value === 'string') return fromText(value);
  if (!(value instanceof ObjectValue)) return '';
  return [...value.entries]
    .flatMap(([key, item]) => {
      const property = key.startsWith('--')
        ? key
        : key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
      if (typeof item === 'number')
        return declaration(property, item === 0 || unitless.has(property) ? String(item) : `${item}px`);
      return typeof item === 'string' ? declaration(property, item) : [];
    })
    .join('; ');
}

function fromText(text: string): string {
  return text
    .split(';')
    .flatMap((part) => {
      const colon = part.indexOf(':');
      return colon < 0 ? [] : declaration(part.slice(0, colon).trim().toLowerCase(), part.slice(colon + 1));
    })
    .join('; ');
}

function declaration(property: string, value: string): string[] {
  const clean = value.trim().replaceAll(/\s+/g, ' ');
  if (!/^-{0,2}[a-z][a-z0-9-]*$/.test(property) || clean === '' || refusedValue.test(clean)) return [];
  return [`${property}: ${clean}`];
}

/** The same declarations give the same class on every page and in every run. */
export function classOfDeclarations(declarations: string): string {
  return `s-${createHash('sha256').update(declarations).digest('hex').slice(0, 10)}`;
}
