/**
 * Removes from an API description what the readers of an export may not see: paths, operations, properties, options and other
 * parts with `x-mint.groups`, values with `x-mint-enum`, and the
 * components, tags and examples of what was removed.
 */
import { asList, asObject, at, asText } from '../config/json.ts';
import type { JsonObject } from '../model/json.ts';
import type { ApiTarget, SpecDocument } from '../model/site-plan.ts';
import { isVisibleTo, readGroups } from '../source/page-meta.ts';
import { emptyObject } from './examples-json.ts';
import { pointerKeys, referenceOf, resolve } from './references.ts';

type MutableObject = Record<string, unknown>;

interface Removal {
  document: SpecDocument;
  groups: readonly string[];
  removedProperties: Set<string>;
  keptProperties: Set<string>;
  hasRemoved: boolean;
}

/** The same object if nothing is restricted. */
export function visibleDocument(document: SpecDocument, groups: readonly string[]): SpecDocument {
  if (!namesGroups(document)) return document;
  const removal: Removal = {
    document,
    groups,
    removedProperties: new Set(),
    keptProperties: new Set(),
    hasRemoved: false,
  };
  const visible = visiblePart(removal, document) as SpecDocument;
  if (!removal.hasRemoved) return document;
  const hidden = [...removal.removedProperties].filter((name) => !removal.keptProperties.has(name));
  const withoutExamples = hidden.length === 0 ? visible : withoutInExamples(visible, new Set(hidden), false);
  return withoutUnused(document, withoutExamples as SpecDocument);
}

/** Without the operations, webhooks and channels that `isHidden` names. The same object if there are none. */
export function withoutTargets(
  document: SpecDocument,
  spec: string,
  isHidden: (target: ApiTarget) => boolean,
): SpecDocument {
  const copy: MutableObject = { ...document };
  let hasRemoved = false;
  const filter = (key: 'paths' | 'webhooks', targetOf: (name: string, method: string) => ApiTarget) => {
    const items = asObject(document[key]);
    if (items === undefined) return;
    copy[key] = Object.fromEntries(
      Object.entries(items).flatMap(([name, item]): [string, unknown][] => {
        const whole = asObject(resolve(document, item)) ?? {};
        const kept = Object.entries(whole).filter(
          ([member]) =>
            !methods.includes(member.toLowerCase()) || !isHidden(targetOf(name, member.toUpperCase())),
        );
        if (kept.length === Object.keys(whole).length) return [[name, item]];
        hasRemoved = true;
        const visible = Object.fromEntries(kept);
        return hasMethod(visible) ? [[name, visible]] : [];
      }),
    );
  };
  filter('paths', (path, method) => ({ kind: 'operation', spec, method, path }));
  filter('webhooks', (name, method) => ({ kind: 'webhook', spec, method, name }));
  const channels = Object.keys(asObject(document['channels']) ?? {});
  const hidden = new Set(channels.filter((name) => isHidden({ kind: 'channel', spec, name })));
  if (hidden.size > 0) removeChannels(document, copy, hidden);
  return hasRemoved || hidden.size > 0 ? withoutUnused(document, copy) : document;
}

function removeChannels(document: SpecDocument, copy: MutableObject, hidden: ReadonlySet<string>): void {
  const isAboutHidden = (operation: unknown): boolean =>
    [at(operation, 'channel'), at(operation, 'reply', 'channel')].some((channel) => {
      const [root, name = ''] = pointerKeys(referenceOf(channel) ?? '') ?? [];
      return root === 'channels' && hidden.has(name);
    });
  const members = (key: string) => Object.entries(asObject(document[key]) ?? {});
  copy['channels'] = Object.fromEntries(members('channels').filter(([name]) => !hidden.has(name)));
  if (document['operations'] !== undefined)
    copy['operations'] = Object.fromEntries(
      members('operations').filter(([, operation]) => !isAboutHidden(operation)),
    );
}

/** Most descriptions do not, and need no copy. */
function namesGroups(value: unknown): boolean {
  if (Array.isArray(value)) return (value as unknown[]).some(namesGroups);
  const object = asObject(value);
  if (object === undefined) return false;
  if (at(object, 'x-mint', 'groups') !== undefined || 'x-mint-enum' in object) return true;
  return Object.values(object).some(namesGroups);
}

function visiblePart(removal: Removal, value: unknown, place = ''): unknown {
  if (Array.isArray(value))
    return (value as unknown[]).flatMap((item) =>
      isRestricted(removal, item) ? [] : [visiblePart(removal, item)],
    );
  const object = asObject(value);
  if (object === undefined) return value;
  const copy = emptyObject();
  for (const [key, item] of Object.entries(object)) {
    const isProperty = place === 'properties';
    if (key !== 'x-mint' && isRestricted(removal, item)) {
      if (isProperty) removal.removedProperties.add(key);
      continue;
    }
    if (isProperty) removal.keptProperties.add(key);
    const kept = isProperty ? visiblePart(removal, item) : visiblePart(removal, item, key);
    if (!(holdsPaths.has(place) && hasMethod(item) && !hasMethod(kept))) copy[key] = kept;
  }
  return withVisibleNames(removal, object, copy);
}

const holdsPaths = new Set(['paths', 'webhooks']);
const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

function hasMethod(pathItem: unknown): boolean {
  return methods.some((method) => at(pathItem, method) !== undefined);
}

