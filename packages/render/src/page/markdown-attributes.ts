import { isEmptyExpression, parseExpression, parseSpread } from '../evaluate/parse.ts';
import type { Evaluator } from '../evaluate/evaluator.ts';
import { ObjectValue, type Scope, UnsupportedError, type Value } from '../evaluate/values.ts';
import { DocumentError } from '../document/document-error.ts';
import type { JsxAttribute, Node } from '../document/tree.ts';
import { CodeRefusedError } from '../realm/realm.ts';
import { type Edit, endOfTag, startOf } from './markdown-edits.ts';

export class MarkdownAttributes {
  readonly #evaluator: Evaluator;

  constructor(evaluator: Evaluator) {
    this.#evaluator = evaluator;
  }

  /** Attributes that refer to page values get those values; event handlers are removed. */
  openingTag(node: Node, text: string, scope: Scope): Edit[] {
    const attributes = node.attributes ?? [];
    if (!node.name || !attributes.some((attribute) => needsScope(attribute, scope))) return [];
    const start = startOf(node);
    const end = endOfTag(text, start);
    if (end === undefined) return [];
    const written = attributes.map((attribute) => this.#attributeText(attribute, scope)).join('');
    const close = text[end - 2] === '/' ? ' />' : '>';
    return [{ start, end, text: `<${node.name}${written}${close}` }];
  }

  #attributeText(attribute: JsxAttribute, scope: Scope): string {
    const { name, value } = attribute;
    if (name !== undefined && !needsScope(attribute, scope)) {
      if (value === null || value === undefined) return ` ${name}`;
      return typeof value === 'string' ? attributeText(name, value) : ` ${name}={${value.value}}`;
    }
    try {
      const props = new ObjectValue();
      this.#addAttribute(props, attribute, scope);
      return [...props.entries].map(([key, item]) => attributeText(key, item)).join('');
    } catch (error) {
      if (!isExpected(error)) throw error;
      return '';
    }
  }

  props(node: Node, scope: Scope, needsAll = false): ObjectValue {
    const props = new ObjectValue();
    for (const attribute of node.attributes ?? []) {
      try {
        this.#addAttribute(props, attribute, scope);
      } catch (error) {
        if (!isExpected(error) || needsAll) throw error;
      }
    }
    return props;
  }

  #addAttribute(props: ObjectValue, { name, value }: JsxAttribute, scope: Scope): void {
    if (name === undefined) {
      const spread = this.#evaluator.evaluate(parseSpread(typeof value === 'string' ? value : ''), scope);
      if (!(spread instanceof ObjectValue)) throw new UnsupportedError('this value cannot be spread');
      for (const [key, item] of spread.entries) props.entries.set(key, item);
    } else if (value === null || value === undefined) props.entries.set(name, true);
    else if (typeof value === 'string') props.entries.set(name, value);
    else if (!isEmptyExpression(value.value))
      props.entries.set(name, this.#evaluator.evaluate(parseExpression(value.value), scope));
  }
}

/** Errors that an author can cause; all others are bugs and propagate. */
export function isExpected(error: unknown): boolean {
  return (
    error instanceof UnsupportedError || error instanceof DocumentError || error instanceof CodeRefusedError
  );
}

function needsScope({ name, value }: JsxAttribute, scope: Scope): boolean {
  if (name === undefined) return true;
  if (typeof value !== 'object' || value === null || value.value.includes('<')) return false;
  if (/^on[A-Z]/.test(name) || value.value.includes('=>')) return true;
  const code = value.value.slice(0, 5000).replaceAll(/"[^"]*"|'[^']*'/g, '');
  const names = code.match(/(?<![.\w$])[A-Za-z_$][\w$]*/g) ?? [];
  return names.some((candidate) => scope.has(candidate));
}

export function attributeText(name: string, value: Value): string {
  if (value === true) return ` ${name}`;
  if (typeof value === 'string') return ` ${name}="${value.replaceAll('"', '&quot;')}"`;
  const json = jsonOf(value, 0);
  return json === undefined ? '' : ` ${name}={${JSON.stringify(json)}}`;
}

/** Returns undefined for functions and elements. */
function jsonOf(value: Value, depth: number): unknown {
  if (value === null || typeof value !== 'object') return value;
  if (depth > 10) return undefined;
  if (Array.isArray(value)) return value.map((item) => jsonOf(item, depth + 1) ?? null);
  if (!(value instanceof ObjectValue)) return undefined;
  return Object.fromEntries([...value.entries].map(([key, item]) => [key, jsonOf(item, depth + 1)]));
}

export function textAttribute(node: Node, name: string): string | undefined {
  const value = node.attributes?.find((attribute) => attribute.name === name)?.value;
  return typeof value === 'string' ? value : value?.value.replaceAll(/^["'`\s]+|["'`\s]+$/g, '');
}
