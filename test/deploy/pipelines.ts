/** Runs the GitHub action and the GitLab component with the environment of their runners. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { temporaryFolder } from '../service.ts';
import { root } from './dockerfile.ts';

export type Inputs = Record<string, string>;

export interface Input {
  description: string;
  default?: string | number | boolean;
}

export interface Action {
  name: string;
  description: string;
  inputs: Record<string, Input>;
  outputs: Record<string, { description: string; value: string }>;
  runs: { using: string; steps: { id: string; shell: string; env: Record<string, string>; run: string }[] };
}

export interface ComponentJob {
  variables: Record<string, string>;
  script: string[];
  artifacts: { when: string; paths: string[]; reports: { dotenv: string; junit: string } };
}

export const actionFolder = join(root, 'deploy/github-action');
export const action = parse(readFileSync(join(actionFolder, 'action.yml'), 'utf8')) as Action;

const componentText = readFileSync(join(root, 'deploy/gitlab-component/templates/export.yml'), 'utf8');
const [header, body] = (parseAllDocuments(componentText) as { toJS(): unknown }[]).map((part) => part.toJS());
export const componentInputs = (header as { spec: { inputs: Record<string, Input> } }).spec.inputs;
export const componentJob = (body as Record<string, ComponentJob>)['$[[ inputs.job-name ]]'] as ComponentJob;

export interface Finished {
  status: number | null;
  /** Both output streams. */
  log: string;
  outputs: Record<string, string>;
  summary: string;
  workspace: string;
  has(file: string): boolean;
}

/** With the variables of a GitHub runner. */
export async function runAction(inputs: Inputs, workspace = temporaryFolder('workspace')): Promise<Finished> {
  const files = temporaryFolder('runner');
  const [step] = action.runs.steps;
  const variables = Object.entries(step?.env ?? {}).map(([name, value]) => {
    const [, input = '?'] = /^\$\{\{ inputs\.([\w-]+) \}\}$/.exec(value) ?? [];
    return [name, inputs[input] ?? String(action.inputs[input]?.default ?? '')];
  });
  const platform = {
    CI: 'true',
    GITHUB_ACTIONS: 'true',
    GITHUB_ACTION_PATH: actionFolder,
    GITHUB_OUTPUT: join(files, 'output'),
    GITHUB_STEP_SUMMARY: join(files, 'summary'),
    GITHUB_WORKSPACE: workspace,
    ...(Object.fromEntries(variables) as Inputs),
  };
  const ended = await run(['--noprofile', '--norc', '-eo', 'pipefail', '-c', step?.run ?? ''], {
    workspace,
    platform,
  });
  return {
    ...ended,
    outputs: readPairs(platform.GITHUB_OUTPUT),
    summary: readIfThere(platform.GITHUB_STEP_SUMMARY),
  };
}

/** With the variables of a GitLab runner; `variables` are those of the project, such as the key. */
export async function runComponent(inputs: Inputs, variables: Record<string, string>): Promise<Finished> {
  const workspace = temporaryFolder('workspace');
  const filled = Object.entries(componentJob.variables).map(([name, value]) => [name, fill(value, inputs)]);
  const platform = {
    CI: 'true',
    GITLAB_CI: 'true',
    CI_PROJECT_DIR: workspace,
    ...variables,
    ...(Object.fromEntries(filled) as Inputs),
  };
  const ended = await run(['-eo', 'pipefail', '-c', componentJob.script.join('\n')], { workspace, platform });
  return { ...ended, outputs: readPairs(join(workspace, 'docyard.env')), summary: '' };
}

/** Interpolates inputs like GitLab. */
export function fill(text: string, inputs: Inputs): string {
  return text.replaceAll(
    /\$\[\[ inputs\.([\w-]+) \]\]/g,
    (_, name: string) => inputs[name] ?? String(componentInputs[name]?.default ?? ''),
  );
}

async function run(
  args: string[],
  { workspace, platform }: { workspace: string; platform: Record<string, string> },
): Promise<Pick<Finished, 'status' | 'log' | 'workspace' | 'has'>> {
  mkdirSync(workspace, { recursive: true });
  // The environment of the tests must not leak in.
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn('bash', args, { cwd: workspace, env: { PATH, HOME, ...platform } });
  let log = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (log += text));
  }
  const status = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { status, log, workspace, has: (file) => existsSync(join(workspace, file)) };
}

function readPairs(file: string): Record<string, string> {
  const lines = readIfThere(file)
    .split('\n')
    .filter((line) => line !== '');
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
}

function readIfThere(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}
