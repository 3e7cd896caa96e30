/**
 * MDX pages are code. A run may write text and use components, but must not add imports, calls, scripts or
 * handlers.
 */
import type { PageCode } from '@docyard/render/source-rules';
import type { DiffFile } from '../contract.ts';
import { type Change, type Objection, type Rule, addedTo, block, draft, isPage, quoted } from './rule.ts';

export const pageRule: Rule = {
  name: 'pages',
  judge: (change) => change.files.flatMap((file) => judgePage(file, change)),
};

function judgePage({ path, from, before, after }: DiffFile, { pageCode }: Change): Objection[] {
  if (after === null || !isPage(path)) return [];
  const now = pageCode(after);
  if (now === undefined) return [block(path, 'The page cannot be parsed, so its code is unknown.')];
  const then = (before !== null && isPage(from ?? path) && pageCode(before)) || empty;
  return [
    ...judgeModules(path, then, now),
    ...judgeActions(path, then, now),
    ...judgeElements(path, then, now),
    ...judgeAttributes(path, then, now),
  ];
}

const empty: Pick<PageCode, 'modules' | 'actions' | 'elements' | 'attributes'> = {
  modules: [],
  actions: [],
  elements: [],
  attributes: [],
};
type Then = typeof empty;

/** Snippets are imported like code; a Markdown file of the site is judged like a page. */
const snippetImport = /^import\s+[A-Z]\w*\s+from\s+(["'])(?:\.{0,2}\/|_?snippets\/)[\w@./ -]+\.mdx?\1;?$/;

function judgeModules(path: string, then: Then, now: PageCode): Objection[] {
  const before = splitModules(then.modules);
  const after = splitModules(now.modules);
  const found = addedTo(before.imports, after.imports, (line) => line).map((line) =>
    snippetImport.test(line)
      ? draft(path, `A snippet is imported: ${quoted(line)}.`)
      : block(path, `An import is added: ${quoted(line)}.`),
  );
  if (after.rest !== '' && after.rest !== before.rest)
    found.push(block(path, `An export is added or changed: ${quoted(after.rest)}.`));
  return found;
}

/** Single-line imports may be added or removed; everything else must stay unchanged. */
function splitModules(modules: readonly string[]): { imports: string[]; rest: string } {
  const lines = modules.flatMap((text) => text.split('\n').map((line) => line.trim()));
  const isImport = (line: string) => /^import\s.*['"];?$/.test(line);
  const rest = lines.filter((line) => !isImport(line));
  return { imports: lines.filter(isImport), rest: rest.join('\n').trim() };
}

function judgeActions(path: string, then: Then, now: PageCode): Objection[] {
  const known = new Set(then.actions.map(({ name }) => name));
  return addedTo(then.actions, now.actions, ({ text }) => text).map(({ name, text }) =>
    known.has(name) && name !== 'unreadable'
      ? draft(path, `Existing code is changed: ${quoted(text)}.`)
      : block(path, `Code is added to an expression: ${quoted(text)}.`),
  );
}

const activeElement =
  /^(?:script|iframe|object|embed|form|base|meta|link|style|frame|frameset|applet|portal|template|noscript|foreignobject|animate|set)$/;

/** `<Frame>` is a component, but `<SCRIPT>` and `<svg:script>` are scripts. */
function isActive(element: string): boolean {
  const name = element.split(/[:.]/).at(-1) ?? element;
  const isComponent = /^[A-Z].*[a-z]/.test(name) && !/^(?:script|iframe)$/i.test(name);
  return !isComponent && activeElement.test(name.toLowerCase());
}

function judgeElements(path: string, then: Then, now: PageCode): Objection[] {
  return addedTo(then.elements, now.elements, (name) => name)
    .filter((name) => isActive(name))
    .map((name) => block(path, `<${name}> is added.`));
}

/** `once`, `only` and `one` are component properties, not handlers. */
const handler = /^on(?!ce$|ly$|e$)/i;
const writesMarkup =
  /^(?:dangerouslySetInnerHTML|inner-?HTML|outerHTML|srcdoc|formaction|ping|is|http-?equiv)$/i;
const holdsAddress = /^(?:href|src|srcset|action|data|poster|background|to|url|xlink:?href)$/i;
const plainName = /^[\w$]+(?:\.[\w$]+)*$/;

function judgeAttributes(path: string, then: Then, now: PageCode): Objection[] {
  const added = addedTo(then.attributes, now.attributes, ({ element, name, value }) =>
    JSON.stringify([element, name, value]),
  );
  return added.flatMap(({ element, name, value, isCode }) => {
    if (handler.test(name)) return [block(path, `<${element}> gets the event handler ${quoted(name)}.`)];
    if (writesMarkup.test(name))
      return [block(path, `<${element}> gets ${quoted(name)}, which can run code.`)];
    if (name === '...') return [block(path, `<${element}> gets spread attributes.`)];
    if (isActive(element)) return [block(path, `${quoted(name)} of <${element}> is changed.`)];
    if (isCode && holdsAddress.test(name) && !plainName.test(value))
      return [block(path, `The address of <${element}> is computed: ${quoted(value)}.`)];
    return [];
  });
}
