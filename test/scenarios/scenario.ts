/** Runs one editing task with the real loop, tools, renderer and policy on a copy of a site. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  defaultLimits,
  type Journal,
  type Model,
  type Step,
  type Tree,
  type Usage,
} from '../../packages/server/src/agent/contract.ts';
import { runLoop } from '../../packages/server/src/agent/engine/loop.ts';
import { openingMessages, type Opening } from '../../packages/server/src/agent/engine/prompt.ts';
import { recordTo } from '../../packages/server/src/agent/model/cassette.ts';
import type { ModelSettings } from '../../packages/server/src/agent/model/endpoint.ts';
import { createModel } from '../../packages/server/src/agent/model/gateway.ts';
import { judgeChange } from '../../packages/server/src/agent/policy/gate.ts';
import { surveyTree } from '../../packages/server/src/agent/policy/survey.ts';
import { usageOf } from '../../packages/server/src/agent/replay.ts';
import { openSiteChecks } from '../../packages/server/src/agent/site-check.ts';
import { tools } from '../../packages/server/src/agent/tools/all-tools.ts';
import { readOutlineExcerpt } from '../../packages/server/src/agent/tools/outline-excerpt.ts';
import { openWorkspace } from '../../packages/server/src/agent/workspace/workspace.ts';
import type { ScriptedCall } from '../fakes/model-server.ts';
import { startOracle } from './oracle.ts';

export interface Site {
  name: string;
  folder: string;
}

export interface Scenario {
  name: string;
  site: Site;
  instruction: string;
  /** The calls of a perfect model, one per turn; validate and finish follow automatically. */
  calls: ScriptedCall[];
  /** Problems of the result. */
  check(files: Files): string[];
}

export interface Files {
  /** Empty when there is no such file. */
  text(path: string): string;
  /** Changed paths, sorted. */
  changed: string[];
}

export interface Outcome {
  name: string;
  problems: string[];
  usage: Usage;
}

export interface ScenarioOptions {
  /** An oracle by default. */
  model?: Model | undefined;
  /** Requests and responses are appended to this file. */
  recordFile?: string | undefined;
}

export async function runScenario(scenario: Scenario, options: ScenarioOptions = {}): Promise<Outcome> {
  const { model, recordFile } = options;
  if (model !== undefined) return outcomeOf(scenario, await inFolder(scenario, model, recordFile));
  const oracle = await startOracle([scenario]);
  try {
    const perfect = modelAt({ provider: 'openai', url: oracle.url, key: null, name: 'oracle' });
    const work = await inFolder(scenario, perfect, recordFile);
    // A refused call of the oracle means that the tools are too strict.
    return outcomeOf(scenario, { ...work, problems: [...work.problems, ...failedCalls(work.steps)] });
  } finally {
    await oracle.close();
  }
}

function outcomeOf(scenario: Scenario, { steps, problems }: Work): Outcome {
  return { name: `${scenario.site.name}: ${scenario.name}`, problems, usage: usageOf(steps) };
}

/** The host of the model may be anywhere. */
export function modelAt(settings: ModelSettings): Model {
  return createModel(settings, { egress: { allowedHosts: [new URL(settings.url).host] } });
}

interface Work {
  steps: Step[];
  problems: string[];
}

async function inFolder(scenario: Scenario, model: Model, recordFile: string | undefined): Promise<Work> {
  const folder = mkdtempSync(join(tmpdir(), 'docyard-scenario-'));
  try {
    return await perform(scenario, recordFile === undefined ? model : recordTo(recordFile, model), folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function perform(scenario: Scenario, model: Model, folder: string): Promise<Work> {
  const { signal } = new AbortController();
  const repository = join(folder, 'repository');
  cpSync(scenario.site.folder, repository, { recursive: true });
  commitSite(repository);
  const source = { repository, ref: null, directory: null, allowLocal: true };
  const workspace = await openWorkspace({
    folder: join(folder, 'job'),
    source,
    commit: null,
    credential: null,
    egress: { allowedHosts: [] },
    signal,
  });
  const { tree } = workspace;
  const existing = await surveyTree(tree);
  const site = await openSiteChecks({ folder: tree.folder, renderProcesses: 2, customCode: 'run' }, signal);
  const toolContext = { tree, site, diff: () => workspace.diff(), scopePaths: [], seen: new Map() };
  const steps: Step[] = [];
  const journal: Journal = { steps, append: async (step) => void steps.push(step) };
  const opening: Opening = {
    task: scenario.instruction,
    outline: await readOutlineExcerpt({ ...toolContext, signal }, scenario.instruction),
    scopePaths: [],
    instructions: null,
    earlier: [],
  };
  const end = await runLoop({
    model,
    tools,
    toolContext,
    limits: defaultLimits,
    journal,
    messages: openingMessages(opening),
    messagesWithin: (maxTokens) => openingMessages(opening, maxTokens),
    signal,
    now: () => Date.now(),
    startedAt: Date.now(),
    checkpoint: () => workspace.snapshot(),
  });
  const { files } = await workspace.diff();
  const findings = await site.validate(signal);
  const verdict = await judgeChange(files, { ...usualPolicy, existing }, signal);
  const problems = [
    ...(end.reason === 'done' ? [] : [`ended as ${end.reason}: ${end.problem ?? end.summary}`]),
    ...findings
      .filter(({ isNew, severity }) => isNew && severity !== 'info')
      .map(({ file, code, message }) => `new finding ${code} in ${file}: ${message}`),
    ...verdict.notes.map(({ rule, path, message }) => `rule ${rule} on ${path ?? 'the change'}: ${message}`),
    ...scenario.check(filesOf(tree, files)),
  ];
  return { steps, problems };
}

function commitSite(folder: string): void {
  const identity = ['-c', 'user.name=Author', '-c', 'user.email=author@example.com'];
  const git = (...args: string[]) => execFileSync('git', [...identity, ...args], { cwd: folder });
  git('init', '--quiet', '--initial-branch=main');
  git('add', '--all', '--force');
  git('-c', 'commit.gpgsign=false', 'commit', '--quiet', '--message', 'Begin');
}

const usualPolicy = {
  docsRoot: '',
  scopePaths: [],
  allowedPaths: [],
  protectedPaths: [],
  allowedConfigKeys: [],
  limits: defaultLimits,
  secrets: [],
};

function failedCalls(steps: readonly Step[]): string[] {
  return steps.flatMap((step) =>
    step.kind === 'result' && step.result.isError ? [`${step.call.name} failed: ${step.result.text}`] : [],
  );
}

function filesOf(tree: Tree, files: readonly { path: string; from: string | null }[]): Files {
  return {
    text(path) {
      try {
        return readFileSync(join(tree.folder, path), 'utf8');
      } catch {
        return '';
      }
    },
    changed: files.flatMap(({ path, from }) => (from === null ? [path] : [from, path])).toSorted(),
  };
}
