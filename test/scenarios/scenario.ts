/**
 * Runs one editing task from its instruction to its verdict: the real loop, tools, renderer and policy on a copy of a
 * site. The model is an oracle that knows the right calls, or an endpoint; the checks are the same for both.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  defaultLimits,
  type Journal,
  type Step,
  type Tree,
  type Usage,
} from '../../packages/server/src/agent/contract.ts';
import { runLoop } from '../../packages/server/src/agent/engine/loop.ts';
import { openingMessages } from '../../packages/server/src/agent/engine/prompt.ts';
import type { ModelSettings } from '../../packages/server/src/agent/model/endpoint.ts';
import { createModel } from '../../packages/server/src/agent/model/gateway.ts';
import { judgeChange } from '../../packages/server/src/agent/policy/gate.ts';
import { surveyTree } from '../../packages/server/src/agent/policy/survey.ts';
import { usageOf } from '../../packages/server/src/agent/replay.ts';
import { openSiteChecks } from '../../packages/server/src/agent/site-check.ts';
import { tools } from '../../packages/server/src/agent/tools/list.ts';
import { outline } from '../../packages/server/src/agent/tools/outline.ts';
import { openWorkspace } from '../../packages/server/src/agent/workspace/workspace.ts';
import { startModelServer, type ScriptedCall } from '../fakes/model-server.ts';

export interface Site {
  name: string;
  folder: string;
}

export interface Scenario {
  name: string;
  site: Site;
  instruction: string;
  /** The calls of a perfect model, one a turn; validate and finish follow by themselves. */
  calls: ScriptedCall[];
  /** What is wrong with the result, in words; nothing when it is right. */
  check(files: Files): string[];
}

export interface Files {
  /** Empty when there is no such file. */
  text(path: string): string;
  /** Paths that are different from before, sorted. */
  changed: string[];
}

export interface Outcome {
  name: string;
  problems: string[];
  usage: Usage;
}

export async function runScenario(scenario: Scenario, endpoint?: ModelSettings): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'docyard-scenario-'));
  const oracle = endpoint === undefined ? await startModelServer(oracleOf(scenario)) : undefined;
  try {
    const settings = endpoint ?? oracleSettings(oracle?.url ?? '');
    return await perform(scenario, settings, folder);
  } finally {
    await oracle?.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function perform(scenario: Scenario, settings: ModelSettings, folder: string): Promise<Outcome> {
  const { signal } = new AbortController();
  const repository = join(folder, 'repository');
  cpSync(scenario.site.folder, repository, { recursive: true });
  commitSite(repository);
  const egress = { allowedHosts: [new URL(settings.url).host] };
  const source = { repository, ref: null, directory: null, allowLocal: true };
  const workspace = await openWorkspace({
    folder: join(folder, 'job'),
    source,
    commit: null,
    credential: null,
    egress,
    signal,
  });
  const { tree } = workspace;
  const existing = await surveyTree(tree);
  const site = await openSiteChecks({ folder: tree.folder, renderProcesses: 2 }, signal);
  const toolContext = { tree, site, diff: () => workspace.diff(), scopePaths: [], seen: new Map() };
  const steps: Step[] = [];
  const journal: Journal = { steps, append: async (step) => void steps.push(step) };
  const shown = await outline.run({ ...toolContext, signal }, { offset: 1 });
  const end = await runLoop({
    model: createModel(settings, { egress }),
    tools,
    toolContext,
    limits: defaultLimits,
    journal,
    messages: openingMessages({
      task: scenario.instruction,
      outline: shown.text,
      scopePaths: [],
      instructions: null,
      earlier: [],
    }),
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
    ...(settings.name === oracleName ? failedCalls(steps) : []),
  ];
  return { name: `${scenario.site.name}: ${scenario.name}`, problems, usage: usageOf(steps) };
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

const oracleName = 'oracle';

function oracleSettings(url: string): ModelSettings {
  return { provider: 'openai', url, key: null, name: oracleName };
}

/** The next call is decided from the conversation. Usage is not told, so tokens are those that the gateway counts. */
function oracleOf({ calls, name }: Scenario): Parameters<typeof startModelServer>[0] {
  const finish = { name: 'finish', input: { title: name.slice(0, 100), summary: `Done: ${name}.` } };
  const all = [...calls, { name: 'validate', input: {} }, finish];
  return ({ messages }) => {
    const call = all[messages.filter(({ role }) => role === 'tool').length];
    return call === undefined ? { text: 'There is nothing left to do.' } : { calls: [call], usage: null };
  };
}

/** A perfect model is never refused a call; if it is, the tools are in the way. */
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
