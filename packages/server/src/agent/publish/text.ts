/**
 * The words of a pull request and of its commit. The frame, the tables and the figures are computed here; what a model or
 * a repository wrote goes in as harmless text only, and nothing that looks like a credential goes in at all.
 */
import type { DiffFile, EndReason, SiteFinding, Usage, Verdict } from '../contract.ts';
import { looksSecret } from '../policy/secrets.ts';
import {
  inertCode,
  inertMarkdown,
  inertMarkdownLine,
  inertPlain,
  inertPlainLine,
  withoutLinks,
  withoutReferences,
} from './inert.ts';

export interface ChangeFacts {
  jobId: string;
  /** What was asked, in the words of the caller. */
  prompt: string;
  /** What the model says it did. */
  title: string;
  summary: string;
  reason: EndReason;
  /** Earlier instructions whose work is part of the same change, oldest first. */
  earlier: readonly Pick<ChangeFacts, 'prompt' | 'title' | 'summary'>[];
  files: readonly Pick<DiffFile, 'path' | 'from' | 'status' | 'addedLines' | 'removedLines'>[];
  /** Of the site as it is now. */
  findings: readonly SiteFinding[];
  /** How many the site had before; null when nobody counted. */
  findingsBefore: number | null;
  verdict: Verdict;
  usage: Usage;
  model: string;
  previewUrl: string | null;
  /** Where a message continues the job. */
  messageUrl: string | null;
  /** The repository's own template for pull requests. */
  template: string | null;
  /** Values that must not be in any text. */
  secrets: readonly string[];
  /** Who asked, when that is a person who wants to be named in the commit. */
  requester: { name: string; email: string } | null;
}

/** GitHub refuses more than 65,536 characters. */
const mostBodyCharacters = 60_000;
const mostTitleCharacters = 100;
const mostSubjectCharacters = 72;

export function pullRequestText(facts: ChangeFacts): { title: string; body: string } {
  const summary = summaryOf(facts);
  const first = facts.template === null ? summary : fillTemplate(facts.template, summary);
  const body = joined([first, ...sections.map((section) => section(facts))]);
  // The first title stays: what was asked for later is mostly about a part.
  return { title: titleOf(facts, facts.earlier[0]?.title || facts.title, mostTitleCharacters), body };
}

/** A part that does not fit is left out whole: half a piece of code would be text, and text can mention people. */
function joined(parts: readonly string[]): string {
  let body = '';
  let isWhole = true;
  for (const part of parts) {
    if (part === '') continue;
    if (body.length + part.length > mostBodyCharacters) isWhole = false;
    else body += `${part}\n\n`;
  }
  return isWhole
    ? `${body.trimEnd()}\n`
    : `${body}Some parts were left out, because the text would be too long.\n`;
}

export function commitMessage(facts: ChangeFacts): string {
  const { jobId, requester } = facts;
  const body = wrapped(inertPlain(withoutSecrets(facts.summary, facts), 1500), mostSubjectCharacters);
  const trailers = [
    `Agent-Job: ${word(jobId)}`,
    ...(requester === null ? [] : [`Co-authored-by: ${personOf(requester)}`]),
  ];
  return `${[titleOf(facts, facts.title, mostSubjectCharacters), body, trailers.join('\n')].filter((part) => part !== '').join('\n\n')}\n`;
}

/** In the order of the page. Each gives an empty text when it has nothing to say. */
const sections = [asked, changedFiles, checks, reviewNotes, howToContinue, usageLine] satisfies ((
  facts: ChangeFacts,
) => string)[];

function titleOf(facts: ChangeFacts, title: string, mostCharacters: number): string {
  const [line = ''] = withoutSecrets(title, facts).trim().split('\n');
  const bare = inertPlain(line, mostCharacters * 2)
    // Forges take these words for a state that only we decide on.
    .replace(/^(?:[[(]?(?:draft|wip)\b[\])]?[\s:–-]*)+/i, '')
    .replace(/^\W*(?=[\p{L}\p{N}])/u, '')
    .replace(/[\s.]{1,200}$/, '');
  // What stood in front may have kept the rest from being read as the start of a line.
  const plain = inertPlainLine(bare);
  const short = plain.length <= mostCharacters ? plain : `${plain.slice(0, mostCharacters - 1).trimEnd()}…`;
  return /\p{L}/u.test(short) ? short : 'Update the documentation';
}

