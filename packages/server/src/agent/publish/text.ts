/**
 * Writes the texts of pull requests and commits. Text by a model or repository is sanitized, and text that
 * resembles a credential is left out.
 */
import type { BaseUpdate, DiffFile, EndReason, SiteFinding, Usage, Verdict } from '../contract.ts';
import type { SampleRuns } from '../samples/sample.ts';
import { evidenceSection, type ShownEvidence } from './evidence-section.ts';
import { samplesSection } from './samples-section.ts';
import { code, linkTo, oneLine, withoutSecrets } from './safe-text.ts';
import {
  sanitizeCode,
  sanitizeMarkdown,
  sanitizeMarkdownLine,
  sanitizePlainText,
  sanitizePlainTextLine,
} from '../../pull-requests/sanitize.ts';
import { fillTemplate } from './template.ts';

export interface ChangeFacts {
  jobId: string;
  prompt: string;
  title: string;
  summary: string;
  reason: EndReason;
  /** What stopped a run that is incomplete. */
  problem: string | null;
  /** Earlier instructions whose work is part of the same change, oldest first. */
  earlier: readonly Pick<ChangeFacts, 'prompt' | 'title' | 'summary'>[];
  files: readonly Pick<DiffFile, 'path' | 'from' | 'status' | 'addedLines' | 'removedLines'>[];
  baseBranch: string;
  /** Null if the base branch has not moved. */
  baseUpdate: BaseUpdate | null;
  findings: readonly SiteFinding[];
  /** Null if the site was not checked before. */
  findingsBefore: number | null;
  verdict: Verdict;
  usage: Usage;
  model: string;
  previewUrl: string | null;
  messageUrl: string | null;
  template: string | null;
  evidence: readonly ShownEvidence[];
  /** Null if no sample had to be run. */
  samples: SampleRuns | null;
  secrets: readonly string[];
}

/** GitHub rejects bodies over 65,536 characters. */
const maxBodyCharacters = 60_000;
const maxTitleCharacters = 100;
const maxSubjectCharacters = 72;

export function pullRequestText(facts: ChangeFacts): { title: string; body: string } {
  const summary = summaryOf(facts);
  const first = facts.template === null ? summary : fillTemplate(facts.template, summary);
  const body = joinWithinLimit([first, ...sections.map((section) => section(facts))]);
  // Keeps the first title: later instructions are usually about a detail.
  return { title: titleOf(facts, facts.earlier[0]?.title || facts.title, maxTitleCharacters), body };
}

/** Leaves out whole sections: a truncated code span would become text, which can mention users. */
function joinWithinLimit(parts: readonly string[]): string {
  let body = '';
  let isWhole = true;
  for (const part of parts) {
    if (part === '') continue;
    if (body.length + part.length > maxBodyCharacters) isWhole = false;
    else body += `${part}\n\n`;
  }
  return isWhole
    ? `${body.trimEnd()}\n`
    : `${body}Some sections were omitted because the text is too long.\n`;
}

export function commitMessage(facts: ChangeFacts): string {
  const subject = titleOf(facts, facts.title, maxSubjectCharacters);
  const body = wrap(sanitizePlainText(withoutSecrets(facts.summary, facts), 1500), maxSubjectCharacters);
  const trailer = `Agent-Job: ${word(facts.jobId)}`;
  return `${[subject, body, trailer].filter((part) => part !== '').join('\n\n')}\n`;
}

/** In reading order; an empty section is skipped. */
const sections = [
  instructions,
  changedFiles,
  evidenceSection,
  baseNote,
  checks,
  samplesSection,
  reviewNotes,
  howToContinue,
  usageLine,
] satisfies ((facts: ChangeFacts) => string)[];

