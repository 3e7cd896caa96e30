/**
 * Lists the operations, webhooks and channels of an API description with the data that navigation and search
 * need.
 */
import { asList, asObject, asText, at, textAt } from '../config/json.ts';
import { resolve, resolvedEntries } from './references.ts';
import type { JsonObject } from '../model/json.ts';
import type { ApiTarget, SpecDocument } from '../model/site-plan.ts';

export type EntryTarget = Extract<ApiTarget, { kind: 'operation' | 'webhook' | 'channel' }>;

export interface DescribedEntry {
  target: EntryTarget;
  endpoint: { method: string; path: string };
  tag?: string;
  group?: string;
  title?: string;
  operationId?: string;
  description: string;
  deprecated: boolean;
  /** The page exists, but not in the navigation. */
  isHidden: boolean;
  /** The operation has no page. */
  isExcluded: boolean;
  /** The page address requested by the description. */
  href?: string;
  metadata: JsonObject;
  /** MDX placed before the generated content. */
  content?: string;
}

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

export function listEntries(spec: string, document: SpecDocument): DescribedEntry[] {
  const groups = groupLabels(document);
  return textAt(document, 'asyncapi') === undefined
    ? [...listOperations(spec, document, groups), ...listWebhooks(spec, document, groups)]
    : listChannels(spec, document, groups);
}

function groupLabels(document: SpecDocument): Map<string, string> {
  return new Map(
    asList(document['tags']).flatMap((tag) => {
      const name = textAt(tag, 'name');
      return name === undefined ? [] : [[name, textAt(tag, 'x-group') ?? name] as const];
    }),
  );
}

/** Tags in the order of the document's `tags`, then in order of use. */
export function tagOrder(document: SpecDocument): string[] {
  return [...groupLabels(document).keys()];
}

function listOperations(spec: string, document: SpecDocument, groups: Map<string, string>): DescribedEntry[] {
  return operationsBelow(document, document['paths']).map(({ name: path, method, operation, item }) => ({
    target: { kind: 'operation', spec, method, path },
    endpoint: { method, path },
    ...factsOf(operation, item, groups),
  }));
}

function listWebhooks(spec: string, document: SpecDocument, groups: Map<string, string>): DescribedEntry[] {
  return operationsBelow(document, document['webhooks']).map(({ name, method, operation, item }) => ({
    target: { kind: 'webhook', spec, method, name },
    endpoint: { method: 'WEBHOOK', path: name },
    ...factsOf(operation, item, groups),
  }));
}

function operationsBelow(
  document: SpecDocument,
  value: unknown,
): { name: string; method: string; operation: JsonObject; item: JsonObject }[] {
  return resolvedEntries(document, value).flatMap(([name, pathItem]) => {
    const item = asObject(pathItem) ?? {};
    return Object.entries(item).flatMap(([key, value]) => {
      const operation = asObject(value);
      if (!operation || !methods.includes(key.toLowerCase())) return [];
      return [{ name, method: key.toUpperCase(), operation, item }];
    });
  });
}

function listChannels(spec: string, document: SpecDocument, groups: Map<string, string>): DescribedEntry[] {
  return resolvedEntries(document, document['channels']).map(([name, channel]) => ({
    target: { kind: 'channel', spec, name },
    endpoint: { method: protocolOf(document, channel), path: textAt(channel, 'address') ?? name },
    ...factsOf({ summary: textAt(channel, 'title') ?? name, ...asObject(channel) }, {}, groups),
  }));
}

/** The protocol of the channel's first server: `WSS`, `KAFKA`. */
function protocolOf(document: SpecDocument, channel: unknown): string {
  const own = asList(at(channel, 'servers'))[0];
  const first = own ?? Object.values(asObject(document['servers']) ?? {})[0];
  const protocol = (textAt(resolve(document, first), 'protocol') ?? '')
    .replaceAll(/[^a-z0-9]/gi, '')
    .toUpperCase();
  return protocol.slice(0, 10) || 'CHANNEL';
}

type Facts = Omit<DescribedEntry, 'target' | 'endpoint'>;

function factsOf(operation: JsonObject, item: JsonObject, groups: Map<string, string>): Facts {
  const tag = firstTag(operation);
  const mint = operation['x-mint'];
  const access = at(mint, 'groups') ?? at(item, 'x-mint', 'groups');
  const isMarked = (mark: string): boolean => at(operation, mark) === true || at(item, mark) === true;
  return {
    ...(tag === undefined ? {} : { tag, group: groups.get(tag) ?? tag }),
    ...optional('title', textAt(operation, 'summary')),
    ...optional('operationId', textAt(operation, 'operationId')),
    description: textAt(operation, 'description') ?? textAt(item, 'description') ?? '',
    deprecated: at(operation, 'deprecated') === true,
    isHidden: isMarked('x-hidden'),
    isExcluded: isMarked('x-excluded'),
    ...optional('href', textAt(mint, 'href')),
    metadata: { ...(access === undefined ? {} : { groups: access }), ...asObject(at(mint, 'metadata')) },
    ...optional('content', textAt(mint, 'content')),
  };
}

function firstTag(operation: JsonObject): string | undefined {
  const tag = asList(operation['tags'])[0];
  return asText(tag) ?? textAt(tag, 'name');
}

function optional<Key extends string>(key: Key, value: string | undefined): Partial<Record<Key, string>> {
  return value === undefined ? {} : ({ [key]: value } as Record<Key, string>);
}
