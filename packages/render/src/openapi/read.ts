/**
 * Reads the text of an API description (JSON or YAML) into plain data, and says what kind of document it is.
 * What it hands out is a tree without shared or cyclic parts, within fixed limits; it follows no reference.
 */
import { type ParseError, parse as parseLooseJson, printParseErrorCode } from 'jsonc-parser';
import type { CST } from 'yaml';
import { type SourcePlace, placeAt } from '../model/diagnostic.ts';
import { asObject, textAt } from '../config/json.ts';
import { fullYaml, yamlProblem, yamlRules } from '../config/full-yaml.ts';
import { readPlainYaml } from '../config/plain-yaml.ts';
import type { JsonObject } from '../model/json.ts';

export type DescriptionKind = 'openapi' | 'asyncapi' | 'overlay';

export type ReadText = { value: JsonObject } | { problem: string; place?: SourcePlace };

export const maximumDescriptionBytes = 20_000_000;
const maximumDepth = 200;
/** The largest description met in the wild (3.6 MB) has 150,000 values. */
const maximumValues = 3_000_000;
/** Aliases let a short YAML file stand for a long one; this is about its length written out. */
const maximumCharacters = 100_000_000;
const maximumAliases = 10_000;

export function readDescription(text: string): ReadText {
  try {
    const source = text.replace(/^\uFEFF/, '');
    const parsed = /^\s*[{[]/.test(source) ? readJson(source) : readYaml(source);
    if ('problem' in parsed) return parsed;
    const limits = { values: maximumValues, characters: maximumCharacters, seen: new Set<object>() };
    const value = asObject(detached(parsed.value, limits, 0));
    return value ? { value } : { problem: 'it is not an object' };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : 'it cannot be read' };
  }
}

type Parsed = { value: unknown } | { problem: string; place?: SourcePlace };

/** Comments and trailing commas are let through, as editors do; the slow reader is asked only when the fast one fails. */
function readJson(source: string): Parsed {
  try {
    return { value: JSON.parse(source) as unknown };
  } catch {
    const errors: ParseError[] = [];
    const value: unknown = parseLooseJson(source, errors, { allowTrailingComma: true });
    const first = errors[0];
    if (!first) return { value };
    const problem = printParseErrorCode(first.error)
      .replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')
      .toLowerCase();
    return { problem, place: placeAt(source, first.offset) };
  }
}

function readYaml(source: string): Parsed {
  const plain = readPlainYaml(source);
  if (plain) return { value: plain };
  const { Composer, Parser } = fullYaml();
  const composer = new Composer({ ...yamlRules, merge: true });
  const tokens = untilError(new Parser().parse(source));
  try {
    const [document, another] = composer.compose(tokens, true, source.length);
    if (another) return { problem: 'it holds several documents', place: placeAt(source, another.range[0]) };
    const error = document?.errors[0];
    if (error) return { problem: yamlProblem(error), place: placeAt(source, error.pos[0]) };
    return { value: document?.toJS({ maxAliasCount: maximumAliases }) as unknown };
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    return { problem: error.message, place: placeAt(source, error.offset) };
  }
}

/** Nobody reads the second of them, and 60,000 in a row cost a minute. */
function* untilError(tokens: Iterable<CST.Token>): Generator<CST.Token> {
  for (const token of tokens) {
    if (token.type === 'error') throw new YamlError(token.message, token.offset);
    yield token;
  }
}

class YamlError extends Error {
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

interface Limits {
  values: number;
  characters: number;
  seen: Set<object>;
}

/**
 * Makes a tree of it: what upgrades a document changes it in place, and parts shared through aliases would be changed
 * twice. Only what was met before is copied, which for JSON is nothing.
 */
function detached(value: unknown, left: Limits, depth: number): unknown {
  left.values -= 1;
  if (typeof value === 'string') left.characters -= value.length;
  if (left.values < 0 || left.characters < 0) throw new Error('it is too large');
  if (typeof value !== 'object' || value === null) return value;
  if (depth > maximumDepth) throw new Error('it is nested too deeply, or an alias is inside of itself');
  const isShared = left.seen.has(value);
  left.seen.add(value);
  if (Array.isArray(value)) {
    const items: unknown[] = isShared ? [...(value as unknown[])] : value;
    for (const [index, item] of items.entries()) items[index] = detached(item, left, depth + 1);
    return items;
  }
  const object: Record<string, unknown> = isShared ? { ...value } : (value as Record<string, unknown>);
  for (const key of Object.keys(object)) {
    if (key === '__proto__') delete object[key];
    else object[key] = detached(object[key], left, depth + 1);
  }
  return object;
}

/** What a document says it is; `unsupported` names a version that cannot be shown. */
export function kindOf(document: JsonObject): DescriptionKind | { unsupported: string } | undefined {
  const openapi = textAt(document, 'openapi') ?? textAt(document, 'swagger');
  if (openapi !== undefined)
    return /^[23](?:\.|$)/.test(openapi) ? 'openapi' : { unsupported: `OpenAPI ${openapi}` };
  const asyncapi = textAt(document, 'asyncapi');
  if (asyncapi !== undefined)
    return /^3(?:\.|$)/.test(asyncapi) ? 'asyncapi' : { unsupported: `AsyncAPI ${asyncapi}` };
  return textAt(document, 'overlay') === undefined ? undefined : 'overlay';
}

/** Tells by the first kilobytes of a file whether it may be a description, so that data files are never parsed. */
export function looksLike(head: string): 'description' | 'overlay' | 'nothing' | 'unclear' {
  const version =
    /(?:^|[\n{,])\s{0,40}["']?(openapi|swagger|asyncapi|overlay)["']?\s{0,10}:\s{0,10}["']?\d/.exec(head);
  if (version) return version[1] === 'overlay' ? 'overlay' : 'description';
  /** Some tools sort the keys: then the version comes after everything that is called `components` or `info`. */
  const first = /^\uFEFF?\s{0,100}(?:\{\s{0,100})?["']?([\w-]{1,60})["']?\s{0,10}:/.exec(head)?.[1] ?? '';
  return sortedBeforeVersion.test(first) ? 'unclear' : 'nothing';
}

const sortedBeforeVersion =
  /^(?:actions|basePath|channels|components|consumes|definitions|extends|externalDocs|host|info|x-[\w-]+)$/;
