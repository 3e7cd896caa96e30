import { asObject, asText, at } from '../config/json.ts';
import { valueAtPointer } from './references.ts';
import type { JsonObject } from '../model/json.ts';
import type { SpecDocument } from '../model/site-plan.ts';

export function mappedSchemas(document: SpecDocument, schema: JsonObject): string[] {
  if (Object.hasOwn(schema, 'oneOf') || Object.hasOwn(schema, 'anyOf')) return [];
  const mapping = asObject(at(schema, 'discriminator', 'mapping')) ?? {};
  const pointers = Object.values(mapping).flatMap((to) => {
    const text = asText(to);
    if (text === undefined) return [];
    return text.startsWith('#') ? text : `#/components/schemas/${text}`;
  });
  return [...new Set(pointers)].filter(
    (pointer) => asObject(valueAtPointer(document, pointer)) !== undefined,
  );
}
