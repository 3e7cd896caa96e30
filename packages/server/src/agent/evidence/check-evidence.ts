/** Checks that evidence quotes what has changed and names lines that exist. It does not judge whether they agree. */
import type { DiffFile } from '../contract.ts';
import { isPage, quoted } from '../policy/rule.ts';
import type { CheckedEvidence, Evidence, EvidenceSource } from './evidence.ts';
import { findSource, type Library } from './find-source.ts';

export interface EvidenceProblem {
  page: string | null;
  message: string;
}

export interface EvidenceFacts extends Library {
  files: readonly Pick<DiffFile, 'path' | 'before' | 'after' | 'addedLines'>[];
  isRequired: boolean;
  /** Checked by earlier runs of the job. */
  earlier: readonly CheckedEvidence[];
}

export interface EvidenceCheck {
  evidence: CheckedEvidence[];
  problems: EvidenceProblem[];
}

const minStatementCharacters = 5;

export async function checkEvidence(
  given: readonly Evidence[],
  facts: EvidenceFacts,
): Promise<EvidenceCheck> {
  const evidence = facts.earlier.filter((item) => statementProblem(item, facts) === undefined);
  const problems: EvidenceProblem[] = [];
  for (const item of given) {
    const { page, statement } = item;
    const wrong = statementProblem(item, facts);
    if (wrong !== undefined) {
      problems.push({ page: isChanged(page, facts) ? page : null, message: wrong });
      continue;
    }
    const found = await findSources(item, facts);
    problems.push(...found.problems);
    if (found.sources.length > 0) evidence.push({ page, statement, sources: found.sources });
  }
  const missing = facts.isRequired ? unsupportedPages(facts, evidence) : [];
  return {
    evidence,
    problems: [
      ...problems,
      ...missing.map((page) => ({ page, message: 'No evidence supports what has changed in this page.' })),
    ],
  };
}

function statementProblem(
  { page, statement }: Pick<Evidence, 'page' | 'statement'>,
  { files }: EvidenceFacts,
): string | undefined {
  const file = files.find(({ path }) => path === page);
  if (file === undefined || file.after === null)
    return `Evidence is about ${quoted(page)}, which has not changed.`;
  const words = spaced(statement);
  if (words.length < minStatementCharacters) return 'A quote is too short.';
  if (!spaced(file.after).includes(words)) return `The page does not contain the quote ${quoted(statement)}.`;
  if (file.before !== null && spaced(file.before).includes(words))
    return `The quote ${quoted(statement)} has not changed.`;
  return undefined;
}

async function findSources(
  { page, statement, sources }: Evidence,
  facts: EvidenceFacts,
): Promise<{ sources: EvidenceSource[]; problems: EvidenceProblem[] }> {
  const found: EvidenceSource[] = [];
  const problems: EvidenceProblem[] = [];
  for (const given of sources) {
    const source = await findSource(facts, given);
    if (typeof source === 'string') problems.push({ page, message: `${quoted(given)}: ${source}` });
    else if (source.code === null && isChanged(source.path, facts))
      problems.push({ page, message: `${quoted(given)} is a page that this change writes.` });
    else found.push(source);
  }
  if (sources.length === 0) problems.push({ page, message: `${quoted(statement)} has no source.` });
  return { sources: found, problems };
}

/** A page that only lost text has no new statement. */
function unsupportedPages({ files }: EvidenceFacts, evidence: readonly CheckedEvidence[]): string[] {
  const supported = new Set(evidence.map(({ page }) => page));
  return files
    .filter(({ path, after, addedLines }) => isPage(path) && after !== null && addedLines > 0)
    .map(({ path }) => path)
    .filter((path) => !supported.has(path));
}

function isChanged(path: string, { files }: EvidenceFacts): boolean {
  return files.some((file) => file.path === path);
}

function spaced(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
