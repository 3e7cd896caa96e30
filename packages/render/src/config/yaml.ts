/** Reads YAML 1.2 as data, within limits. */
import { CORE_SCHEMA, load, Type, YAMLException } from 'js-yaml';
import { type SourcePlace, placeAt } from '../model/diagnostic.ts';

declare module 'js-yaml' {
  interface LoadOptions {
    maxDepth?: number;
  }
}

export interface DataLimits {
  depth: number;
  /** Counted after aliases are expanded. */
  values: number;
  characters: number;
}

export type ReadData = { value: unknown } | { problem: string; place?: SourcePlace };

/** Values with unknown tags are read as if untagged. */
const unknownTags = ['!', 'tag:'].flatMap((prefix) =>
  (['scalar', 'sequence', 'mapping'] as const).map(
    (kind) => new Type(prefix, { kind, multi: true, construct: (data: unknown) => data }),
  ),
);
const mergeKey = new Type('tag:yaml.org,2002:merge', {
  kind: 'scalar',
  resolve: (data: unknown) => data === '<<',
});
const schema = CORE_SCHEMA.extend({ implicit: [mergeKey], explicit: unknownTags });

/** Aliases become shared objects; see `dataTree`. */
export function readYaml(
  source: string,
  maxDepth: number,
  { allowRepeatedKeys = true }: { allowRepeatedKeys?: boolean } = {},
): ReadData {
  try {
    // Repeated keys are common in API descriptions; the last one wins.
    return { value: load(source, { schema, json: allowRepeatedKeys, maxDepth }) };
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    // Despite its type, `mark` is missing on errors about the whole text.
    const mark = error.mark as YAMLException['mark'] | undefined;
    return { problem: problemText(error.reason), ...(mark && { place: placeAt(source, mark.position) }) };
  }
}

function problemText(reason: string): string {
  if (reason.startsWith('nesting exceeded')) return 'it is nested too deeply';
  return reason.startsWith('expected a single document') ? 'it holds several documents' : reason;
}

/**
 * Copies shared objects so that in-place changes affect one occurrence only. Throws when the data exceeds the
 * limits.
 */
export function dataTree(value: unknown, limits: DataLimits): unknown {
  return ownTree(value, { ...limits, seen: new Set() });
}

function ownTree(value: unknown, left: DataLimits & { seen: Set<object> }, depth = 0): unknown {
  left.values -= 1;
  if (typeof value === 'string') left.characters -= value.length;
  if (left.values < 0 || left.characters < 0) throw new Error('it is too large');
  if (typeof value !== 'object' || value === null) return value;
  if (depth > left.depth) throw new Error('it is nested too deeply, or an alias is inside of itself');
  const isShared = left.seen.has(value);
  left.seen.add(value);
  if (Array.isArray(value)) {
    const items: unknown[] = isShared ? [...(value as unknown[])] : value;
    for (const [index, item] of items.entries()) items[index] = ownTree(item, left, depth + 1);
    return items;
  }
  const object: Record<string, unknown> = isShared ? { ...value } : (value as Record<string, unknown>);
  for (const key of Object.keys(object)) {
    if (key === '__proto__') delete object[key];
    else object[key] = ownTree(object[key], left, depth + 1);
  }
  return object;
}
