/**
 * Inlines external references of an API description. Internal references stay references, so that cycles stay
 * finite. The caller supplies file contents.
 */
import { posix } from 'node:path';
import { asObject } from '../config/json.ts';
import { nameOfReference, referenceOf, valueAtPointer } from './references.ts';
import type { JsonObject } from '../model/json.ts';
import { percentDecode } from '../text/percent-decode.ts';

export interface BundleSources {
  read(file: string): JsonObject | undefined;
  /** Called once per unresolvable reference. */
  missing(reference: string, file: string, reason: string): void;
}

export function referredFiles(document: JsonObject, file: string): string[] {
  const outside = [...referencesIn(document)].filter((it) => !it.startsWith('#') && !isRemote(it));
  return [...new Set(outside.map((reference) => targetOf(reference, file).file))];
}

/** Returns the same object when it has no external references. */
export function bundled(document: JsonObject, file: string, sources: BundleSources): JsonObject {
  const references = [...referencesIn(document)];
  if (references.every((reference) => reference.startsWith('#'))) {
    for (const reference of references)
      if (valueAtPointer(document, reference) === undefined)
        sources.missing(reference, file, nothingAt(reference, file));
    return document;
  }
  const bundle: Bundle = {
    file,
    document,
    sources,
    names: new Map(),
    sections: new Map(),
    reported: new Set(),
  };
  nameComponents(bundle);
  const whole = { ...asObject(copied(document, { bundle, file, path: [], chain: [] })) };
  for (const [section, entries] of bundle.sections) addSection(whole, section, entries);
  return whole;
}

function referencesIn(document: JsonObject): Set<string> {
  const references = new Set<string>();
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) return value.forEach(visit);
    const object = asObject(value);
    if (!object) return;
    if (typeof object['$ref'] === 'string') references.add(object['$ref']);
    for (const key in object) visit(object[key]);
  };
  visit(document);
  return references;
}

function nothingAt(pointer: string, file: string): string {
  return `there is no "${pointer}" in "${file}"`;
}

/** A component that only references another file names that part. */
function nameComponents({ document, file, names }: Bundle): void {
  for (const [section, entries] of Object.entries(asObject(document['components']) ?? {})) {
    for (const [name, value] of Object.entries(asObject(entries) ?? {})) {
      const reference = referenceOf(value);
      if (reference === undefined || isRemote(reference)) continue;
      const target = targetOf(reference, file);
      const key = target.file + target.pointer;
      if (target.file !== file && !names.has(key)) names.set(key, `#/components/${section}/${name}`);
    }
  }
}

interface Bundle {
  file: string;
  document: JsonObject;
  sources: BundleSources;
  names: Map<string, string>;
  /** Inlined parts by section, for example `components/schemas`. */
  sections: Map<string, Record<string, unknown>>;
  reported: Set<string>;
}

interface Context {
  bundle: Bundle;
  file: string;
  path: string[];
  /** Parts that are being inlined, to detect cycles. */
  chain: string[];
}

function copied(value: unknown, context: Context): unknown {
  if (Array.isArray(value)) return value.map((item, index) => copied(item, inside(context, String(index))));
  const object = asObject(value);
  if (!object) return value;
  const reference = object['$ref'];
  if (typeof reference === 'string') return followed(object, reference, context);
  return copiedEntries(object, context);
}

function copiedEntries(object: JsonObject, context: Context): JsonObject {
  return Object.fromEntries(
    Object.entries(object).map(([key, item]) => [key, copied(item, inside(context, key))]),
  );
}

function inside(context: Context, key: string): Context {
  return { ...context, path: [...context.path, key] };
}

