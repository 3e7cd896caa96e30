/**
 * Reads the hostile sites of `packages/render/attacks` and writes one into a folder, on top of the files of a harmless site.
 * Files that git cannot store well, such as links, pipes and megabytes of brackets, are generated here.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const corpus = fileURLToPath(new URL('../../packages/render/attacks', import.meta.url));

/** Texts in sequence; `#` in a repeated text becomes its number, and `deeper` precedes it with increasing depth. */
type Made = (string | { repeat: string; times: number; deeper?: string })[];

export const classes = [
  'endless work',
  'native loops',
  'memory',
  'pollution',
  'reach',
  'files',
  'network',
  'trickery',
  'output',
  'parsers',
  'descriptions',
  'compiler',
  'names',
] as const;

interface Description {
  name: string;
  class: (typeof classes)[number];
  does: string;
  /** Expected findings, `failed:CODE` for a failed job, or inert output. */
  expects: 'inert' | string[];
  /** The lowest level that contains the attack, when the interpreter and our limits are not enough. */
  level?: number;
  /** Text that an exported file must contain, by file: what the attack saw of its environment. */
  shows?: Record<string, string>;
  /** Text that no exported page may contain. */
  hides?: string[];
  /** Files that are generated, because they are too large or unusual to store. */
  made?: Record<string, Made>;
  /** Symbolic links with their targets. */
  links?: Record<string, string>;
  pipes?: string[];
  /** Files of the harmless site to remove. */
  without?: string[];
}

export interface Attack extends Description {
  id: string;
  folder: string;
}

/** Placeholders in files of a case for paths that are known only at run time. */
export interface Places {
  CANARY_FILE: string;
  CANARY_FOLDER: string;
  CANARY_HOST: string;
  CANARY_PID: string;
}

export const innocentSite = join(corpus, 'site');

export function readCorpus(): Attack[] {
  const cases = join(corpus, 'cases');
  return readdirSync(cases)
    .toSorted()
    .map((id) => {
      const folder = join(cases, id);
      const described = JSON.parse(readFileSync(join(folder, 'attack.json'), 'utf8')) as Description;
      return { ...described, id, folder };
    });
}

export function layOut(attack: Attack, places: Places, into: string): void {
  cpSync(innocentSite, into, { recursive: true });
  for (const file of attack.without ?? []) rmSync(join(into, file));
  for (const file of filesIn(attack.folder)) {
    if (file !== 'attack.json') write(into, file, readFileSync(join(attack.folder, file), 'utf8'), places);
  }
  for (const [file, parts] of Object.entries(attack.made ?? {})) write(into, file, textOf(parts), places);
  for (const [file, target] of Object.entries(attack.links ?? {})) {
    mkdirSync(dirname(join(into, file)), { recursive: true });
    rmSync(join(into, file), { force: true });
    symlinkSync(filled(target, places), join(into, file));
  }
  for (const file of attack.pipes ?? []) {
    rmSync(join(into, file), { force: true });
    execFileSync('mkfifo', [join(into, file)]);
  }
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
}

function write(folder: string, file: string, text: string, places: Places): void {
  const path = join(folder, filled(file, places));
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, filled(text, places));
}

function textOf(parts: Made): string {
  return parts
    .map((part) => {
      if (typeof part === 'string') return part;
      const { repeat, times, deeper = '' } = part;
      if (deeper === '' && !repeat.includes('#')) return repeat.repeat(times);
      return Array.from(
        { length: times },
        (_, index) => deeper.repeat(index) + repeat.replaceAll('#', String(index)),
      ).join('');
    })
    .join('');
}

function filled(text: string, places: Places): string {
  return text.replaceAll(/CANARY_(?:FILE|FOLDER|HOST|PID)/g, (name) => places[name as keyof Places]);
}
