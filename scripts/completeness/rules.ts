/** Everything that a page may omit on purpose. A part of a source that no rule names must be on its page. */
import type { Diagnostic } from '@docyard/render';
import { calloutLike, catalogue } from '../../packages/render/src/components/catalogue.ts';
import type { Component } from '../../packages/render/src/components/contract.ts';
import type { ContentKind } from './content.ts';
import type { JsxAttribute, Node } from '../../packages/render/src/document/tree.ts';

const commonAttributes: readonly string[] = ['title', 'label', 'caption', 'tip'];

/** Attributes whose text readers see. Aliases of a component share its entry. */
const shownAttributes = new Map(
  Object.entries({
    Card: ['cta'],
    Update: ['description'],
    ParamField: ['path', 'query', 'body', 'header', 'type'],
    ResponseField: ['name', 'type'],
    'Tree.Folder': ['name'],
    'Tree.File': ['name'],
  }).map(([name, attributes]) => [componentOf(name), attributes]),
);

/** These show attributes in another form, such as a number, a color or a picture, or pass them on to an element. */
const withoutShownAttributes = new Set(
  [
    'Icon',
    'Visibility',
    'CodeGroup',
    'Tabs',
    'Steps',
    'Columns',
    'Button',
    'Color',
    'Divider',
    'GitHub',
    'Heading',
    'Image',
    'Link',
    'MDX',
  ].map(componentOf),
);

/** Undefined for components of the author, which decide what they show of their attributes. */
function componentOf(name: string): Component | undefined {
  return catalogue.get(name) ?? calloutLike(name);
}

export function isBuiltIn(name: string): boolean {
  return componentOf(name) !== undefined;
}

export function isShownAttribute(element: string, attribute: string): boolean {
  const component = componentOf(element);
  if (component === undefined || withoutShownAttributes.has(component)) return false;
  return commonAttributes.includes(attribute) || (shownAttributes.get(component) ?? []).includes(attribute);
}

/** Why a node is not on the page; undefined when it must be. */
export function hiddenBecause(node: Node): string | undefined {
  const { type, name, lang } = node;
  if (type === 'mdxjsEsm') return 'imports and exports are code';
  if (type.endsWith('Expression')) return 'expressions are computed';
  if (type === 'definition') return 'definitions are shown where they are used';
  if (type === 'html' || type === 'comment') return 'comments are not shown';
  if (type === 'code' && /^mermaid$/i.test(lang ?? '')) return 'diagrams are drawn';
  if (type === 'code' && /math$/i.test(lang ?? '')) return 'formulas are typeset';
  if (type === 'inlineCode' && /^[\u{e0f0}\u{e0f1}]/u.test(node.value ?? '')) return 'formulas are typeset';
  if (name === 'Visibility' && textOf(node, 'for') === 'agents')
    return 'content for agents is in the Markdown of the page';
  if (name === 'style' || name === 'script') return 'styles and scripts are not text';
  if (name === 'svg' || name === 'math') return 'drawings are not text';
  if (name === 'Mermaid') return 'diagrams are drawn';
  if (name === 'Latex' || name === 'LaTeX') return 'formulas are typeset';
  if (name === 'iframe' || name === 'video' || name === 'audio')
    return 'media show their fallback only without support';
  return undefined;
}

/** Readers copy a prompt as plain text. */
export function showsPlainText({ name }: Node): boolean {
  return name === 'Prompt';
}

/** Removes marks that change how code looks and are not shown. */
export function withoutCodeMarks(code: string): string {
  return code
    .split('\n')
    .map((line) => line.replace(/(?:\/\/|#|<!--|\/\*|--|;|%)?\s*\[!code [^\]\n]*\](?:\s*(?:-->|\*\/))?/, ''))
    .join('\n');
}

const failures = new Set<Diagnostic['code']>([
  'mdx_syntax',
  'page_failed',
  'page_crashed',
  'page_timeout',
  'page_too_large',
  'page_too_deep',
  'page_too_dense',
  'page_output_too_large',
]);
const pictureFindings = new Set<Diagnostic['code']>([
  'image_missing',
  'remote_image',
  'unsafe_link',
  'svg_unreadable',
]);

const linkFindings = new Set<Diagnostic['code']>(['broken_link', 'unsafe_link']);

/** Why a page shows none of its source; undefined when it must. */
export function failureOf(findings: readonly Diagnostic[]): string | undefined {
  return findings.some(({ code }) => failures.has(code)) ? 'the page shows an error panel' : undefined;
}

/** The finding that names exactly this part. `addresses` are those of a link. */
export function reasonForLoss(
  kind: ContentKind,
  part: string,
  { findings, addresses }: { findings: readonly Diagnostic[]; addresses: ReadonlySet<string> },
): string | undefined {
  if (kind === 'links') {
    const isNamed = findings.some(({ code, target = '' }) => linkFindings.has(code) && addresses.has(target));
    return isNamed ? 'the report names the link' : undefined;
  }
  if (kind !== 'images') return undefined;
  const isNamed = findings.some(
    ({ code, target = '', file }) =>
      pictureFindings.has(code) && (fileName(target) === part || fileName(file) === part),
  );
  return isNamed ? 'the report names the picture' : undefined;
}

/** The last part of an address, without a query: the output may have another folder. */
export function fileName(address: string): string {
  const path = address.split(/[?#]/, 1)[0] ?? '';
  const name = path.slice(path.lastIndexOf('/') + 1);
  try {
    return decodeURIComponent(name).toLowerCase();
  } catch {
    return name.toLowerCase();
  }
}

export function textOf({ attributes = [] }: Node, name: string): string | undefined {
  return attributeText(attributes.find((attribute) => attribute.name === name));
}

/** The text of an attribute that is a string, also one in braces. */
export function attributeText(attribute: JsxAttribute | undefined): string | undefined {
  const value = attribute?.value;
  if (typeof value === 'string') return value;
  const literal = /^\s*(["'`])([^"'`$\\]*)\1\s*$/.exec(value?.value ?? '');
  return literal?.[2];
}
