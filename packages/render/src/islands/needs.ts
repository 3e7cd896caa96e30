/**
 * Reads from the code of an island what it may need in the browser: the findings of `live-needs.ts`, and the
 * built-in components it names, so that those missing from the first state are shipped too.
 */
import type { CallExpression, Expression, Node, ObjectExpression, VariableDeclarator } from 'estree-jsx';
import { asksHosts, liveNeeds } from '../program/live-needs.ts';
import { isDocumentText, parseClassicScript, walk } from '../program/syntax.ts';
import type { IslandNeeds, Json } from './page-islands.ts';
import type { IslandModule } from '../model/page.ts';

type BuiltIn = IslandNeeds['builtins'][number];

const maxBuiltIns = 200;
const maxPictures = 100;
/** Bounds the combinations of alternative properties of a component. */
const maxForms = 8;

export function islandNeeds(modules: readonly IslandModule[]): IslandNeeds {
  const all = modules.map(needsOf);
  const builtins = new Map(
    all.flatMap((needs) => needs.builtins).map((each) => [JSON.stringify(each), each] as const),
  );
  return {
    classNames: [...new Set(all.flatMap(({ classNames }) => classNames))],
    addresses: [...new Set(all.flatMap(({ addresses }) => addresses))],
    hosts: modules.some(({ factory }) => asksHosts(factory))
      ? [...new Set(all.flatMap(({ hosts }) => hosts))]
      : [],
    builtins: [...builtins.values()].slice(0, maxBuiltIns),
    pictures: [...new Set(all.flatMap(({ pictures }) => pictures))].slice(0, maxPictures),
  };
}

/** A page may contain the same component many times. */
const known = new WeakMap<IslandModule, IslandNeeds>();

function needsOf(module: IslandModule): IslandNeeds {
  const before = known.get(module);
  if (before) return before;
  const builtins: BuiltIn[] = [];
  const pictures: string[] = [];
  const named = new Map<string, string>();
  walk(parseClassicScript(module.factory), (node: Node) => {
    if (isDocumentText(node)) return false;
    if (node.type === 'VariableDeclarator') addNamed(node, named);
    if (node.type === 'CallExpression' && isCreateElement(node)) builtins.push(...formsOf(node, named));
    if (node.type === 'Literal' && isPicture(node.value)) pictures.push(node.value);
    return true;
  });
  const needs = { ...liveNeeds([module]), builtins, pictures };
  known.set(module, needs);
  return needs;
}

function isCreateElement({ callee }: CallExpression): boolean {
  if (callee.type === 'Identifier') return callee.name === '$$jsx' || callee.name === '$$element';
  return (
    callee.type === 'MemberExpression' &&
    callee.property.type === 'Identifier' &&
    callee.property.name === 'createElement'
  );
}

/** `const { Card, Tabs: Choice } = MintlifyComponents` names built-in components by local names. */
function addNamed({ id, init }: VariableDeclarator, named: Map<string, string>): void {
  if (id.type !== 'ObjectPattern' || !isCatalogue(init)) return;
  for (const property of id.properties) {
    if (property.type !== 'Property' || property.value.type !== 'Identifier') continue;
    const name = nameOf(property.key);
    if (name !== undefined) named.set(property.value.name, name);
  }
}

function isCatalogue(node: Node | null | undefined): boolean {
  return node?.type === 'Identifier' && node.name === 'MintlifyComponents';
}

function builtInName(type: Node | undefined, named: ReadonlyMap<string, string>): string | undefined {
  if (type?.type === 'Literal' && typeof type.value === 'string') return type.value;
  if (type?.type === 'Identifier') return named.get(type.name);
  return type?.type === 'MemberExpression' && isCatalogue(type.object) ? nameOf(type.property) : undefined;
}

function formsOf(
  { arguments: [type, props, ...children] }: CallExpression,
  named: ReadonlyMap<string, string>,
): BuiltIn[] {
  const name = builtInName(type, named);
  if (name === undefined || !/^[A-Z]|^document:/.test(name)) return [];
  const forms = props?.type === 'ObjectExpression' ? formsOfProps(props) : [{}];
  return forms.map((each) => ({ name, props: each, hasChildren: children.length > 0 }));
}

function formsOfProps({ properties }: ObjectExpression): Record<string, Json>[] {
  let forms: [string, Json][][] = [[]];
  for (const property of properties) {
    if (property.type !== 'Property' || property.computed || property.kind !== 'init') continue;
    const name = nameOf(property.key);
    const values = name === undefined ? [] : valuesOf(property.value as Expression);
    if (name === undefined || values.length === 0) continue;
    forms = forms.flatMap((form) => values.map((value): [string, Json][] => [...form, [name, value]]));
    forms = forms.slice(0, maxForms);
  }
  return forms.map((form) => Object.fromEntries(form));
}

function nameOf(key: Node): string | undefined {
  if (key.type === 'Identifier') return key.name;
  return key.type === 'Literal' && typeof key.value === 'string' ? key.value : undefined;
}

/** The possible literal values of an expression; empty when it is not literal. */
function valuesOf(node: Expression): Json[] {
  switch (node.type) {
    case 'Literal':
      return isPlain(node.value) ? [node.value] : [];
    case 'TemplateLiteral':
      return node.expressions.length === 0 ? [node.quasis[0]?.value.cooked ?? ''] : [];
    case 'ConditionalExpression':
      return [...valuesOf(node.consequent), ...valuesOf(node.alternate)];
    default:
      return [];
  }
}

function isPicture(value: unknown): value is string {
  return (
    typeof value === 'string' && /^https?:\/\/\S+\.(?:png|jpe?g|gif|webp|avif|svg)(?:[?#]\S*)?$/i.test(value)
  );
}

function isPlain(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}
