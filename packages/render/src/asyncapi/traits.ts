/** Merges the traits of an operation or a message into it: what it says itself wins, and a later trait over an earlier one. */
import { asList, asObject, at } from '../config/json.ts';
import { emptyObject } from '../openapi/examples-json.ts';
import { referenceOf, resolve } from '../openapi/references.ts';
import type { JsonObject } from '../model/json.ts';
import type { SpecDocument } from '../model/site-plan.ts';

const TRAIT_LIMIT = 20;
const DEPTH_LIMIT = 6;

export function withTraits(document: SpecDocument, value: unknown): JsonObject {
  const own = asObject(resolve(document, value)) ?? {};
  const traits = asList(at(own, 'traits')).slice(0, TRAIT_LIMIT);
  let merged: JsonObject = emptyObject();
  for (const part of [...traits.map((trait) => asObject(resolve(document, trait)) ?? {}), own])
    merged = patched(merged, part, 0);
  return merged;
}

/** Objects are joined key by key; everything else, and what is a reference, takes the place of what was there. */
function patched(base: JsonObject, patch: JsonObject, depth: number): JsonObject {
  const result = Object.assign(emptyObject(), base);
  for (const [key, value] of Object.entries(patch)) {
    const [before, after] = [asObject(result[key]), asObject(value)];
    const joins = before && after && depth < DEPTH_LIMIT && !referenceOf(before) && !referenceOf(after);
    result[key] = joins ? patched(before, after, depth + 1) : value;
  }
  return result;
}
