/** Findings as a model reads them: new ones first, one line each, with what to do. */
import type { SiteFinding } from '../contract.ts';
import { counted } from './tool.ts';
import { withVisibleMarkers } from './hidden.ts';

const mostCharacters = 500;

export function inOrder(findings: readonly SiteFinding[]): SiteFinding[] {
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
    .slice(0, mostCharacters);
  return `- ${isNew ? 'new ' : ''}${severity} ${code} ${place}: ${withVisibleMarkers(text)}`;
}

export function findingCounts(findings: readonly SiteFinding[]): string {
  const newOnes = findings.filter(({ isNew }) => isNew);
  const count = (severity: SiteFinding['severity'], word: string): string =>
    counted(newOnes.filter((finding) => finding.severity === severity).length, word);
  return (
    `New since the run began: ${count('error', 'error')}, ${count('warning', 'warning')}, ${count('info', 'note')}. ` +
    `There before: ${findings.length - newOnes.length}.`
  );
}
