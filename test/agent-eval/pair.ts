/** A change of code and the change of the documentation that it needs, as a YAML file in `pairs/SITE/NAME.yaml`. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

export const kinds = [
  'renamed-flag',
  'changed-default',
  'new-endpoint',
  'removed-option',
  'changed-response',
  'new-env-variable',
  'renamed-concept',
  'deprecated-method',
  'raised-minimum',
  'changed-error-message',
  'changed-limit',
  'no-op',
] as const;
export type Kind = (typeof kinds)[number];

/** Where the documentation changes. */
export const places = [
  'one-page',
  'several-pages',
  'snippet',
  'api-and-page',
  'api-and-navigation',
  'api-page-and-navigation',
  'navigation',
  'none',
] as const;
export type Place = (typeof places)[number];

export interface Pair {
  /** SITE/NAME. */
  name: string;
  site: string;
  kind: Kind;
  place: Place;
  /** Why a no-op needs no change. */
  reason?: string;
  pullRequest: { title: string; body: string };
  files: CodeFile[];
  /** Empty if the documentation must not change. */
  expected: Expected[];
  /** Files that look affected and are not. */
  untouched: string[];
  /** Globs of files that may change, such as translations. */
  allowed: string[];
  /** What the oracle searches for: words of the change. */
  find: string[];
  edits: Edit[];
}

/** Without `before` the file is added. */
export interface CodeFile {
  path: string;
  before?: string;
  after?: string;
}

/** Alternatives, one of which must be there. */
export type Statement = string | string[];

export interface Expected {
  /** Exactly one of `page` and `newPageIn` is set. */
  page?: string;
  newPageIn?: string;
  states: Statement[];
  drops: string[];
  keeps: string[];
}

/** `content` for a new file. */
export interface Edit {
  page: string;
  old?: string;
  new?: string;
  everywhere?: boolean;
  content?: string;
}

const pairsFolder = fileURLToPath(new URL('pairs', import.meta.url));

export function readPairs(): Pair[] {
  return readdirSync(pairsFolder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.yaml'))
    .toSorted()
    .map((file) => pairOf(file.slice(0, -'.yaml'.length), readFileSync(join(pairsFolder, file), 'utf8')));
}

const fields = new Set([
  'kind',
  'place',
  'reason',
  'pullRequest',
  'files',
  'expected',
  'untouched',
  'allowed',
  'find',
  'edits',
]);

export function pairOf(name: string, text: string): Pair {
  const given = parse(text) as Partial<Pair>;
  const unknown = Object.keys(given).filter((field) => !fields.has(field));
  if (unknown.length > 0) throw new Error(`${name} has unknown fields: ${unknown.join(', ')}.`);
  const { kind, place, pullRequest, files, expected, find } = given;
  const isComplete =
    kind !== undefined &&
    kinds.includes(kind) &&
    place !== undefined &&
    places.includes(place) &&
    pullRequest !== undefined &&
    files !== undefined &&
    expected !== undefined &&
    find !== undefined;
  if (!isComplete) throw new Error(`${name} lacks a field or has an unknown kind or place.`);
  return {
    ...given,
    name,
    site: name.split('/', 1)[0] ?? '',
    kind,
    place,
    pullRequest,
    files,
    find,
    expected: expected.map((each) => ({
      ...each,
      states: each.states ?? [],
      drops: each.drops ?? [],
      keeps: each.keeps ?? [],
    })),
    untouched: given.untouched ?? [],
    allowed: given.allowed ?? [],
    edits: given.edits ?? [],
  };
}

export function isNoOp({ expected }: Pick<Pair, 'expected'>): boolean {
  return expected.length === 0;
}

export function alternativesOf(statement: Statement): string[] {
  return typeof statement === 'string' ? [statement] : statement;
}

/** Runs of white space count as one space, so that a wrapped line is still found. */
export function includesText(text: string, part: string): boolean {
  return withSingleSpaces(text).includes(withSingleSpaces(part));
}

function withSingleSpaces(text: string): string {
  return text.replaceAll(/\s+/g, ' ');
}
