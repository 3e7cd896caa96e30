/**
 * Brings every OpenAPI document to version 3.1, so that nothing after this file knows Swagger 2 or OpenAPI 3.0.
 * The document that is handed in is used up.
 */
import { upgrade } from '@scalar/openapi-upgrader';
import { type JsonObject, asObject, textAt } from '../config/json.ts';
import type { SpecDocument } from './target.ts';

/** Throws when the document is too far from its own format to be read. */
export function upgraded(document: JsonObject): SpecDocument {
  const version = textAt(document, 'openapi') ?? textAt(document, 'swagger') ?? '';
  if (/^3\.[1-9]/.test(version)) return document;
  /** `swagger: 2.0` without quotes is a number in YAML, and `openapi: 3` says too little; both mean what they say. */
  const named = {
    ...document,
    ...(version.startsWith('2') ? { swagger: '2.0' } : { openapi: fullVersion(version) }),
  };
  return asObject(upgrade(named, '3.1')) ?? document;
}

function fullVersion(version: string): string {
  return version.startsWith('3.0') ? version : '3.0.3';
}
