/** Determines how the matching time of a pattern grows with the length of the text, by recheck. */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Pattern } from './patterns.ts';

export type Growth = 'linear' | 'polynomial' | 'exponential' | 'undecided';

export type Verdicts = Record<string, Growth>;

const timeoutMs = 30_000;

export function nameOf({ source, flags }: Pick<Pattern, 'source' | 'flags'>): string {
  return createHash('sha256').update(`${flags}/${source}`).digest('hex').slice(0, 16);
}

export function readVerdicts(file: string): Verdicts {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Verdicts;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
}

export function writeVerdicts(file: string, verdicts: Verdicts): void {
  mkdirSync(dirname(file), { recursive: true });
  const sorted = Object.fromEntries(Object.entries(verdicts).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(file, `${JSON.stringify(sorted, null, 2)}\n`);
}

export async function growthOf({ source, flags }: Pick<Pattern, 'source' | 'flags'>): Promise<Growth> {
  if (!repeatsWithoutBound(source)) return 'linear';
  // The other backends need Java or a binary that some platforms lack.
  process.env['RECHECK_BACKEND'] = 'pure';
  const { checkSync } = await import('recheck');
  for (const checker of ['automaton', 'fuzz'] as const) {
    const found = attempt(() => checkSync(source, flags, { checker, timeout: timeoutMs, recallTimeout: -1 }));
    if (found?.status === 'safe') return 'linear';
    if (found?.status === 'vulnerable')
      return found.complexity.type === 'exponential' ? 'exponential' : 'polynomial';
  }
  return 'undecided';
}

/** A large `{0,n}` overflows the stack of recheck. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** Without `*`, `+` or `{n,}` outside a class, every attempt ends after a constant number of steps. */
function repeatsWithoutBound(source: string): boolean {
  let isInClass = false;
  for (let at = 0; at < source.length; at += 1) {
    const character = source[at];
    if (character === '\\') at += 1;
    else if (character === '[') isInClass = true;
    else if (character === ']') isInClass = false;
    else if (isInClass) continue;
    else if (character === '*' || character === '+') return true;
    else if (character === '{' && /^\{\d+,\}/.test(source.slice(at, at + 10))) return true;
  }
  return false;
}