function summaryOf(facts: ChangeFacts): string {
  const unfinished = unfinishedNotes[facts.reason];
  const summary = inertMarkdown(withoutSecrets(facts.summary, facts), 4000);
  return [unfinished === undefined ? '' : `**${unfinished}**`, summary]
    .filter((text) => text !== '')
    .join('\n\n');
}

const unfinishedNotes: Partial<Record<EndReason, string>> = {
  partial: 'This is part of the work: a limit was reached before it was finished.',
  budget: 'This is part of the work: a limit was reached before it was finished.',
  timeout: 'This is part of the work: the time was over before it was finished.',
  stalled: 'This is part of the work: the agent stopped making progress.',
  needs_input: 'The agent has a question before it can go on.',
};

const mostEarlier = 10;

/** Each instruction with what was done about it; what was done about the last one stands at the top. */
function asked(facts: ChangeFacts): string {
  const earlier = facts.earlier.slice(-mostEarlier);
  const more = facts.earlier.length - earlier.length;
  return [
    '### What was asked',
    ...(more > 0 ? [`The first ${more} instructions are left out.`] : []),
    ...earlier.flatMap(({ prompt, summary }) => [
      quotedPrompt(prompt, facts),
      inertMarkdown(withoutSecrets(summary, facts), 1500),
    ]),
    quotedPrompt(facts.prompt, facts),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function quotedPrompt(prompt: string, facts: ChangeFacts): string {
  const lines = inertMarkdown(withoutSecrets(prompt, facts), 2000).split('\n');
  return lines.map((line) => `> ${line}`.trimEnd()).join('\n');
}

const mostFiles = 50;
const verbs: Readonly<Record<DiffFile['status'], string>> = {
  added: 'added',
  modified: 'changed',
  removed: 'removed',
  moved: 'moved',
};

function changedFiles(facts: ChangeFacts): string {
  const rows = facts.files.slice(0, mostFiles).map(({ path, from, status, addedLines, removedLines }) => {
    const was = from === null ? '' : ` from ${code(from, facts)}`;
    return `| ${code(path, facts)} | ${verbs[status]}${was} | +${addedLines} −${removedLines} |`;
  });
  const more = facts.files.length - rows.length;
  return [
    '### What changed',
    '',
    '| File | Change | Lines |',
    '| --- | --- | ---: |',
    ...rows,
    ...(more > 0 ? ['', `And ${more} more files.`] : []),
  ].join('\n');
}

const mostFindings = 20;
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
      ? `The site builds, and nothing new is wrong with it (findings: ${counted}).`
      : `**New problems: ${fresh.length}** (findings: ${counted}).`;
  const lines = fresh.slice(0, mostFindings).map(({ severity, code: name, file, line, message }) => {
    const place = file === '' ? '' : ` in ${code(line === null ? file : `${file}:${line}`, facts)}`;
    return `- ${severity} ${code(name, facts)}${place}: ${oneLine(message, facts)}`;
  });
  const more = fresh.length - lines.length;
  return ['### Checks', [verdict, ...lines, ...(more > 0 ? [`- and ${more} more`] : [])].join('\n')].join(
    '\n\n',
  );
}

const mostNotes = 20;

function reviewNotes(facts: ChangeFacts): string {
  const { notes } = facts.verdict;
  if (notes.length === 0) return '';
  const lines = notes.slice(0, mostNotes).map(({ rule, path, message }) => {
    const place = path === null ? '' : ` ${code(path, facts)}`;
    return `- ${code(rule, facts)}${place}: ${oneLine(message, facts)}`;
  });
  const more = notes.length - lines.length;
  return ['### Please look at', [...lines, ...(more > 0 ? [`- and ${more} more`] : [])].join('\n')].join(
    '\n\n',
  );
}

function howToContinue(facts: ChangeFacts): string {
  const preview = linkTo(facts.previewUrl);
  const message = facts.messageUrl === null ? '' : inertCode(`POST ${facts.messageUrl}`, 500);
  const lines = [
    ...(preview === undefined ? [] : [`- [Preview of this branch](${preview})`]),
    ...(message === ''
      ? []
      : [`- Ask for changes: ${message} with a \`prompt\`. The agent goes on in this branch.`]),
  ];
  return lines.length === 0 ? '' : `### How to continue\n\n${lines.join('\n')}`;
}

function usageLine({ jobId, model, usage }: ChangeFacts): string {
  const count = (value: number) => value.toLocaleString('en-US');
  return [
    `Job ${inertCode(word(jobId))}`,
    ...(model === '' ? [] : [`model ${inertCode(model, 80)}`]),
    `${count(usage.steps)} steps`,
    `${count(usage.inputTokens)} tokens read, ${count(usage.outputTokens)} written`,
  ].join(' · ');
}

function code(text: string, facts: ChangeFacts): string {
  return inertCode(withoutSecrets(text, facts));
}

function oneLine(text: string, facts: ChangeFacts): string {
  return inertMarkdownLine(withoutSecrets(text, facts), 240);
}

/** A text that holds a credential is left out whole: what is around it may be part of it. */
function withoutSecrets(text: string, { secrets }: ChangeFacts): string {
  return looksSecret(text, secrets) ? '(A text that looked like a credential was left out here.)' : text;
}

/** Addresses of ours, from the configuration; anything else is not linked. */
function linkTo(url: string | null): string | undefined {
  const parsed = url === null ? null : URL.parse(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) return undefined;
  return parsed.href.replaceAll(/[()<>\s]/g, (character) =>
    encodeURIComponent(character).replace('(', '%28').replace(')', '%29'),
  );
}

function word(text: string): string {
  return text.replaceAll(/[^\w.-]/g, '');
}

function personOf({ name, email }: { name: string; email: string }): string {
  const plainName = name
    .replaceAll(/[^\p{L}\p{N}\p{M} .'-]/gu, '')
    .slice(0, 80)
    .trim();
  return `${plainName || 'Someone'} <${email.replaceAll(/[^\w.+@-]/g, '').slice(0, 120)}>`;
}

function wrapped(text: string, mostCharacters: number): string {
  return text
    .split('\n')
    .map((line) => wrappedLine(line, mostCharacters))
    .join('\n');
}

function wrappedLine(line: string, mostCharacters: number): string {
  const lines: string[] = [];
  let current = '';
  for (const each of line.split(' ')) {
    if (current !== '' && current.length + 1 + each.length > mostCharacters) {
      lines.push(current);
      current = each;
    } else current = current === '' ? each : `${current} ${each}`;
  }
  // A word that has come to the start of a line must not become a command or a trailer there.
  return [...lines, current].map((part) => inertPlainLine(part)).join('\n');
}

const maxTemplateCharacters = 20_000;
const placeForSummary =
  /^#{1,4}[ \t]+.{0,40}\b(?:descriptions?|summary|what|changes?|overview|purpose)\b.{0,60}$/im;

/** The headings and check boxes of the repository's template stay; hints, mentions, commands and links go. */
function fillTemplate(template: string, summary: string): string {
  const text = inertTemplate(template);
  const heading = placeForSummary.exec(text);
  if (heading === null) return [summary, text].filter((part) => part !== '').join('\n\n');
  const end = heading.index + heading[0].length;
  return `${text.slice(0, end)}\n\n${summary}\n\n${text.slice(end).trim()}`.trim();
}

function inertTemplate(template: string): string {
  const text = template
    .slice(0, maxTemplateCharacters)
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/(?![\n\t])[\p{C}\p{Default_Ignorable_Code_Point}]/gu, '')
    .replaceAll(/<!--[\s\S]*?(?:-->|$)/g, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll(/^([ \t]*)\/(?=\w)/gm, '$1\\/')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
  return withoutLinks(withoutReferences(text));
}
