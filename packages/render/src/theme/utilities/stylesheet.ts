/**
 * Generates the rules of the Tailwind utilities that a site's pages use. Other classes are left to the author's
 * stylesheet.
 */
import { utilityLayer } from '../../css/layers.ts';
import { partsOfClass } from '../../css/class-files.ts';
import { utilityTheme } from './theme.ts';

const maxClasses = 20_000;
const maxClassLength = 300;

/** Text that could end a rule or load a file. A backslash could escape any of it. */
const refused =
  /[;{}\\<]|\/\*|\*\/|(?:url|image|image-set|cross-fade|element|src|expression)\(|@(?:import|charset)/i;

export async function utilityStylesheet(classes: Iterable<string>): Promise<string> {
  const aliases = aliasesOf(classes);
  const candidates = [...aliases.keys()].toSorted();
  if (candidates.length === 0) return '';
  const { compile } = await import('tailwindcss');
  const compiler = await compile(utilityTheme(utilityLayer, candidates));
  const css = compiler.build(candidates);
  return css.includes(`@layer ${utilityLayer} {`) ? compact(withAliases(css, aliases)) : '';
}

function aliasesOf(classes: Iterable<string>): Map<string, string[]> {
  const aliases = new Map<string, string[]>();
  for (const entry of [...new Set(classes)].toSorted().slice(0, maxClasses)) {
    const { name, resolved } = partsOfClass(entry);
    const utility = resolved ?? utilityOf(name);
    if (utility === undefined || name.length > maxClassLength) continue;
    const known = aliases.get(utility);
    if (known) known.push(name);
    else aliases.set(utility, [name]);
  }
  return aliases;
}

function utilityOf(name: string): string | undefined {
  if (!isPossible(name) || refused.test(name)) return undefined;
  const parts = partsOf(name);
  const last = parts.pop() ?? '';
  if (parts[0] === 'mint') parts.shift();
  return [...parts, withoutPrefix(withVariable(last))].join(':');
}

/** A cheap prefilter; Tailwind decides. */
function isPossible(name: string): boolean {
  return /^[-!@*[]?[a-z[@!*&-]/.test(name) && !name.startsWith('dy-');
}

function partsOf(name: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < name.length; at++) {
    const character = name[at];
    if (character === '[' || character === '(') depth++;
    else if (character === ']' || character === ')') depth--;
    else if (character === ':' && depth === 0) {
      parts.push(name.slice(start, at));
      start = at + 1;
    }
  }
  return [...parts, name.slice(start)];
}

/** `mint-mt-4` and `-mint-mt-4` are utilities too. */
function withoutPrefix(utility: string): string {
  return utility.replace(/^(!?-?)mint-/, '$1');
}

/** `bg-[--color]` of Tailwind 3 is `bg-(--color)` in Tailwind 4. */
function withVariable(utility: string): string {
  return utility.replace(/\[(--[\w-]+)\]/, '($1)');
}

/** A class in a selector, in the format of `classSelector`. */
const writtenClass = /\.(?:[\w-]|\\3\d |\\[^\da-f]|[\u{80}-\u{10ffff}])+/giu;

function withAliases(css: string, aliases: ReadonlyMap<string, string[]>): string {
  const replacements = new Map(
    [...aliases].map(([utility, names]) => {
      const selectors = names.map(classSelector).join(', ');
      return [classSelector(utility), names.length === 1 ? selectors : `:is(${selectors})`] as const;
    }),
  );
  return css.replaceAll(writtenClass, (selector) => replacements.get(selector) ?? selector);
}

function classSelector(name: string): string {
  const escaped = name.replaceAll(/[^\w-]/g, (character) =>
    character > '\u007f' ? character : `\\${character}`,
  );
  return `.${escaped.replace(/^(-?)(\d)/, '$1\\3$2 ')}`;
}

function compact(css: string): string {
  return css.replaceAll(/\n */g, '\n');
}
