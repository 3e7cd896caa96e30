/** Compares a pair with the text of its site, so that a pair whose site has changed is reported. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { alternativesOf, includesText, isNoOp, type Edit, type Expected, type Pair } from './pair.ts';

const maxAnchorCharacters = 400;

/** What makes a pair invalid without its site. */
export function formProblems(pair: Pair): string[] {
  const { kind, place, edits, find, expected } = pair;
  const change = JSON.stringify([pair.pullRequest, pair.files]);
  return [
    ...(isNoOp(pair) === (kind === 'no-op') ? [] : ['only a no-op has no expected page']),
    ...(isNoOp(pair) === (place === 'none') ? [] : ['only a no-op has the place none']),
    ...(isNoOp(pair) === (pair.reason !== undefined) ? [] : ['a no-op, and nothing else, has a reason']),
    ...(isNoOp(pair) === (edits.length === 0) ? [] : ['edits and expected pages do not fit']),
    ...expected
      .filter(({ page, newPageIn }) => (page === undefined) === (newPageIn === undefined))
      .map(() => 'an expected page has either page or newPageIn'),
    ...expected
      .filter(({ states, drops }) => states.length + drops.length === 0)
      .map(({ page }) => `${page ?? 'a new page'} has no statement`),
    ...find
      .filter((words) => !change.includes(JSON.stringify(words).slice(1, -1)))
      .map((words) => `the oracle searches for "${words}", which the change does not contain`),
    ...edits
      .filter(({ old = '' }) => old.length > maxAnchorCharacters)
      .map(({ page }) => `${page}: the anchor has more than ${maxAnchorCharacters} characters`),
  ];
}

export function anchorProblems({ expected, untouched, edits }: Pair, folder: string): string[] {
  const read = (path: string) =>
    existsSync(join(folder, path)) ? readFileSync(join(folder, path), 'utf8') : undefined;
  return [
    ...expected.flatMap((each) => expectedProblems(each, read)),
    ...untouched.filter((path) => read(path) === undefined).map((path) => `${path} does not exist`),
    ...editProblems(edits, read),
  ];
}

type Read = (path: string) => string | undefined;

function expectedProblems({ page, states, drops, keeps }: Expected, read: Read): string[] {
  if (page === undefined) return [];
  const text = read(page);
  if (text === undefined) return [`${page} does not exist`];
  return [
    ...states
      .flatMap(alternativesOf)
      .filter((part) => includesText(text, part))
      .map((part) => `${page} already states "${part}"`),
    ...[...drops, ...keeps]
      .filter((part) => !includesText(text, part))
      .map((part) => `${page} does not contain "${part}"`),
  ];
}

/** Later edits of a page see the result of earlier ones. */
function editProblems(edits: readonly Edit[], read: Read): string[] {
  const texts = new Map<string, string | undefined>();
  return edits.flatMap(({ page, old, new: replacement = '', everywhere, content }) => {
    if (content !== undefined) return read(page) === undefined ? [] : [`${page} already exists`];
    const text = texts.has(page) ? texts.get(page) : read(page);
    if (text === undefined) return [`${page} does not exist`];
    if (old === undefined) return [`${page}: an edit has neither old nor content`];
    const count = text.split(old).length - 1;
    texts.set(
      page,
      text.replaceAll(old, () => replacement),
    );
    if (count === 0) return [`${page} does not contain "${old}"`];
    return count > 1 && everywhere !== true ? [`${page} contains "${old}" ${count} times`] : [];
  });
}
