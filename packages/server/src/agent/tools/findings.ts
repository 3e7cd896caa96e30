import type { SiteFinding } from '../contract.ts';
import { pluralize } from './tool.ts';
import { withVisibleMarkers } from './invisible-characters.ts';

const maxCharacters = 500;

export function sortFindings(findings: readonly SiteFinding[]): SiteFinding[] {
  return findings.toSorted(
    (a, b) => Number(b.isNew) - Number(a.isNew) || rank[a.severity] - rank[b.severity] || compare(a, b),
  );
}

const rank = { error: 0, warning: 1, info: 2 };

function compare(a: SiteFinding, b: SiteFinding): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1;
  return (a.line ?? 0) - (b.line ?? 0);
}

export function findingText({ severity, code, file, line, message, hint, isNew }: SiteFinding): string {
  const place = line === null ? file : `${file}:${line}`;
  const text = `${message}.${hint === null ? '' : ` ${hint}`}`
    .replaceAll(/\s+/g, ' ')
    .slice(0, maxCharacters);
  return `- ${isNew ? 'new ' : ''}${severity} ${code} ${place}: ${withVisibleMarkers(text)}`;
}

export function findingCounts(findings: readonly SiteFinding[]): string {
  const newOnes = findings.filter(({ isNew }) => isNew);
  const count = (severity: SiteFinding['severity'], word: string): string =>
    pluralize(newOnes.filter((finding) => finding.severity === severity).length, word);
  return (
    `New in this run: ${count('error', 'error')}, ${count('warning', 'warning')}, ${count('info', 'note')}. ` +
    `Existing: ${findings.length - newOnes.length}.`
  );
}
