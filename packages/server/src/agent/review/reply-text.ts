/** The reply to a comment: what the run changed for it. */
import { agentEndings } from '@docyard/api';
import type { ForgeKind } from '../../ports/forge.ts';
import type { BaseUpdate } from '../contract.ts';
import type { Run } from '../record.ts';
import { sanitizeCode, sanitizeMarkdown, sanitizeMarkdownLine } from '../../pull-requests/sanitize.ts';
import type { ReviewComment } from './comment.ts';
import type { ChangedLines } from './changed-lines.ts';

export interface ReplyFacts {
  comment: ReviewComment;
  run: Pick<Run, 'ending' | 'summary'>;
  /** The commit that was pushed; null if nothing was. */
  commit: { hash: string; url: string | null } | null;
  changed: readonly ChangedLines[];
  baseBranch: string | null;
  baseUpdate: BaseUpdate | null;
}

const maxQuotedCharacters = 300;
const maxQuotedLines = 3;
const maxSummaryCharacters = 4000;
const maxFiles = 20;
const maxRanges = 5;

export function replyText({ comment, run, commit, changed, baseBranch, baseUpdate }: ReplyFacts): string {
  const parts = [
    quoteOf(comment.body),
    commit === null ? unchangedText(run) : '',
    sanitizeMarkdown(run.summary ?? '', maxSummaryCharacters),
    commit === null ? '' : changeText(commit, changed),
    conflictText(baseBranch, baseUpdate),
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

function quoteOf(body: string): string {
  const lines = body
    .trim()
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '');
  const quoted = lines
    .slice(0, maxQuotedLines)
    .map((line) => `> ${sanitizeMarkdownLine(line, maxQuotedCharacters)}`);
  if (lines.length > maxQuotedLines) quoted.push('> …');
  return quoted.join('\n');
}

function unchangedText({ ending }: Pick<Run, 'ending'>): string {
  if (ending === 'needs_input')
    return 'The agent has a question and changed nothing. Answer with another comment.';
  if (ending === 'no_change' || ending === 'done') return 'The agent changed nothing.';
  return `The agent changed nothing. ${agentEndings[ending ?? 'internal']}`;
}

function changeText(commit: NonNullable<ReplyFacts['commit']>, changed: readonly ChangedLines[]): string {
  const short = commit.hash.slice(0, 12);
  const name = commit.url === null ? `\`${short}\`` : `[\`${short}\`](${commit.url})`;
  const files = changed
    .slice(0, maxFiles)
    .map(({ path, ranges }) => `- ${sanitizeCode(path)}${linesText(ranges)}`);
  if (changed.length > maxFiles) files.push(`- and ${changed.length - maxFiles} more files`);
  return [`Changed in ${name}:`, '', ...files].join('\n');
}

function linesText(ranges: ChangedLines['ranges']): string {
  if (ranges.length === 0) return '';
  const shown = ranges
    .slice(0, maxRanges)
    .map(([first, last]) => (first === last ? `${first}` : `${first}–${last}`));
  const isOne = ranges.length === 1 && ranges[0]?.[0] === ranges[0]?.[1];
  return `, ${isOne ? 'line' : 'lines'} ${shown.join(', ')}${ranges.length > maxRanges ? ', …' : ''}`;
}

function conflictText(baseBranch: string | null, update: BaseUpdate | null): string {
  if (update?.outcome !== 'conflicts') return '';
  const files = update.files.slice(0, maxFiles).map((path) => `- ${sanitizeCode(path)}`);
  const base = sanitizeCode(baseBranch ?? 'the base branch');
  return [`The branch conflicts with ${base}. Resolve the conflicts in:`, '', ...files].join('\n');
}

/** The page of a commit, next to the page of the pull request. */
export function commitUrl(kind: ForgeKind, pullRequestUrl: string, hash: string): string | null {
  const pages: Partial<Record<ForgeKind, [RegExp, string]>> = {
    github: [/\/pull\/\d+$/, '/commit/'],
    gitlab: [/\/merge_requests\/\d+$/, '/commit/'],
    gitea: [/\/pulls\/\d+$/, '/commit/'],
    bitbucket: [/\/pull-requests\/\d+$/, '/commits/'],
    'bitbucket-data-center': [/\/pull-requests\/\d+$/, '/commits/'],
  };
  const [suffix, page] = pages[kind] ?? [];
  if (suffix === undefined || page === undefined || !suffix.test(pullRequestUrl)) return null;
  return pullRequestUrl.replace(suffix, page + hash);
}
