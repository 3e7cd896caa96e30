/** Only regular text files of limited size pass: no links, executables, submodules or binary content. */
import type { DiffFile } from '../contract.ts';
import { type Change, type Objection, type Rule, block, draft } from './rule.ts';

export const fileRule: Rule = {
  name: 'files',
  judge: ({ files }) => files.flatMap((file) => judgeMode(file) ?? judgeContent(file) ?? []),
};

export const sizeRule: Rule = { name: 'size', judge: judgeSize };

const plainFile = '100644';
const noFile = /^0*$/;
const kinds: Readonly<Record<string, string>> = {
  '120000': 'a symbolic link',
  '160000': 'a submodule',
  '040000': 'a folder',
};

function judgeMode({ path, status, oldMode, newMode }: DiffFile): Objection | undefined {
  const wasThere = status !== 'added';
  const isThere = status !== 'removed';
  for (const mode of [...(wasThere ? [oldMode] : []), ...(isThere ? [newMode] : [])]) {
    const kind = Object.hasOwn(kinds, mode) ? kinds[mode] : undefined;
    if (kind !== undefined) return block(path, `This is ${kind}. Only regular files may change.`);
  }
  if (status === 'added' && newMode !== plainFile) return block(path, `A new file has the mode ${newMode}.`);
  if (wasThere && noFile.test(oldMode)) return block(path, 'The file has no mode, so its kind is unknown.');
  if (wasThere && isThere && oldMode !== newMode)
    return block(path, `The mode changes from ${oldMode} to ${newMode}.`);
  return undefined;
}

function judgeContent({ path, status, isBinary, before, after }: DiffFile): Objection | undefined {
  if (status === 'removed') return isBinary ? draft(path, 'A binary file is removed.') : undefined;
  if (isBinary || after === null) return block(path, 'The content is not text and cannot be reviewed.');
  // U+FFFD marks bytes that are not UTF-8.
  const unreadable = /[^\P{Cc}\t\n\f\r]|\uFFFD|\p{Cs}/gu;
  const count = (text: string | null) => text?.match(unreadable)?.length ?? 0;
  if (count(after) > count(before))
    return block(path, 'The text contains control characters or bytes that are not UTF-8.');
  return undefined;
}

const maxFileBytes = 1_000_000;
const maxTotalBytes = 5_000_000;
/**
 * Moving a page changes every page that links to it, so exceeding the limit is first a note and blocks only
 * beyond this multiple.
 */
const blockedLimitMultiple = 4;

function judgeSize({ files, settings: { limits } }: Change): Objection[] {
  const found: Objection[] = [];
  const over = (count: number, limit: number, what: string) => {
    if (!(count <= limit))
      found.push(
        (count <= limit * blockedLimitMultiple ? draft : block)(
          null,
          `The change touches ${count} ${what}; the limit is ${limit}.`,
        ),
      );
  };
  over(files.length, limits.files, 'files');
  over(
    files.reduce((sum, { addedLines, removedLines }) => sum + addedLines + removedLines, 0),
    limits.lines,
    'lines',
  );
  let totalBytes = 0;
  for (const { path, after } of files) {
    const bytes = Buffer.byteLength(after ?? '');
    totalBytes += bytes;
    if (bytes > maxFileBytes) found.push(block(path, 'The file is larger than 1 MB.'));
  }
  if (totalBytes > maxTotalBytes) found.push(block(null, 'The changed files are larger than 5 MB in total.'));
  return found;
}
