/** Writes the comment on a pull request. Text of authors is sanitized, and the comment stays below the limits of forges. */
import type { Diagnostic } from '@docyard/api';
import type { Decision } from './decide.ts';
import type { PreviewOutcome, PreviewReport } from './outcome.ts';
import { sanitizeCode, sanitizeMarkdownLine } from './sanitize.ts';

export interface CommentFacts {
  pullId: string;
  headCommit: string;
  /** Null while no address shows a preview. */
  previewUrl: string | null;
  beforeUrl: string | null;
  shownCommit: string | null;
  about:
    | Exclude<PreviewOutcome, { kind: 'running' }>
    | Extract<Decision, { kind: 'approval' | 'skip' }>
    | { kind: 'removed' };
}

/** Together below 32,768 characters, the lowest limit of a forge. */
const maxTableCharacters = 18_000;
const maxListCharacters = 5000;
const maxTitleCharacters = 120;
const maxMessageCharacters = 300;

export function previewComment(facts: CommentFacts): string {
  const parts = ['### Docs preview', ...partsOf(facts)];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function partsOf(facts: CommentFacts): string[] {
  const { about } = facts;
  const commit = sanitizeCode(facts.headCommit.slice(0, 7));
  switch (about.kind) {
    case 'removed':
      return ['The pull request was closed, and its preview was removed.'];
    case 'skip':
      return [sanitizeMarkdownLine(about.reason)];
    case 'approval':
      return [
        `The commit ${commit} is from a fork. It is built after a maintainer of the docs has reviewed and approved it:`,
        commandBlock(`docyard pull-requests approve ${facts.pullId} --commit ${facts.headCommit}`),
        staleLink(facts),
      ];
    case 'failed':
      return [`**The docs cannot be built** at ${commit}.`, failureText(about), staleLink(facts)];
    case 'ready':
      return readyParts(facts, about.report, commit);
  }
}

function commandBlock(command: string): string {
  return ['```sh', command.replaceAll(/[^\w. -]/g, ''), '```'].join('\n');
}

function staleLink({ previewUrl, shownCommit }: CommentFacts): string {
  if (previewUrl === null || shownCommit === null) return '';
  return `[The preview](${previewUrl}) still shows ${sanitizeCode(shownCommit.slice(0, 7))}.`;
}

function failureText({ failure, canRetry }: Extract<PreviewOutcome, { kind: 'failed' }>): string {
  const { file, line, code, message, hint } = failure;
  const place = file === null ? '' : ` in ${sanitizeCode(line === null ? file : `${file}:${line}`)}`;
  const advice = canRetry
    ? 'Build it again with `docyard pull-requests rebuild`, or push another commit.'
    : 'Correct it and push another commit.';
  return [
    `- ${sanitizeCode(code)}${place}: ${sanitizeMarkdownLine(message, maxMessageCharacters)}`,
    ...(hint === null ? [] : [`- ${sanitizeMarkdownLine(hint, maxMessageCharacters)}`]),
    `- ${advice}`,
  ].join('\n');
}

function readyParts(facts: CommentFacts, report: PreviewReport, commit: string): string[] {
  const { previewUrl } = facts;
  const link =
    previewUrl === null
      ? 'The address of this installation is not configured, so there is no link to the preview.'
      : `**[Open the preview](${previewUrl})**`;
  const { pageCount, seconds } = report;
  const facets = [commit, `${pageCount} ${pageCount === 1 ? 'page' : 'pages'}`, `built in ${seconds} s`];
  return [
    `${link} · ${facets.join(' · ')}`,
    changesText(facts, report),
    findingsText('New findings', report.newFindings),
    findingsText('Fixed findings', report.fixedFindings),
    report.isTruncated ? 'The reports are long, so some findings were not compared.' : '',
    baseText(report),
  ];
}

function baseText({ base }: PreviewReport): string {
  if (base === null) return 'There is no published export to compare with yet.';
  const commit = base.commit === null ? '' : ` of ${sanitizeCode(base.commit.slice(0, 7))}`;
  return `Compared with the published export${commit}.`;
}

interface Row {
  change: string;
  title: string | null;
  path: string;
  /** Null for a page that is new. */
  before: string | null;
  isRemoved?: boolean;
}

function changesText(facts: CommentFacts, { pages, changedFiles }: PreviewReport): string {
  if (pages === null) return '';
  const rows: Row[] = [
    ...pages.changed.map(({ path, title }) => ({ change: 'changed', title, path, before: path })),
    ...pages.added.map(({ path, title }) => ({ change: 'added', title, path, before: null })),
    ...pages.moved.map(({ path, title, from, changed }) => ({
      change: changed ? 'moved, changed' : 'moved',
      title,
      path,
      before: from,
    })),
    ...pages.removed.map(({ path, title }) => ({
      change: 'removed',
      title,
      path,
      before: path,
      isRemoved: true,
    })),
  ];
  const also = [
    ...(pages.restyled.length === 0
      ? []
      : [`${pages.restyled.length} pages changed only around their text.`]),
    ...(changedFiles === 0 ? [] : [`Other changed files: ${changedFiles}.`]),
  ].join(' ');
  if (rows.length === 0)
    return also === '' ? 'The rendered site does not change.' : `No page changed. ${also}`;
  const lines = within(
    maxTableCharacters,
    rows.map((row) => rowText(facts, row)),
  );
  const more = rows.length - lines.length;
  return [
    '| Page | Change | Before |',
    '| --- | --- | --- |',
    ...lines,
    ...(more === 0 ? [] : ['', `And ${more} more pages.`]),
    ...(also === '' ? [] : ['', also]),
  ].join('\n');
}

function rowText(
  { previewUrl, beforeUrl }: CommentFacts,
  { title, path, change, before, isRemoved }: Row,
): string {
  const name = sanitizeMarkdownLine(title ?? '', maxTitleCharacters);
  const label = `${name === '' ? '' : `${name} `}${sanitizeCode(path)}`;
  const page = isRemoved === true ? label : linkTo(previewUrl, path, label);
  const earlier =
    before === null ? '–' : linkTo(beforeUrl, before, before === path ? 'before' : sanitizeCode(before));
  return `| ${page} | ${change} | ${earlier} |`;
}

function linkTo(root: string | null, path: string, label: string): string {
  if (root === null) return label;
  const encoded = path
    .split('/')
    .filter((part) => part !== '' && part !== '.' && part !== '..')
    .map((part) =>
      encodeURIComponent(part).replaceAll(/[()'*!]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`),
    )
    .join('/');
  return `[${label}](${root}${encoded})`;
}

function findingsText(heading: string, findings: readonly Diagnostic[]): string {
  if (findings.length === 0) return '';
  const lines = within(maxListCharacters, findings.map(findingText));
  const more = findings.length - lines.length;
  return [
    `**${heading}: ${findings.length}**`,
    '',
    ...lines,
    ...(more === 0 ? [] : [`- and ${more} more`]),
  ].join('\n');
}

function findingText({ severity, code, message, file, line }: Diagnostic): string {
  const place = file === '' ? '' : ` in ${sanitizeCode(line == null ? file : `${file}:${line}`)}`;
  return `- ${severity} ${sanitizeCode(code)}${place}: ${sanitizeMarkdownLine(message, maxMessageCharacters)}`;
}

/** Whole lines: a truncated code span would become text, which can mention users. */
function within(maxCharacters: number, lines: readonly string[]): string[] {
  let length = 0;
  return lines.filter((line) => (length += line.length) <= maxCharacters);
}
