/** A change that removes much of the site is looked at by a person; one that removes most of it does not pass. */
import { type Change, type Objection, type Rule, block, draft } from './rule.ts';

export const deletionRule: Rule = { name: 'deletion', judge: judgeDeletion };

/** Below these numbers a small site could not be tidied at all. */
const fewFiles = 3;
const fewLines = 200;
const noticedShare = 0.1;
const refusedShare = 0.5;

function judgeDeletion({ files, settings: { existing } }: Change): Objection[] {
  const found: Objection[] = [];
  const judgeShare = (removed: number, all: number, few: number, what: string) => {
    if (removed <= few || removed <= all * noticedShare) return;
    const message = `The change removes ${removed} of ${all} ${what}.`;
    found.push(removed > all * refusedShare ? block(null, message) : draft(null, message));
  };
  const removedFiles = files.filter(({ status }) => status === 'removed').length;
  const removedLines = files.reduce(
    (sum, { addedLines, removedLines: lines }) => sum + lines - addedLines,
    0,
  );
  judgeShare(removedFiles, existing.fileCount, fewFiles, 'files');
  judgeShare(removedLines, existing.lineCount, fewLines, 'lines');
  for (const { path, before, after } of files)
    if (before !== null && before.trim() !== '' && after !== null && after.trim() === '')
      found.push(draft(path, 'The file is emptied.'));
  return found;
}
