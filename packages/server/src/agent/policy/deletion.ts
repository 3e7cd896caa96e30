import { type Change, type Objection, type Rule, block, draft } from './rule.ts';

export const deletionRule: Rule = { name: 'deletion', judge: judgeDeletion };

/** Smaller deletions always pass, so that a small site can be tidied. */
const minRemovedFiles = 3;
const minRemovedLines = 200;
const draftShare = 0.1;
const blockedShare = 0.5;

function judgeDeletion({ files, settings: { existing } }: Change): Objection[] {
  const found: Objection[] = [];
  const judgeShare = (removed: number, all: number, min: number, what: string) => {
    if (removed <= min || removed <= all * draftShare) return;
    const message = `The change removes ${removed} of ${all} ${what}.`;
    found.push(removed > all * blockedShare ? block(null, message) : draft(null, message));
  };
  const removedFiles = files.filter(({ status }) => status === 'removed').length;
  const removedLines = files.reduce(
    (sum, { addedLines, removedLines: lines }) => sum + lines - addedLines,
    0,
  );
  judgeShare(removedFiles, existing.fileCount, minRemovedFiles, 'files');
  judgeShare(removedLines, existing.lineCount, minRemovedLines, 'lines');
  for (const { path, before, after } of files)
    if (before !== null && before.trim() !== '' && after !== null && after.trim() === '')
      found.push(draft(path, 'The file is emptied.'));
  return found;
}
