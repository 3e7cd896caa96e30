/**
 * Reduces a document to one channel with its operations, servers and the nearest referenced components, within
 * a size limit.
 */
import { asList, asObject, at, textAt } from '../config/json.ts';
import { boundedCopy, emptyObject } from '../openapi/examples-json.ts';
import { nameOfReference, pointerKeys, referenceOf } from '../openapi/references.ts';
import { channelOperations } from './channel.ts';
import type { SpecDocument } from '../model/site-plan.ts';

const maxCharacters = 150_000;
const maxComponents = 500;

export function trimmedChannel(document: SpecDocument, name: string): SpecDocument | undefined {
  const channel = at(document, 'channels', name);
  if (!asObject(channel)) return undefined;
  const operations = channelOperations(document, name);
  const replies = operations.flatMap(([, operation]) => referenceOf(at(operation, 'reply', 'channel')) ?? []);
  const trimmed = emptyObject();
  trimmed['asyncapi'] = textAt(document, 'asyncapi') ?? '3.0.0';
  trimmed['info'] = {
    title: textAt(document, 'info', 'title') ?? 'API',
    version: textAt(document, 'info', 'version') ?? '1.0.0',
  };
  add(trimmed, 'defaultContentType', document['defaultContentType']);
  add(trimmed, 'servers', serversOf(document, channel));
  add(trimmed, 'channels', chosen(document['channels'], [name, ...replies.map(nameOfReference)]));
  add(trimmed, 'operations', operations.length > 0 ? Object.fromEntries(operations) : undefined);
  add(trimmed, 'components', reachedComponents(document, trimmed));
  return trimmed;
}

function add(target: Record<string, unknown>, key: string, value: unknown): void {
  if (value !== undefined) target[key] = boundedCopy(value);
}

function serversOf(document: SpecDocument, channel: unknown): unknown {
  const named = asList(at(channel, 'servers')).flatMap((server) => referenceOf(server) ?? []);
  return named.length > 0 ? chosen(document['servers'], named.map(nameOfReference)) : document['servers'];
}

function chosen(all: unknown, names: readonly string[]): Record<string, unknown> | undefined {
  const entries = names.flatMap((name): [string, unknown][] => {
    const value = at(all, name);
    return value === undefined ? [] : [[name, value]];
  });
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}

function reachedComponents(document: SpecDocument, start: unknown): Record<string, unknown> | undefined {
  const components = emptyObject();
  const pending = referencesIn(start);
  let charactersLeft = maxCharacters;
  // The set grows during iteration.
  for (const reference of pending) {
    const [root, kind = '', name = ''] = pointerKeys(reference) ?? [];
    const value = root === 'components' ? at(document, 'components', kind, name) : undefined;
    if (value === undefined) continue;
    const copy = boundedCopy(value);
    charactersLeft -= JSON.stringify(copy).length;
    if (charactersLeft < 0 || pending.size > maxComponents) break;
    const group = (components[kind] ??= emptyObject()) as Record<string, unknown>;
    group[name] = copy;
    for (const next of referencesIn(copy)) pending.add(next);
  }
  return Object.keys(components).length > 0 ? components : undefined;
}

/** Recursion is safe: the copied parts are bounded in depth and size. */
function referencesIn(value: unknown, found = new Set<string>()): Set<string> {
  if (typeof value !== 'object' || value === null) return found;
  const reference = referenceOf(value);
  if (reference !== undefined) found.add(reference);
  for (const item of Object.values(value)) referencesIn(item, found);
  return found;
}