function titleOf(facts: ChangeFacts, title: string, maxCharacters: number): string {
  const [line = ''] = withoutSecrets(title, facts).trim().split('\n');
  const bare = sanitizePlainText(line, maxCharacters * 2)
    // Forges read these prefixes as a draft marker.
    .replace(/^(?:[[(]?(?:draft|wip)\b[\])]?[\s:–-]*)+/i, '')
    .replace(/^\W*(?=[\p{L}\p{N}])/u, '')
    .replace(/[\s.]{1,200}$/, '');
  // Removing a prefix may expose the start of a command or trailer.
  const plain = sanitizePlainTextLine(bare);
  const short = plain.length <= maxCharacters ? plain : `${plain.slice(0, maxCharacters - 1).trimEnd()}…`;
  return /\p{L}/u.test(short) ? short : 'Update the documentation';
}

function summaryOf(facts: ChangeFacts): string {
  const unfinished = unfinishedNotes[facts.reason];
  const summary = sanitizeMarkdown(withoutSecrets(facts.summary, facts), 4000);
  return [unfinished === undefined ? '' : `**${unfinished}**`, problemOf(facts), summary]
    .filter((text) => text !== '')
    .join('\n\n');
}

/** An external agent may have written it. */
function problemOf(facts: ChangeFacts): string {
  return facts.problem === null ? '' : sanitizeMarkdownLine(withoutSecrets(facts.problem, facts), 500);
}

const unfinishedNotes: Partial<Record<EndReason, string>> = {
  partial: 'This work is incomplete: a limit was reached.',
  budget: 'This work is incomplete: a limit was reached.',
  timeout: 'This work is incomplete: the time limit was reached.',
  stalled: 'This work is incomplete: the agent stopped making progress.',
  context_overflow: 'This work is incomplete: the conversation exceeded the context of the model.',
  needs_input: 'The agent has a question before it can continue.',
};

const maxEarlier = 10;

