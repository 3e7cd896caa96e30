/**
 * Resolves references of pages and navigation entries to operations, schemas and channels. A missing or
 * ambiguous reference is a finding; the page is kept.
 */
import { asObject, at } from '../config/json.ts';
import { nearestName } from '../config/shape.ts';
import { type Spec, type SpecLibrary, isRemote } from './library.ts';
import type { DescribedEntry } from './operations.ts';
import type { ApiReference } from '../model/page-source.ts';
import type { Finding } from '../model/diagnostic.ts';
import type { ApiTarget, SpecSource } from '../model/site-plan.ts';
import { percentDecode } from '../text/percent-decode.ts';

export interface Bound {
  target?: ApiTarget;
  /** Absent for schemas and for operations declared in front matter. */
  entry?: DescribedEntry;
  finding?: Finding;
}

export interface ReferenceScope {
  sources: readonly SpecSource[];
  from?: string;
}

export class Binder {
  readonly #library: SpecLibrary;
  readonly #configured: readonly string[];

  constructor(library: SpecLibrary, configured: readonly string[]) {
    this.#library = library;
    this.#configured = configured;
  }

  bind(reference: ApiReference, scope: ReferenceScope): Bound {
    if (reference.kind === 'front-matter') return { target: reference };
    if (reference.file !== undefined) return this.#bindInFile(reference, reference.file, scope);
    const around = scope.sources.flatMap(({ source }) => this.#library.find(source));
    const tiers = [around, this.#configured, this.#library.candidates];
    for (const keys of tiers) {
      const found = this.#search(reference, keys);
      if (found) return found;
    }
    if (tiers.flat().some((key) => !this.#library.get(key) && isRemote(key))) return {};
    return { finding: this.#missing(reference, new Set(tiers.flat())) };
  }

  #bindInFile(reference: Named, file: string, scope: ReferenceScope): Bound {
    const keys = this.#library.find(file, scope.from);
    const found = this.#search(reference, keys);
    if (found) return found;
    /** The unreadable description was already reported. */
    if (keys.some((key) => !this.#library.get(key))) return {};
    if (keys.length > 0) return { finding: this.#missing(reference, new Set(keys)) };
    return this.#bindToOtherDescription(reference, file);
  }

  /** If the named file is missing and exactly one other description has the operation, use that one. */
  #bindToOtherDescription(reference: Named, file: string): Bound {
    const found = this.#search(reference, this.#library.candidates);
    const isSure = found !== undefined && !found.finding;
    const instead =
      isSure && found.target && 'spec' in found.target ? `; "${found.target.spec}" is used instead` : '';
    const finding: Finding = {
      severity: 'warning',
      code: 'openapi_operation_missing',
      message: `The API description "${file}" does not exist${instead}`,
      hint: `The site has ${listed(this.#library.candidates) || 'none'}.`,
    };
    return isSure ? { ...found, finding } : { finding };
  }

  #search(reference: Named, keys: readonly string[]): Bound | undefined {
    const specs = [...new Set(keys)].flatMap((key) => this.#library.get(key) ?? []);
    const found = specs.flatMap((spec) => matchIn(spec, reference) ?? []);
    const first = found[0];
    if (!first || found.length === 1) return first;
    const names = found.flatMap(({ target }) => (target && 'spec' in target ? target.spec : []));
    return {
      ...first,
      finding: {
        severity: 'info',
        code: 'openapi_ambiguous',
        message: `Several API descriptions contain ${spelled(reference)}; the first one is shown: ${listed(names)}`,
        hint: 'Prefix the reference with the file name of the API description.',
      },
    };
  }

  #missing(reference: Named, keys: ReadonlySet<string>): Finding {
    const specs = [...keys].flatMap((key) => this.#library.get(key) ?? []);
    const where =
      specs.length === 1 && specs[0] ? `"${specs[0].key}" does not hold` : 'No API description holds';
    const near = nearest(reference, specs);
    const hint =
      specs.length === 0
        ? 'The site has no API description that can be read.'
        : near.length > 0
          ? `Nearest: ${near.join(', ')}.`
          : undefined;
    return {
      severity: 'warning',
      code: 'openapi_operation_missing',
      message: `${where} ${spelled(reference)}`,
      ...(hint === undefined ? {} : { hint }),
    };
  }
}

type Named = Exclude<ApiReference, { kind: 'front-matter' }>;

function matchIn(spec: Spec, reference: Named): Bound | undefined {
  if (reference.kind === 'schema') {
    const isThere = asObject(at(spec.document, 'components', 'schemas', reference.name)) !== undefined;
    return isThere ? { target: { kind: 'schema', spec: spec.key, name: reference.name } } : undefined;
  }
  const entry = entryIn(spec, reference);
  return entry && { target: entry.target, entry };
}

function entryIn(spec: Spec, reference: Exclude<Named, { kind: 'schema' }>): DescribedEntry | undefined {
  const { entries } = spec;
  if (reference.kind === 'file') return entries.length === 1 ? entries[0] : undefined;
  if (reference.kind === 'operation') {
    const index = operationIndex(spec);
    for (const spelling of spellingsOf(reference.path)) {
      const entry = index.get(`${reference.method} ${spelling}`);
      if (entry) return entry;
    }
    return undefined;
  }
  const isMeant = ({ target, endpoint }: DescribedEntry): boolean =>
    target.kind === reference.kind && (target.name === reference.name || endpoint.path === reference.name);
  return entries.find(isMeant);
}

const indexes = new WeakMap<Spec, Map<string, DescribedEntry>>();

/** Exact spellings take precedence over equivalent ones. */
function operationIndex(spec: Spec): Map<string, DescribedEntry> {
  const known = indexes.get(spec);
  if (known) return known;
  const index = new Map<string, DescribedEntry>();
  const operations = spec.entries.flatMap((entry) =>
    entry.target.kind === 'operation'
      ? [{ entry, ...entry.target, spellings: spellingsOf(entry.target.path) }]
      : [],
  );
  for (let rank = 0; rank < spellingCount; rank++)
    for (const { entry, method, spellings } of operations) {
      const key = `${method} ${spellings[rank]}`;
      if (!index.has(key)) index.set(key, entry);
    }
  indexes.set(spec, index);
  return index;
}

const spellingCount = 4;

/** From the exact path to its normalized form; a query or fragment may be part of the path. */
function spellingsOf(path: string): string[] {
  const decoded = percentDecode(path);
  return [path, shapeOfPath(path), shapeOfPath(decoded), shapeOfPath(decoded.split(/[?#]/, 1)[0] ?? '')];
}

/** Parameter names and a trailing slash do not distinguish paths. */
function shapeOfPath(path: string): string {
  const parts = path.split('/').filter((part) => part !== '');
  return `/${parts.map((part) => part.replaceAll(/\{[^{}]*\}|^:[\w-]+$/g, '{}')).join('/')}`;
}

function spelled(reference: Named): string {
  if (reference.kind === 'operation') return `"${reference.method} ${reference.path}"`;
  if (reference.kind === 'file') return 'just one operation; say which, by method and path';
  return `the ${reference.kind} "${reference.name}"`;
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, 5).map((name) => `"${name}"`);
  return [...shown, ...(names.length > shown.length ? [`${names.length - shown.length} more`] : [])].join(
    ', ',
  );
}

function nearest(reference: Named, specs: readonly Spec[]): string[] {
  if (reference.kind === 'file') return [];
  if (reference.kind !== 'operation') return nearestNames(reference, specs);
  const entries = specs.flatMap((spec) => spec.entries);
  const referenced = new Set(shapeOfPath(reference.path).split('/'));
  return entries
    .flatMap(({ target }) => {
      if (target.kind !== 'operation') return [];
      const parts = shapeOfPath(target.path).split('/');
      const shared = parts.filter((part) => part !== '' && part !== '{}' && referenced.has(part)).length;
      const score =
        shared * 4 - Math.abs(parts.length - referenced.size) + (target.method === reference.method ? 1 : 0);
      return shared === 0 ? [] : [{ name: `${target.method} ${target.path}`, score }];
    })
    .toSorted((a, b) => b.score - a.score)
    .slice(0, 3)
    .map(({ name }) => name);
}

function nearestNames({ kind, name }: Extract<Named, { name: string }>, specs: readonly Spec[]): string[] {
  const names = specs.flatMap(({ document, entries }) =>
    kind === 'schema'
      ? Object.keys(asObject(at(document, 'components', 'schemas')) ?? {})
      : entries.flatMap(({ target }) => (target.kind === kind ? target.name : [])),
  );
  const near = nearestName(name, names);
  return near === undefined ? names.slice(0, 3) : [near];
}
