/** What a rule of the gate is given and what it answers. Types, and the few questions that several rules ask. */
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
  /** What the text of a page holds; undefined when it could not be read. */
  pageCode(text: string): PageCode | undefined;
}

export interface PolicySettings {
  /** Folder of the documentation in the repository; empty when the paths of the diff begin there. */
  docsRoot: string;
  /** Only below these paths may the job write; empty for the whole docs root. */
  scopePaths: readonly string[];
  /** Patterns of paths that the project opens although they are protected by default. */
  allowedPaths: readonly string[];
  /** Patterns of paths that the project protects in addition. */
  protectedPaths: readonly string[];
  /** Keys of docs.json that the project opens although they are protected by default, such as `redirects`. */
  allowedConfigKeys: readonly string[];
  limits: Pick<Limits, 'files' | 'lines'>;
  /** Values that must leave in no form: keys and tokens of this installation and project. */
  secrets: readonly string[];
  existing: Survey;
}

/** What the repository held before the run; made by `survey.ts`. */
export interface Survey {
  fileCount: number;
  lineCount: number;
  /** Hosts that its text names already. */
  hosts: ReadonlySet<string>;
  /** Files that docs.json folds in with `$ref`, and the key they stand for. */
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

/** The items of `after` that are not in `before`, each as often as it was added. */
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

/** For messages: short, on one line. */
export function quoted(text: string, most = 80): string {
  const line = text
    .slice(0, most * 4)
    .replaceAll(/[\s\p{C}]+/gu, ' ')
    .trim();
  return `“${line.length > most ? `${line.slice(0, most)}…` : line}”`;
}