/** The part itself, or what it refers to, is for other groups. */
function isRestricted(removal: Removal, value: unknown): boolean {
  const isForOthers = (part: unknown) =>
    !isVisibleTo(removal.groups, readGroups(at(part, 'x-mint', 'groups')));
  const target = referenceOf(value) === undefined ? undefined : resolve(removal.document, value);
  const restricted = isForOthers(value) || (target !== undefined && isForOthers(target));
  if (restricted) removal.hasRemoved = true;
  return restricted;
}

/** `required` and `enum` name removed parts. */
function withVisibleNames(removal: Removal, original: JsonObject, copy: MutableObject): JsonObject {
  const properties = asObject(original['properties']);
  if (properties !== undefined && Array.isArray(copy['required'])) {
    const kept = asObject(copy['properties']) ?? {};
    const isThere = (name: unknown) =>
      !Object.hasOwn(properties, String(name)) || Object.hasOwn(kept, String(name));
    copy['required'] = asList(copy['required']).filter(isThere);
  }
  const groupsOfValues = asObject(original['x-mint-enum']);
  if (groupsOfValues === undefined) return copy;
  const isShown = (name: unknown): boolean => {
    const rule = asText(name) ?? '';
    return (
      !Object.hasOwn(groupsOfValues, rule) || isVisibleTo(removal.groups, readGroups(groupsOfValues[rule]))
    );
  };
  const names = Object.keys(groupsOfValues);
  if (names.every(isShown)) return copy;
  removal.hasRemoved = true;
  copy['x-mint-enum'] = Object.fromEntries(Object.entries(groupsOfValues).filter(([name]) => isShown(name)));
  for (const key of ['enum', 'examples']) {
    if (Array.isArray(copy[key])) copy[key] = asList(copy[key]).filter(isShown);
  }
  for (const key of ['default', 'example', 'const']) if (!isShown(copy[key])) delete copy[key];
  return copy;
}

const exampleKeys = new Set(['example', 'examples', 'default', 'x-example', 'x-examples']);

function withoutInExamples(value: unknown, hidden: ReadonlySet<string>, isExample: boolean): unknown {
  if (Array.isArray(value))
    return (value as unknown[]).map((item) => withoutInExamples(item, hidden, isExample));
  const object = asObject(value);
  if (object === undefined) return value;
  const copy = emptyObject();
  for (const [key, item] of Object.entries(object)) {
    if (isExample && hidden.has(key)) continue;
    copy[key] = withoutInExamples(item, hidden, isExample || exampleKeys.has(key));
  }
  return copy;
}

/** Without components and tags that only removed parts use. */
function withoutUnused(original: SpecDocument, visible: SpecDocument): SpecDocument {
  const { components, ...rest } = visible;
  const used = new Set<string>();
  const pending: unknown[] = [rest];
  while (pending.length > 0) {
    for (const id of componentsIn(pending.pop())) {
      if (used.has(id)) continue;
      used.add(id);
      pending.push(at(components, ...id.split('\n')));
    }
  }
  const kept = emptyObject();
  for (const [kind, members] of Object.entries(asObject(components) ?? {})) {
    const isUsed = ([name]: [string, unknown]) => kind === 'securitySchemes' || used.has(`${kind}\n${name}`);
    kept[kind] = Object.fromEntries(Object.entries(asObject(members) ?? {}).filter(isUsed));
  }
  const tags = tagsOf(visible);
  const isTagUsed = (name: string | undefined) =>
    name === undefined || tags.has(name) || !tagsOf(original).has(name);
  const whole: MutableObject = { ...rest, ...(components === undefined ? {} : { components: kept }) };
  if (Array.isArray(whole['tags']))
    whole['tags'] = asList(whole['tags']).filter((tag) => isTagUsed(asText(at(tag, 'name'))));
  delete whole['x-tagGroups'];
  return withoutMappings(whole, kept) as SpecDocument;
}

/** `kind\nname` of each component that the value refers to. */
function componentsIn(value: unknown): string[] {
  if (Array.isArray(value)) return (value as unknown[]).flatMap(componentsIn);
  const object = asObject(value);
  if (object === undefined) return [];
  const [root, kind, name] = pointerKeys(referenceOf(object) ?? '') ?? [];
  const own = root === 'components' && kind !== undefined && name !== undefined ? [`${kind}\n${name}`] : [];
  return [...own, ...Object.values(object).flatMap(componentsIn)];
}

function tagsOf(document: SpecDocument): Set<string> {
  const items = [
    ...Object.values(asObject(document['paths']) ?? {}),
    ...Object.values(asObject(document['webhooks']) ?? {}),
  ];
  const operations = items.flatMap((item) => Object.values(asObject(item) ?? {}));
  return new Set(operations.flatMap((operation) => asList(at(operation, 'tags')).map(String)));
}

/** Entries of discriminators that lead to a removed schema. */
function withoutMappings(value: unknown, components: JsonObject): unknown {
  if (Array.isArray(value)) return (value as unknown[]).map((item) => withoutMappings(item, components));
  const object = asObject(value);
  if (object === undefined) return value;
  const mapping = asObject(at(object, 'discriminator', 'mapping'));
  const copy = emptyObject();
  for (const [key, item] of Object.entries(object)) copy[key] = withoutMappings(item, components);
  if (mapping === undefined) return copy;
  const isThere = ([, target]: [string, unknown]) => {
    const name = pointerKeys(String(target))?.[2] ?? String(target);
    return Object.hasOwn(asObject(components['schemas']) ?? {}, name);
  };
  copy['discriminator'] = {
    ...asObject(object['discriminator']),
    mapping: Object.fromEntries(Object.entries(mapping).filter(isThere)),
  };
  return copy;
}
