/**
 * Judges the diff of a run: pass, draft with notes, or block. The verdict is deterministic and uses no model. A
 * change that cannot be read or judged is blocked.
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

/** Parses the pages in a child process, because the parser is native code and the text is untrusted. */
export async function judgeChange(
  diff: readonly DiffFile[],
  settings: PolicySettings,
  signal: AbortSignal,
): Promise<Verdict> {
  return judge(diff, settings, await readPagesApart(pageTexts(diff), signal));
}

export function judge(
  diff: readonly DiffFile[],
  settings: PolicySettings,
  pages: ReadonlyMap<string, PageCode>,
): Verdict {
  const change: Change = { files: diff, settings, pageCode: (text) => pages.get(text) };
  const notes = rules.flatMap((rule) =>
    objections(rule, change)
      .slice(0, maxNotesPerRule)
      .map((objection) => ({ rule: rule.name, ...withoutSecrets(objection, settings) })),
  );
  return { outcome: worst(notes), notes };
}

const maxNotesPerRule = 20;

function objections(rule: Rule, change: Change): Objection[] {
  try {
    // Blocking notes first, so that truncation keeps them.
    return rule
      .judge(change)
      .toSorted((one, other) => Number(other.outcome === 'block') - Number(one.outcome === 'block'));
  } catch {
    return [block(null, 'This rule failed on the change, so the change is blocked.')];
  }
}

/** Notes quote the change and are stored and shown. */
function withoutSecrets(objection: Objection, { secrets }: PolicySettings): Objection {
  const { path, message, outcome } = objection;
  if (!holdsSecret(`${path ?? ''} ${message}`, secrets)) return objection;
  return { path: null, message: 'The finding contains a secret and is not shown.', outcome };
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
