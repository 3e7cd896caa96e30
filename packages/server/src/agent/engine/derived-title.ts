/** Titles the change of an external agent, which reports none: with its own words, else with the changed pages. */
import { basename } from 'node:path';
import type { DiffFile } from '../contract.ts';

type ChangedFile = Pick<DiffFile, 'path' | 'status'>;

const minTitleCharacters = 12;
const maxTitleCharacters = 72;
const maxSentences = 3;
const maxReadCharacters = 2000;

export function deriveTitle(summary: string, files: readonly ChangedFile[]): string {
  if (files.length === 0) return '';
  return sentencesOf(summary).find(isUsable) ?? describeFiles(files);
}

function sentencesOf(summary: string): string[] {
  return summary
    .slice(0, maxReadCharacters)
    .split(/\n|(?<=[.!?])\s/)
    .map(plainSentence)
    .filter((sentence) => sentence !== '')
    .slice(0, maxSentences);
}

/** `- **I have fixed** the link.` becomes `Fixed the link`. */
function plainSentence(text: string): string {
  const plain = text
    .replaceAll(/[*_`#>]/g, '')
    .trim()
    .replace(/^(?:-|\d{1,2}[.)]) /, '')
    .replace(/^(?:I|We)(?:['’]ve| have)?(?: now| also)? (?=\p{L})/u, '')
    .replace(/\.$/, '')
    .trim();
  return plain.charAt(0).toUpperCase() + plain.slice(1);
}

const filler =
  /^(?:done|all|ok|okay|sure|great|perfect|here|summary|in summary|let me|now|the task|task|as requested|changes|what|everything|finished|completed|working)\b/i;

function isUsable(sentence: string): boolean {
  const words = sentence.split(' ').length;
  const isFit = sentence.length >= minTitleCharacters && sentence.length <= maxTitleCharacters;
  return isFit && words >= 3 && !/[:?!]$/.test(sentence) && !filler.test(sentence);
}

const verbs: Readonly<Record<DiffFile['status'], string>> = {
  added: 'Add',
  modified: 'Update',
  removed: 'Remove',
  moved: 'Move',
};
const maxNameCharacters = 30;

function describeFiles(files: readonly ChangedFile[]): string {
  const statuses = new Set(files.map(({ status }) => status));
  const [first, second] = files.map(({ path }) => nameOf(path));
  const verb = verbs[statuses.size === 1 ? (files[0]?.status ?? 'modified') : 'modified'];
  if (second === undefined) return `${verb} ${first}`;
  return `${verb} ${first} and ${files.length === 2 ? second : `${files.length - 1} more files`}`;
}

function nameOf(path: string): string {
  const page = path.replace(/\.mdx?$/, '');
  return page.length <= maxNameCharacters ? page : basename(page).slice(0, maxNameCharacters);
}