/** Earlier instructions with their summaries; the last summary is at the top of the body. */
function instructions(facts: ChangeFacts): string {
  const earlier = facts.earlier.slice(-maxEarlier);
  const more = facts.earlier.length - earlier.length;
  return [
    '### Instructions',
    ...(more > 0 ? [`The first ${more} instructions are omitted.`] : []),
    ...earlier.flatMap(({ prompt, summary }) => [
      quotedPrompt(prompt, facts),
      sanitizeMarkdown(withoutSecrets(summary, facts), 1500),
    ]),
    quotedPrompt(facts.prompt, facts),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function quotedPrompt(prompt: string, facts: ChangeFacts): string {
  const lines = sanitizeMarkdown(withoutSecrets(prompt, facts), 2000).split('\n');
  return lines.map((line) => `> ${line}`.trimEnd()).join('\n');
}

const maxFiles = 50;
const verbs: Readonly<Record<DiffFile['status'], string>> = {
  added: 'added',
  modified: 'changed',
  removed: 'removed',
  moved: 'moved',
};

function changedFiles(facts: ChangeFacts): string {
  const rows = facts.files.slice(0, maxFiles).map(({ path, from, status, addedLines, removedLines }) => {
    const was = from === null ? '' : ` from ${code(from, facts)}`;
    return `| ${code(path, facts)} | ${verbs[status]}${was} | +${addedLines} −${removedLines} |`;
  });
  const more = facts.files.length - rows.length;
  return [
    '### Changes',
    '',
    '| File | Change | Lines |',
    '| --- | --- | ---: |',
    ...rows,
    ...(more > 0 ? ['', `And ${more} more files.`] : []),
  ].join('\n');
}

/** Forges show a conflict only after the merge was tried, and not its reason. */
function baseNote({ baseBranch, baseUpdate, ...facts }: ChangeFacts): string {
  if (baseUpdate === null || baseUpdate.outcome === 'merged') return '';
  const base = sanitizeCode(baseBranch);
  if (baseUpdate.outcome !== 'conflicts') {
    const reasons = {
      rewritten: `The history of ${base} was rewritten`,
      unrelated: `${base} and this branch have no recent common commit`,
    };
    return `### Not merged with ${base}\n\n${reasons[baseUpdate.outcome]}, so it was not merged into this branch. Rebase the branch, or start a new job.`;
  }
  const files = baseUpdate.files.slice(0, maxFiles).map((path) => `- ${code(path, facts)}`);
  const more = baseUpdate.files.length - files.length;
  return [
    `### Conflicts with ${base}`,
    `Both branches changed the same places, so ${base} was not merged into this branch. Merge it and resolve the conflicts:`,
    [...files, ...(more > 0 ? [`- and ${more} more`] : [])].join('\n'),
  ].join('\n\n');
}

const maxFindings = 20;
const severities = ['error', 'warning', 'info'] as const;

function checks(facts: ChangeFacts): string {
  const { findings, findingsBefore } = facts;
  const fresh = severities.flatMap((severity) =>
    findings.filter((finding) => finding.isNew && finding.severity === severity),
  );
  const counted =
    findingsBefore === null
      ? `${findings.length} in all`
      : `${findingsBefore} before, ${findings.length} now`;
  const verdict =
    fresh.length === 0
      ? `The site builds without new problems (findings: ${counted}).`
      : `**New problems: ${fresh.length}** (findings: ${counted}).`;
  const lines = fresh.slice(0, maxFindings).map(({ severity, code: name, file, line, message }) => {
    const place = file === '' ? '' : ` in ${code(line === null ? file : `${file}:${line}`, facts)}`;
    return `- ${severity} ${code(name, facts)}${place}: ${oneLine(message, facts)}`;
  });
  const more = fresh.length - lines.length;
  return ['### Checks', [verdict, ...lines, ...(more > 0 ? [`- and ${more} more`] : [])].join('\n')].join(
    '\n\n',
  );
}

const maxNotes = 20;

function reviewNotes(facts: ChangeFacts): string {
  const { notes } = facts.verdict;
  if (notes.length === 0) return '';
  const lines = notes.slice(0, maxNotes).map(({ rule, path, message }) => {
    const place = path === null ? '' : ` ${code(path, facts)}`;
    return `- ${code(rule, facts)}${place}: ${oneLine(message, facts)}`;
  });
  const more = notes.length - lines.length;
  return ['### Review notes', [...lines, ...(more > 0 ? [`- and ${more} more`] : [])].join('\n')].join(
    '\n\n',
  );
}

function howToContinue(facts: ChangeFacts): string {
  const preview = linkTo(facts.previewUrl);
  const message = facts.messageUrl === null ? '' : sanitizeCode(`POST ${facts.messageUrl}`, 500);
  const lines = [
    ...(preview === undefined ? [] : [`- [Preview of this branch](${preview})`]),
    ...(message === ''
      ? []
      : [`- Ask for changes: ${message} with a \`prompt\`. The agent continues on this branch.`]),
  ];
  return lines.length === 0 ? '' : `### How to continue\n\n${lines.join('\n')}`;
}

function usageLine({ jobId, model, usage }: ChangeFacts): string {
  const count = (value: number) => value.toLocaleString('en-US');
  return [
    `Job ${sanitizeCode(word(jobId))}`,
    ...(model === '' ? [] : [`model ${sanitizeCode(model, 80)}`]),
    `${count(usage.steps)} steps`,
    `${count(usage.inputTokens)} input tokens, ${count(usage.outputTokens)} output tokens`,
  ].join(' · ');
}

function word(text: string): string {
  return text.replaceAll(/[^\w.-]/g, '');
}

function wrap(text: string, maxCharacters: number): string {
  return text
    .split('\n')
    .map((line) => wrapLine(line, maxCharacters))
    .join('\n');
}

function wrapLine(line: string, maxCharacters: number): string {
  const lines: string[] = [];
  let current = '';
  for (const each of line.split(' ')) {
    if (current !== '' && current.length + 1 + each.length > maxCharacters) {
      lines.push(current);
      current = each;
    } else current = current === '' ? each : `${current} ${each}`;
  }
  // A wrapped word must not become a command or trailer at the start of a line.
  return [...lines, current].map((part) => sanitizePlainTextLine(part)).join('\n');
}
