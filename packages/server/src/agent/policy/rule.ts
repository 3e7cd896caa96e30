import type { PageCode } from '@docyard/render/source-rules';
import type { DiffFile, Limits, Verdict } from '../contract.ts';

export interface Rule {
  name: string;
  judge(change: Change): Objection[];
}

export type Objection = Omit<Verdict['notes'][number], 'rule'>;

export interface Change {
  files: readonly DiffFile[];
  settings: PolicySettings;
  pageCode(text: string): PageCode | undefined;
}

export interface PolicySettings {
  /** The docs folder in the repository; empty if the paths of the diff are relative to it. */
  docsRoot: string;
  /** The job may write only below these paths; empty for the whole docs root. */
  scopePaths: readonly string[];
  /** Patterns that the project allows although they are protected by default. */
  allowedPaths: readonly string[];
  /** Patterns that the project protects in addition. */
  protectedPaths: readonly string[];
  /** Keys of docs.json that the project allows although they are protected by default, such as `redirects`. */
  allowedConfigKeys: readonly string[];
  limits: Pick<Limits, 'files' | 'lines'>;
  /** Secrets of this installation and project, which must not leave in any form. */
  secrets: readonly string[];
  existing: Survey;
}

export interface Survey {
  fileCount: number;
  lineCount: number;
  hosts: ReadonlySet<string>;
  /** Files that docs.json includes with `$ref`, and the key of each. */
  configParts: ReadonlyMap<string, string>;
}

export function block(path: string | null, message: string): Objection {
  return { path, message, outcome: 'block' };
}

export function draft(path: string | null, message: string): Objection {
  return { path, message, outcome: 'draft' };
}

export function isPage(path: string): boolean {
  return /\.mdx?$/i.test(path);
}

/** The items of `after` that are not in `before`, counted with repetitions. */
export function addedTo<Item>(
  before: readonly Item[],
  after: readonly Item[],
  key: (item: Item) => string,
): Item[] {
  const left = new Map<string, number>();
  for (const item of before) left.set(key(item), (left.get(key(item)) ?? 0) + 1);
  return after.filter((item) => {
    const count = left.get(key(item)) ?? 0;
    left.set(key(item), count - 1);
    return count <= 0;
  });
}

export function quoted(text: string, maxCharacters = 80): string {
  const line = text
    .slice(0, maxCharacters * 4)
    .replaceAll(/[\s\p{C}]+/gu, ' ')
    .trim();
  return `“${line.length > maxCharacters ? `${line.slice(0, maxCharacters)}…` : line}”`;
}
