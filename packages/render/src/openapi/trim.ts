/**
 * Reduces a document to one operation and the nearest referenced components, within a size limit. Omitted
 * components are noted.
 */
import { asObject, asText, at } from '../config/json.ts';
import { emptyObject } from './examples-json.ts';
import { type OperationTarget, findOperation } from './operation.ts';
import { pointerKeys, referenceOf, valueAtPointer } from './references.ts';
import { yamlEntry, yamlHeading, yamlText } from './trim-yaml.ts';
import type { SpecDocument } from '../model/site-plan.ts';

const maxBytes = 200_000;
const maxDepth = 60;
/** Extensions shown on the page or intended for the page generator. */
const omittedKeys = new Set(['x-codeSamples', 'x-code-samples', 'x-mint', 'x-hidden', 'x-excluded']);

export function trimmedSpecYaml(document: SpecDocument, target: OperationTarget): string | undefined {
  const trimming: Trimming = { document, bytesLeft: maxBytes, pending: new Set() };
  const operation = trimmedOperation(trimming, target);
  return operation && yamlText(operation) + componentsYaml(trimming);
}

function trimmedOperation(trimming: Trimming, target: OperationTarget): SpecDocument | undefined {
  const { document } = trimming;
  const found = findOperation(document, target);
  if (!found) return undefined;
  const servers = [found.operation, found.pathItem, document]
    .map((owner) => at(owner, 'servers'))
    .find((list) => Array.isArray(list));
  const security = at(found.operation, 'security') ?? at(document, 'security');
  const pathItem = emptyObject();
  const parameters = at(found.pathItem, 'parameters');
  if (parameters !== undefined) pathItem['parameters'] = copied(trimming, parameters, 3);
  const operation = emptyObject();
  for (const [key, value] of Object.entries(asObject(found.operation) ?? {})) {
    if (key !== 'servers' && key !== 'security' && !omittedKeys.has(key))
      operation[key] = copied(trimming, value, 4);
  }
  if (security !== undefined) operation['security'] = copied(trimming, security, 4);
  pathItem[found.method] = operation;
  const trimmed = emptyObject();
  trimmed['openapi'] = asText(at(document, 'openapi')) ?? '3.1.0';
  trimmed['info'] = infoOf(document);
  if (servers !== undefined) trimmed['servers'] = copied(trimming, servers, 1);
  trimmed[target.kind === 'operation' ? 'paths' : 'webhooks'] = { [found.path]: pathItem };
  addSchemes(trimming, security);
  return trimmed;
}

interface Trimming {
  document: SpecDocument;
  bytesLeft: number;
  /** Referenced components such as `schemas/Pet`, in order of discovery. */
  pending: Set<string>;
}

/** The set grows during iteration, so that nearer components come first. */
function componentsYaml(trimming: Trimming): string {
  /** Objects iterate integer keys first, as the source document does. */
  const groups = emptyObject() as Record<string, Record<string, string>>;
  for (const id of trimming.pending) {
    const [kind = '', name = ''] = id.split('\n');
    const value = at(trimming.document, 'components', kind, name);
    if (value === undefined) continue;
    const group = (groups[kind] ??= emptyObject() as Record<string, string>);
    group[name] =
      trimming.bytesLeft > 0
        ? componentYaml(trimming, id, name, value)
        : yamlEntry(name, { description: 'Omitted from this excerpt because of its size.' }, '    ');
    if (trimming.bytesLeft <= -maxBytes / 4) break;
    trimming.bytesLeft -= trimming.bytesLeft > 0 ? 0 : id.length + 80;
  }
  const texts = Object.entries(groups).map(
    ([kind, group]) => yamlHeading(kind, '  ') + Object.values(group).join(''),
  );
  return texts.length === 0 ? '' : yamlHeading('components', '') + texts.join('');
}

interface Excerpt {
  text: string;
  bytes: number;
  pending: string[];
}

const excerpts = new WeakMap<SpecDocument, { byId: Map<string, Excerpt>; charactersLeft: number }>();
const maxCachedCharacters = 6_000_000;

function componentYaml(trimming: Trimming, id: string, name: string, value: unknown): string {
  const { document } = trimming;
  let cached = excerpts.get(document);
  if (!cached) excerpts.set(document, (cached = { byId: new Map(), charactersLeft: maxCachedCharacters }));
  const known = cached.byId.get(id);
  if (known && known.bytes < trimming.bytesLeft) {
    trimming.bytesLeft -= known.bytes;
    for (const other of known.pending) trimming.pending.add(other);
    return known.text;
  }
  const own: Trimming = { document, bytesLeft: trimming.bytesLeft, pending: new Set() };
  const text = yamlEntry(name, copied(own, value, 3), '    ');
  const bytes = trimming.bytesLeft - own.bytesLeft;
  trimming.bytesLeft = own.bytesLeft;
  for (const other of own.pending) trimming.pending.add(other);
  // Truncated excerpts are not shared.
  if (own.bytesLeft > 0 && text.length <= cached.charactersLeft) {
    cached.charactersLeft -= text.length;
    cached.byId.set(id, { text, bytes, pending: [...own.pending] });
  }
  return text;
}

function copied(trimming: Trimming, value: unknown, depth: number): unknown {
  if (typeof value === 'string') {
    const text =
      value.length <= trimming.bytesLeft ? value : `${value.slice(0, Math.max(0, trimming.bytesLeft))}…`;
    trimming.bytesLeft -= text.length + 3;
    return text;
  }
  trimming.bytesLeft -= 6;
  if (typeof value !== 'object' || value === null) return value;
  if (depth > maxDepth || trimming.bytesLeft <= 0) return Array.isArray(value) ? [] : emptyObject();
  if (Array.isArray(value)) {
    const items: unknown[] = [];
    for (const item of value as unknown[]) {
      if (trimming.bytesLeft <= 0) break;
      trimming.bytesLeft -= depth * 2 + 2;
      items.push(copied(trimming, item, depth + 1));
    }
    return items;
  }
  return copiedObject(trimming, value, depth);
}

function copiedObject(trimming: Trimming, value: unknown, depth: number): unknown {
  const reference = referenceOf(value);
  if (reference !== undefined) {
    const keys = pointerKeys(reference);
    if (keys?.[0] === 'components' && keys.length >= 3) trimming.pending.add(`${keys[1]}\n${keys[2]}`);
    else return copied(trimming, valueAtPointer(trimming.document, reference) ?? null, depth + 1);
  }
  const copy = emptyObject();
  for (const [key, item] of Object.entries(asObject(value) ?? {})) {
    if (trimming.bytesLeft <= 0) break;
    trimming.bytesLeft -= key.length + depth * 2 + 3;
    copy[key] = copied(trimming, item, depth + 1);
  }
  return copy;
}

function infoOf(document: SpecDocument): Record<string, unknown> {
  const info = emptyObject();
  info['title'] = (asText(at(document, 'info', 'title')) ?? 'API').slice(0, 500);
  info['version'] = (asText(at(document, 'info', 'version')) ?? '1.0.0').slice(0, 100);
  return info;
}

/** Security requirements name their schemes without a reference. */
function addSchemes(trimming: Trimming, security: unknown): void {
  for (const alternative of Array.isArray(security) ? (security as unknown[]) : []) {
    for (const id of Object.keys(asObject(alternative) ?? {}).slice(0, 50))
      trimming.pending.add(`securitySchemes\n${id}`);
  }
}
