/**
 * Judges what a run changed before anything of it leaves: pass, draft with notes, or block. It looks at the diff alone,
 * asks no model, and gives the same verdict for the same diff. What it cannot read or apply, it blocks.
 */
import type { PageCode } from '@docyard/render/source-rules';
import type { DiffFile, Verdict } from '../contract.ts';
import { addressRule } from './addresses.ts';
import { configRule } from './config.ts';
import { deletionRule } from './deletion.ts';
import { drawingRule } from './drawings.ts';
import { fileRule, sizeRule } from './files.ts';
import { hiddenTextRule } from './hidden-text.ts';
import { readPagesApart } from './page-process.ts';
import { pageRule } from './pages.ts';
import { pathRule } from './paths.ts';
import { type Change, type Objection, type PolicySettings, type Rule, block, isPage } from './rule.ts';
import { holdsSecret, secretRule } from './secrets.ts';

/** In the order in which people should read the notes. */
const rules: readonly Rule[] = [
  fileRule,
  pathRule,
  secretRule,
  configRule,
  pageRule,
  drawingRule,
  hiddenTextRule,
  addressRule,
  deletionRule,
  sizeRule,
];

/** Reads the pages in a process of their own, since the parser is native code and the text is a stranger's. */
export async function judgeChange(
  diff: readonly DiffFile[],
  settings: PolicySettings,
  signal: AbortSignal,
): Promise<Verdict> {
  return judge(diff, settings, await readPagesApart(pageTexts(diff), signal));
}

/** `pages` holds what was found in each text of a page; a text that is missing could not be read. */
export function judge(
  diff: readonly DiffFile[],
  settings: PolicySettings,
  pages: ReadonlyMap<string, PageCode>,
): Verdict {
  const change: Change = { files: diff, settings, pageCode: (text) => pages.get(text) };
  const notes = rules.flatMap((rule) =>
    objections(rule, change)
      .slice(0, mostNotesPerRule)
      .map((objection) => ({ rule: rule.name, ...withoutSecrets(objection, settings) })),
  );
  return { outcome: worst(notes), notes };
}

const mostNotesPerRule = 20;

function objections(rule: Rule, change: Change): Objection[] {
  try {
    // A block must not be lost among many smaller notes.
    return rule
      .judge(change)
      .toSorted((one, other) => Number(other.outcome === 'block') - Number(one.outcome === 'block'));
  } catch {
    return [block(null, 'This rule could not be applied to the change, so the change is held back.')];
  }
}

/** Notes quote what they found, are kept, and are shown to callers and reviewers. */
function withoutSecrets(objection: Objection, { secrets }: PolicySettings): Objection {
  const { path, message, outcome } = objection;
  if (!holdsSecret(`${path ?? ''} ${message}`, secrets)) return objection;
  return { path: null, message: 'What was found holds a secret, so it is not shown.', outcome };
}

function worst(notes: Verdict['notes']): Verdict['outcome'] {
  if (notes.some(({ outcome }) => outcome === 'block')) return 'block';
  return notes.length > 0 ? 'draft' : 'pass';
}

function pageTexts(diff: readonly DiffFile[]): string[] {
  const texts = diff.flatMap(({ path, from, before, after }) => [
    ...(before !== null && isPage(from ?? path) ? [before] : []),
    ...(after !== null && isPage(path) ? [after] : []),
  ]);
  return [...new Set(texts)];
}
