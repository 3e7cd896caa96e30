/** Builders for diffs and verdicts in policy tests. */
import { type PageCode, pageCodeReader } from '@docyard/render/source-rules';
import { type DiffFile, type Verdict, defaultLimits } from '../../src/agent/contract.ts';
import { judge } from '../../src/agent/policy/gate.ts';
import type { PolicySettings } from '../../src/agent/policy/rule.ts';

export const plainSettings: PolicySettings = {
  docsRoot: '',
  scopePaths: [],
  allowedPaths: [],
  protectedPaths: [],
  allowedConfigKeys: [],
  limits: defaultLimits,
  secrets: [],
  existing: {
    fileCount: 100,
    lineCount: 5000,
    hosts: new Set(['docs.acme.io', 'github.com']),
    configParts: new Map(),
  },
};

/** A file as git reports it: `before` null means added, `after` null means removed. */
export function changed(
  path: string,
  before: string | null,
  after: string | null,
  more: Partial<DiffFile> = {},
): DiffFile {
  const lines = (text: string | null) => (text === null ? 0 : text.split('\n').length);
  return {
    path,
    from: null,
    status: before === null ? 'added' : after === null ? 'removed' : 'modified',
    oldMode: before === null ? '000000' : '100644',
    newMode: after === null ? '000000' : '100644',
    isBinary: false,
    addedLines: lines(after),
    removedLines: lines(before),
    before,
    after,
    ...more,
  };
}

const read = await pageCodeReader('fast');

/** Like the worker process for pages, but in this process. */
export function verdictOn(diff: readonly DiffFile[], settings: Partial<PolicySettings> = {}): Verdict {
  const pages = new Map<string, PageCode>();
  for (const { before, after } of diff)
    for (const text of [before, after]) {
      try {
        if (text !== null) pages.set(text, read(text));
      } catch {
        // A text that could not be read is missing.
      }
    }
  return judge(diff, { ...plainSettings, ...settings }, pages);
}

/** The outcome and the rules that caused it. */
export function outcomeOf(diff: readonly DiffFile[], settings: Partial<PolicySettings> = {}): string {
  const { outcome, notes } = verdictOn(diff, settings);
  const names = notes.filter((note) => note.outcome === outcome).map(({ rule }) => rule);
  return [outcome, ...new Set(names)].join(' ');
}
