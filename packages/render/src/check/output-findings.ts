/**
 * The messages of the output check, for findings that need no look at the source, and hints for the others.
 */
import type { Diagnostic } from '../model/diagnostic.ts';

export function anchorHint(fragment: string, ids: string): string {
  const nearest = nearestText(fragment, ids.split('\n').filter(Boolean));
  return nearest === undefined
    ? 'Name the id of a heading, as its link in the table of contents shows it.'
    : `Did you mean "#${nearest}"?`;
}

export function orphanFinding(file: string): Diagnostic {
  return {
    severity: 'info',
    code: 'orphan_page',
    message: 'Neither the navigation nor a link leads to this page',
    file,
    hint: 'Add it to the navigation, link to it, or set "hidden: true" in its front matter.',
  };
}

export function heavyPage(file: string, bytes: number): Diagnostic {
  const message = `The HTML of the page is ${Math.round(bytes / 1000)} kB`;
  const hint = 'Split the page, or move long code and tables into files to download.';
  return { severity: 'warning', code: 'page_heavy', message, file, hint };
}

export function undescribed(file: string, picture: string): Diagnostic {
  const message = `The image "${picture}" has no description`;
  return { severity: 'warning', code: 'missing_alt', message, file };
}

export function remoteFile(file: string, address: string): Diagnostic {
  const message = `The page loads "${address.slice(0, 200)}" from another host`;
  return { severity: 'warning', code: 'remote_asset', message, file, target: address.slice(0, 500) };
}

/**
 * A snippet is part of several pages, and a page may also be at the root, so the same finding counts once.
 */
export function withoutRepeats(findings: readonly Diagnostic[]): Diagnostic[] {
  const seen = new Map<string, Diagnostic>();
  for (const finding of findings) {
    const { file, line, column, code, message } = finding;
    const key = JSON.stringify([file, line, column, code, message]);
    if (!seen.has(key)) seen.set(key, finding);
  }
  return [...seen.values()];
}

const maxCompared = 100;
const maxTextCharacters = 60;

/** Undefined when more than a third of the characters differ from every text. */
function nearestText(wanted: string, texts: readonly string[]): string | undefined {
  const goal = wanted.toLowerCase().slice(0, maxTextCharacters);
  let nearest: string | undefined;
  let least = Math.max(1, Math.floor(goal.length / 3)) + 1;
  for (const text of texts.slice(0, maxCompared)) {
    if (text.length > maxTextCharacters || Math.abs(text.length - goal.length) >= least) continue;
    const distance = editsBetween(goal, text.toLowerCase(), least);
    if (distance < least) [least, nearest] = [distance, text];
  }
  return nearest;
}

/** The Levenshtein distance, or `enough` when it is at least that. */
function editsBetween(a: string, b: string, enough: number): number {
  let row = Uint8Array.from({ length: b.length + 1 }, (_, index) => index);
  let next = new Uint8Array(b.length + 1);
  for (let i = 1; i <= a.length; i++) {
    next[0] = i;
    let least = i;
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (a.charCodeAt(i - 1) === b.charCodeAt(j - 1) ? 0 : 1);
      const edits = Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1);
      next[j] = edits;
      if (edits < least) least = edits;
    }
    if (least >= enough) return enough;
    [row, next] = [next, row];
  }
  return row[b.length] ?? 0;
}
