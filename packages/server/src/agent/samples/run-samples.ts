/** Runs the changed code samples of a proposal with the commands of the operator, one after the other. */
import { realpathSync } from 'node:fs';
import type { Config } from '../../config.ts';
import { findIsolation, type Isolation } from '../../sandbox/isolation.ts';
import { canRunPrograms, runProgram, type ProgramEnd } from '../../sandbox/run-program.ts';
import { changeOf, type AgentRun } from '../agent-run.ts';
import { changedSamples, type Sample } from './changed-samples.ts';
import type { SampleResult, SampleRuns } from './sample.ts';

const maxSamples = 20;
const maxSeconds = 10;
const memoryMegabytes = 512;

/** Undefined if there is nothing to run. */
export async function runSamplesOf(run: AgentRun): Promise<SampleRuns | undefined> {
  const { sampleRunners, dataDir } = run.context.config;
  const languages = new Set(Object.keys(sampleRunners));
  if (languages.size === 0) return undefined;
  const samples = changedSamples((await changeOf(run)).whole.files, languages);
  if (samples.length === 0) return undefined;
  const isolation = await findIsolation();
  return runSamples(samples, { isolation, sampleRunners, dataDir, signal: run.input.signal });
}

export interface SampleSetup extends Pick<Config, 'sampleRunners' | 'dataDir'> {
  isolation: Isolation;
  signal: AbortSignal;
}

export async function runSamples(samples: readonly Sample[], setup: SampleSetup): Promise<SampleRuns> {
  const { isolation } = setup;
  if (!canRunPrograms(isolation)) {
    const reason = `Samples run only at isolation level 3, and this machine is at level ${isolation.level}.`;
    return { results: [], notRun: { count: samples.length, reason } };
  }
  const results: SampleResult[] = [];
  for (const sample of samples.slice(0, maxSamples)) results.push(await runSample(sample, setup));
  const count = samples.length - results.length;
  if (count === 0) return { results };
  return { results, notRun: { count, reason: `At most ${maxSamples} samples are run.` } };
}

async function runSample(sample: Sample, setup: SampleSetup): Promise<SampleResult> {
  const { isolation, sampleRunners, dataDir, signal } = setup;
  const { path, line, language, code } = sample;
  const end = await runProgram(isolation, {
    command: sampleRunners[language] ?? [],
    input: `${code}\n`,
    maxSeconds,
    memoryMegabytes,
    hidden: [realpathSync(dataDir)],
    signal,
  });
  const problem = problemOf(end);
  const printed = end.errors.length > 0 ? end.errors : end.output;
  const output = problem === '' ? '' : plainText(printed.toString('utf8'));
  return { path, line, language, exitCode: end.exitCode, problem, output };
}

const limitTexts = {
  time: `stopped after ${maxSeconds} seconds`,
  memory: `stopped at ${memoryMegabytes} MB of memory`,
  output: 'stopped because it printed too much',
} as const;

function problemOf({ exitCode, stopped }: ProgramEnd): string {
  if (stopped !== null) return limitTexts[stopped];
  return exitCode === 0 ? '' : `exit code ${exitCode ?? 'unknown'}`;
}

/** Without colors of terminals and characters that a database refuses. */
function plainText(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replaceAll(/\u001B\[[0-9;]{0,20}[A-Za-z]/g, '')
    .replaceAll(/[^\P{Cc}\n\t]/gu, '')
    .trim();
}
