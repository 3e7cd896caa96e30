/**
 * Parses an API description (JSON or YAML) into a tree without shared or cyclic parts, within limits, and
 * detects its kind.
 */
import { type ParseError, parse as parseLooseJson, printParseErrorCode } from 'jsonc-parser';
import { type SourcePlace, placeAt } from '../model/diagnostic.ts';
import { asObject, textAt } from '../config/json.ts';
import { dataTree, readYaml, type ReadData } from '../config/yaml.ts';
import type { JsonObject } from '../model/json.ts';

export type DescriptionKind = 'openapi' | 'asyncapi' | 'overlay';

export type ReadText = { value: JsonObject } | { problem: string; place?: SourcePlace };

export const maxDescriptionBytes = 20_000_000;
const limits = { depth: 200, values: 3_000_000, characters: 100_000_000 };

export function readDescription(text: string): ReadText {
  try {
    const source = text.replace(/^\uFEFF/, '');
    const parsed = /^\s*[{[]/.test(source) ? readJson(source) : readYaml(source, limits.depth);
    if ('problem' in parsed) return parsed;
    const value = asObject(dataTree(parsed.value, limits));
    return value ? { value } : { problem: 'it is not an object' };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : 'it cannot be read' };
  }
}

/**
 * Comments and trailing commas are accepted, as editors do. The tolerant parser is slow and runs only when
 * `JSON.parse` fails.
 */
function readJson(source: string): ReadData {
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

/** `unsupported` is the unsupported version. */
export function kindOf(document: JsonObject): DescriptionKind | { unsupported: string } | undefined {
  const openapi = textAt(document, 'openapi') ?? textAt(document, 'swagger');
  if (openapi !== undefined)
    return /^[23](?:\.|$)/.test(openapi) ? 'openapi' : { unsupported: `OpenAPI ${openapi}` };
  const asyncapi = textAt(document, 'asyncapi');
  if (asyncapi !== undefined)
    return /^3(?:\.|$)/.test(asyncapi) ? 'asyncapi' : { unsupported: `AsyncAPI ${asyncapi}` };
  return textAt(document, 'overlay') === undefined ? undefined : 'overlay';
}

/** Classifies a file by its first kilobytes, so that data files are not parsed. */
export function looksLike(head: string): 'description' | 'overlay' | 'nothing' | 'unclear' {
  const version =
    /(?:^|[\n{,])\s{0,40}["']?(openapi|swagger|asyncapi|overlay)["']?\s{0,10}:\s{0,10}["']?\d/.exec(head);
  if (version) return version[1] === 'overlay' ? 'overlay' : 'description';
  /** Some tools sort keys, which places the version after large sections such as `components`. */
  const first = /^\uFEFF?\s{0,100}(?:\{\s{0,100})?["']?([\w-]{1,60})["']?\s{0,10}:/.exec(head)?.[1] ?? '';
  return sortedBeforeVersion.test(first) ? 'unclear' : 'nothing';
}

const sortedBeforeVersion =
  /^(?:actions|basePath|channels|components|consumes|definitions|extends|externalDocs|host|info|x-[\w-]+)$/;
