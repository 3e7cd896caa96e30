/** Upgrades Swagger 2 and OpenAPI 3.0 documents to OpenAPI 3.1. The input document is modified. */
import { upgrade } from '@scalar/openapi-upgrader';
import { asList, asObject, asText, at, textAt } from '../config/json.ts';
import type { JsonObject } from '../model/json.ts';
import type { SpecDocument } from '../model/site-plan.ts';

export function upgraded(document: JsonObject): SpecDocument {
  const version = textAt(document, 'openapi') ?? textAt(document, 'swagger') ?? '';
  if (/^3\.[1-9]/.test(version)) return document;
  /** YAML reads an unquoted `swagger: 2.0` as a number, and `openapi: 3` lacks a minor version. */
  const named = version.startsWith('2')
    ? { ...tidySwagger(document), swagger: '2.0' }
    : { ...document, openapi: version.startsWith('3.0') ? version : '3.0.3' };
  return asObject(upgrade(named, '3.1')) ?? document;
}

/** The upgrader throws at the first malformed part, so malformed parts are removed first. */
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

function mapObjects(value: unknown, change: (item: JsonObject) => JsonObject): JsonObject {
  const entries = Object.keys(asObject(value) ?? {}).flatMap((key) => {
    const item = asObject(at(value, key));
    return item ? [[key, change(item)] as const] : [];
  });
  return Object.fromEntries(entries);
}
