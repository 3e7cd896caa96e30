/**
 * Brings every OpenAPI document to version 3.1, so that nothing after this file knows Swagger 2 or OpenAPI 3.0.
 * The document that is handed in is used up.
 */
import { upgrade } from '@scalar/openapi-upgrader';
import { asList, asObject, asText, at, textAt } from '../config/json.ts';
import type { JsonObject } from '../model/json.ts';
import type { SpecDocument } from '../model/site-plan.ts';

/** Throws when the document is too far from its own format to be read. */
export function upgraded(document: JsonObject): SpecDocument {
  const version = textAt(document, 'openapi') ?? textAt(document, 'swagger') ?? '';
  if (/^3\.[1-9]/.test(version)) return document;
  /** `swagger: 2.0` without quotes is a number in YAML, and `openapi: 3` says too little; both mean what they say. */
  const named = version.startsWith('2')
    ? { ...tidySwagger(document), swagger: '2.0' }
    : { ...document, openapi: version.startsWith('3.0') ? version : '3.0.3' };
  return asObject(upgrade(named, '3.1')) ?? document;
}

/** The upgrade of Swagger 2 ends at the first part of the wrong shape; without those parts the others are kept. */
function tidySwagger(document: JsonObject): JsonObject {
  const parts = ['parameters', 'responses'].map((key) => [key, onlyObjects(document[key])] as const);
  return {
    ...tidyLists(document),
    paths: mapObjects(document['paths'], (item) => ({ ...tidyPathItem(item), ...tidyParameters(item) })),
    ...Object.fromEntries(parts.filter(([key]) => document[key] !== undefined)),
  };
}

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch'];

function tidyPathItem(item: JsonObject): JsonObject {
  const entries = Object.entries(item).flatMap(([key, value]) => {
    if (!methods.includes(key)) return [[key, value] as const];
    const operation = asObject(value);
    return operation ? [[key, tidyOperation(operation)] as const] : [];
  });
  return Object.fromEntries(entries);
}

function tidyOperation(operation: JsonObject): JsonObject {
  return {
    ...tidyLists(operation),
    ...tidyParameters(operation),
    responses: onlyObjects(operation['responses']),
  };
}

function tidyLists(holder: JsonObject): JsonObject {
  const lists = ['consumes', 'produces', 'schemes'].filter((key) => holder[key] !== undefined);
  return {
    ...holder,
    ...Object.fromEntries(
      lists.map((key) => [key, asList(holder[key]).flatMap((item) => asText(item) ?? [])]),
    ),
  };
}

function tidyParameters(holder: JsonObject): JsonObject {
  if (holder['parameters'] === undefined) return {};
  const isWhole = (item: unknown): boolean =>
    textAt(item, 'in') !== undefined || textAt(item, '$ref') !== undefined;
  return { parameters: asList(holder['parameters']).filter(isWhole) };
}

function onlyObjects(value: unknown): JsonObject {
  return mapObjects(value, (item) => item);
}

/** Entries that are no objects are left out. */
function mapObjects(value: unknown, change: (item: JsonObject) => JsonObject): JsonObject {
  const entries = Object.keys(asObject(value) ?? {}).flatMap((key) => {
    const item = asObject(at(value, key));
    return item ? [[key, change(item)] as const] : [];
  });
  return Object.fromEntries(entries);
}