function followed(object: JsonObject, reference: string, context: Context): unknown {
  const { bundle, file } = context;
  const reportMissing = (reason: string): JsonObject => {
    const key = `${file} ${reference}`;
    if (!bundle.reported.has(key)) bundle.sources.missing(reference, file, reason);
    bundle.reported.add(key);
    return object;
  };
  if (isRemote(reference)) return reportMissing('it is on another host');
  const target = targetOf(reference, file);
  const isOwn = target.file === bundle.file;
  const source = isOwn ? bundle.document : bundle.sources.read(target.file);
  if (!source) return reportMissing(`there is no file "${target.file}"`);
  const value = valueAtPointer(source, target.pointer);
  if (value === undefined) return reportMissing(nothingAt(target.pointer, target.file));
  const { $ref: _, ...siblings } = object;
  const rest = copiedEntries(siblings, context);
  if (isOwn) return { ...rest, $ref: target.pointer };
  const key = target.file + target.pointer;
  if (isContainer(context.path) || bundle.names.get(key) === `#/${context.path.join('/')}`) {
    if (context.chain.includes(key)) return reportMissing('it is inside of itself');
    const put = copied(value, { ...context, file: target.file, chain: [...context.chain, key] });
    return asObject(put) ? { ...asObject(put), ...rest } : put;
  }
  return { ...rest, $ref: bundle.names.get(key) ?? inlinePart(value, key, target, context) };
}

/** Registers the name before the content, so that cyclic references resolve. */
function inlinePart(value: unknown, key: string, target: Target, { bundle, path }: Context): string {
  const section = sectionOf(path, bundle.document);
  const entries = bundle.sections.get(section.join('/')) ?? {};
  bundle.sections.set(section.join('/'), entries);
  const preferred = (nameOfReference(target.pointer) || posix.parse(target.file).name).replaceAll(
    /[^\w.-]+/g,
    '-',
  );
  const isTaken = (name: string): boolean =>
    Object.hasOwn(entries, name) ||
    valueAtPointer(bundle.document, `#/${[...section, name].join('/')}`) !== undefined;
  let name = preferred;
  for (let count = 2; isTaken(name); count++) name = `${preferred}-${count}`;
  const reference = `#/${[...section, name].join('/')}`;
  bundle.names.set(key, reference);
  entries[name] = {};
  entries[name] = copied(value, { bundle, file: target.file, path: [...section, name], chain: [] });
  return reference;
}

interface Target {
  file: string;
  pointer: string;
}

function targetOf(reference: string, from: string): Target {
  const hash = reference.indexOf('#');
  const path = hash < 0 ? reference : reference.slice(0, hash);
  const pointer = hash < 0 || hash === reference.length - 1 ? '#' : reference.slice(hash);
  if (path === '') return { file: from, pointer };
  const decoded = percentDecode(path);
  const file = decoded.startsWith('/') ? decoded.slice(1) : posix.join(posix.dirname(from), decoded);
  return { file, pointer };
}

function isRemote(reference: string): boolean {
  return /^(?:[a-z][a-z0-9+.-]+:|\/\/)/i.test(reference);
}

/** Containers whose entries must be inlined rather than referenced. */
function isContainer(path: readonly string[]): boolean {
  const [first = '', second = ''] = path;
  if (path.length === 0) return true;
  if (first === 'paths' || first === 'webhooks' || first === 'channels' || first === 'operations')
    return path.length <= 2;
  if (first === 'components') return path.length <= 2 || second === 'pathItems';
  return path.length === 1;
}

const sectionByHolder: Record<string, string> = {
  parameters: 'parameters',
  responses: 'responses',
  headers: 'headers',
  examples: 'examples',
  links: 'links',
  callbacks: 'callbacks',
  securitySchemes: 'securitySchemes',
  messages: 'messages',
  servers: 'servers',
};

function sectionOf(path: readonly string[], document: JsonObject): string[] {
  const holder = path.at(-2) ?? '';
  const kind =
    path.at(-1) === 'requestBody'
      ? 'requestBodies'
      : Object.hasOwn(sectionByHolder, holder) && path.at(-3) !== 'properties'
        ? (sectionByHolder[holder] ?? 'schemas')
        : 'schemas';
  if (document['swagger'] === undefined) return ['components', kind];
  return [kind === 'parameters' || kind === 'responses' ? kind : 'definitions'];
}

function addSection(whole: Record<string, unknown>, section: string, entries: Record<string, unknown>): void {
  const [first = '', second] = section.split('/');
  const outer = asObject(whole[first]);
  whole[first] =
    second === undefined
      ? { ...outer, ...entries }
      : { ...outer, [second]: { ...asObject(outer?.[second]), ...entries } };
}
