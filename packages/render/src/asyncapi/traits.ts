/** Merges traits into an operation or message: its own values win, then later traits. */
import { asList, asObject, at } from '../config/json.ts';
import { emptyObject } from '../openapi/examples-json.ts';
import { referenceOf, resolve } from '../openapi/references.ts';
import type { JsonObject } from '../model/json.ts';
import type { SpecDocument } from '../model/site-plan.ts';

const maxTraits = 20;
const maxDepth = 6;

export function withTraits(document: SpecDocument, value: unknown): JsonObject {
  const own = asObject(resolve(document, value)) ?? {};
  const traits = asList(at(own, 'traits')).slice(0, maxTraits);
  let merged: JsonObject = emptyObject();
  for (const part of [...traits.map((trait) => asObject(resolve(document, trait)) ?? {}), own])
    merged = patched(merged, part, 0);
  return merged;
}

/** A JSON Merge Patch that replaces references instead of merging into them. */
function patched(base: JsonObject, patch: JsonObject, depth: number): JsonObject {
  const result = Object.assign(emptyObject(), base);
  for (const [key, value] of Object.entries(patch)) {
    const [before, after] = [asObject(result[key]), asObject(value)];
    const joins = before && after && depth < maxDepth && !referenceOf(before) && !referenceOf(after);
    result[key] = joins ? patched(before, after, depth + 1) : value;
  }
  return result;
}
