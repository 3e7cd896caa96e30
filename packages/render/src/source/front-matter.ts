/**
 * Parses front matter leniently: an invalid line costs that line, never the page. It reads YAML and simple TOML
 * and never executes anything.
 */
import { dataTree, readYaml } from '../config/yaml.ts';

export type FrontMatter = Record<string, unknown>;

export interface ReadFrontMatter {
  data: FrontMatter;
  problem?: { message: string; line: number };
}

const maxMatter = 32_000;
const limits = { depth: 100, values: 20_000, characters: 200_000 };

export function readFrontMatter(matter: string | undefined): ReadFrontMatter {
  if (matter === undefined || matter.trim() === '') return { data: {} };
  if (matter.length > maxMatter) return leniently(matter.slice(0, maxMatter), 'it is larger than 32 kB');
  const read = readYaml(matter, limits.depth);
  if ('problem' in read) return leniently(matter, read.problem, read.place?.line);
  let value: unknown;
  try {
    value = dataTree(read.value, limits);
  } catch (refusal) {
    return leniently(matter, (refusal as Error).message);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { data: lenientMatter(matter) };
  return { data: canonicalKeys(Object.entries(value)) };
}

function leniently(matter: string, message: string, line = 1): ReadFrontMatter {
  return {
    data: lenientMatter(matter),
    problem: { message: message.split('\n')[0] ?? 'malformed YAML', line },
  };
}

/**
 * Reads `key: value` lines. Lines without a key continue the previous value: sites write long quoted
 * descriptions without indentation.
 */
function lenientMatter(matter: string): FrontMatter {
  const entries: [string, string][] = [];
  for (const line of matter.split('\n')) {
    const pair = /^([\w$][\w:.-]*)\s*[:=]\s*(.*)$/.exec(line);
    const last = entries.at(-1);
    if (pair?.[1] !== undefined) entries.push([pair[1], pair[2] ?? '']);
    else if (last && line.trim()) last[1] = `${last[1]} ${line.trim()}`.trim();
  }
  return canonicalKeys(entries.map(([key, value]) => [key, scalar(value)] as const));
}

function scalar(text: string): unknown {
  const quoted = /^(["'])([\s\S]*)\1$/.exec(text.trim());
  if (quoted) return quoted[2];
  if (text === 'true') return true;
  if (text === 'false') return false;
  return text.trim() === '' ? null : text.trim();
}

/** The exact key wins over its capitalized form (`Title:`). */
function canonicalKeys(entries: readonly (readonly [string, unknown])[]): FrontMatter {
  const data: FrontMatter = Object.create(null) as FrontMatter;
  for (const [key, value] of entries) data[key] = value;
  for (const [key, value] of entries) {
    const lower = key.charAt(0).toLowerCase() + key.slice(1);
    if (!(lower in data)) data[lower] = value;
  }
  return data;
}
