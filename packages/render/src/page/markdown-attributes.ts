/** Attributes of elements in the Markdown of a page: which can be copied, and how a value is written. It evaluates nothing. */
import { ObjectValue, type Scope, type Value } from '../evaluate/values.ts';
import type { JsxAttribute, Node } from '../document/tree.ts';

/** Whether an attribute cannot be copied: it names values of the page, or is code. */
export function needsScope({ name, value }: JsxAttribute, scope: Scope): boolean {
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

/** A value as data; functions and elements are none. */
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
