/** The code samples of a proposal that were run, and what is said about them. */
import type { Verdict } from '../contract.ts';

export interface SampleRuns {
  results: SampleResult[];
  /** Undefined if every sample was run. */
  notRun?: { count: number; reason: string };
}

export interface SampleResult {
  path: string;
  /** Of the first line of code. */
  line: number;
  language: string;
  /** Null for a sample that was stopped. */
  exitCode: number | null;
  /** Empty for a sample that passed. */
  problem: string;
  /** The beginning of what it printed, without control characters. Empty for a sample that passed. */
  output: string;
}

export function sampleNotes({ results, notRun }: SampleRuns): Verdict['notes'] {
  const failed = results.filter(({ problem }) => problem !== '');
  return [
    ...failed.map(({ path, line, language, problem }) =>
      noteOn(path, `The ${language} sample in line ${line} failed: ${problem}.`),
    ),
    ...(notRun === undefined ? [] : [noteOn(null, notRunText(notRun))]),
  ];
}

function noteOn(path: string | null, message: string): Verdict['notes'][number] {
  return { rule: 'sample', path, message, outcome: 'draft' };
}

export function notRunText({ count, reason }: NonNullable<SampleRuns['notRun']>): string {
  return `Changed code samples that were not run: ${count}. ${reason}`;
}

export function sampleTexts({ results, notRun }: SampleRuns): string[] {
  return [
    ...results.map(({ path, line, language, problem, output }) =>
      [`sample ${path}:${line} (${language}): ${problem || 'passed'}`, output].filter(Boolean).join('\n'),
    ),
    ...(notRun === undefined ? [] : [notRunText(notRun)]),
  ];
}
