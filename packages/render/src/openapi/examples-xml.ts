/** Formats a JSON value as XML according to the `xml` keywords of its schema. */
import { asObject, asText, at } from '../config/json.ts';
import { escapeAttribute, escapeText } from '../text/html.ts';
import { boundedCopy, cutText } from './examples-json.ts';
import { type MergeContext, type MergedSchema, mergedSchema } from './merge.ts';

export function xmlText(context: MergeContext, value: unknown, schema: unknown): string {
  const merged = mergedSchema(context, schema);
  const name = elementName(merged, merged.name || 'root');
  const lines = elements(context, name, boundedCopy(value), merged, '');
  return cutText(['<?xml version="1.0" encoding="UTF-8"?>', ...lines].join('\n'));
}

function elements(
  context: MergeContext,
  name: string,
  value: unknown,
  schema: MergedSchema,
  indent: string,
): string[] {
  if (Array.isArray(value)) return listElements(context, name, value as unknown[], schema, indent);
  const object = asObject(value);
  if (!object) return [`${indent}<${name}>${escapeText(plainText(value))}</${name}>`];
  let attributes = namespaceOf(schema);
  const inside: string[] = [];
  for (const [key, item] of Object.entries(object)) {
    const property = mergedSchema(context, schema.properties.get(key));
    const childName = elementName(property, key);
    if (at(property.keywords.get('xml'), 'attribute') === true) {
      attributes += ` ${childName}="${escapeAttribute(plainText(item))}"`;
    } else inside.push(...elements(context, childName, item, property, `${indent}  `));
  }
  if (inside.length === 0) return [`${indent}<${name}${attributes}/>`];
  return [`${indent}<${name}${attributes}>`, ...inside, `${indent}</${name}>`];
}

function listElements(
  context: MergeContext,
  name: string,
  list: unknown[],
  schema: MergedSchema,
  indent: string,
): string[] {
  const item = mergedSchema(context, schema.keywords.get('items'));
  const isWrapped = at(schema.keywords.get('xml'), 'wrapped') === true || indent === '';
  const itemName = elementName(item, isWrapped ? item.name || 'item' : name);
  const inside = list.flatMap((entry) =>
    elements(context, itemName, entry, item, isWrapped ? `${indent}  ` : indent),
  );
  return isWrapped ? [`${indent}<${name}>`, ...inside, `${indent}</${name}>`] : inside;
}

function plainText(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function elementName(schema: MergedSchema, otherwise: string): string {
  const xml = schema.keywords.get('xml');
  const prefix = asText(at(xml, 'prefix'));
  const name = asText(at(xml, 'name')) ?? otherwise;
  // The name is untrusted: characters that are invalid in XML names are replaced.
  return (prefix ? `${prefix}:${name}` : name).replaceAll(/[^\p{L}\p{N}_.:-]/gu, '_') || 'item';
}

function namespaceOf(schema: MergedSchema): string {
  const xml = schema.keywords.get('xml');
  const namespace = asText(at(xml, 'namespace'));
  const prefix = asText(at(xml, 'prefix'));
  return namespace
    ? ` xmlns${prefix ? `:${elementName(schema, '').split(':')[0]}` : ''}="${escapeAttribute(namespace)}"`
    : '';
}
