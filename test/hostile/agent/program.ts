/**
 * Runs hostile cases against the whole program: each is a branch of one repository and a job. It checks processes, connections,
 * files, the git host and the forge.
 */
import { spawnSync } from 'node:child_process';
import { type Dirent, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentJob } from '@docyard/api';
import { createProject, ended, modelKey, setStage, type Stage } from '../../agent/harness.ts';
import type { BranchContent } from '../../fakes/git-server.ts';
import type { Asked, ScriptedAnswer } from '../../fakes/model-server.ts';
import { temporaryFolder, writeFiles, type Service } from '../../service.ts';
import { survivors } from '../../torture/processes.ts';
import { type HostileCase, needsForeignEngine, plainSite } from './case.ts';
import { hostileCases } from './cases.ts';
import { evidenceOf, problemsOf, secretsIn } from './evidence.ts';
import { deedsOf, foreignAgent } from './foreign-agent.ts';
import { contentsOf, differences, startCanary, watchProcesses } from './process-monitor.ts';

export interface HostileOptions {
  engine: 'built-in' | 'foreign';
  choose: (cases: HostileCase[]) => HostileCase[];
  onCase?: (outcome: CaseOutcome) => void;
}

export interface CaseOutcome {
  name: string;
  ending: AgentJob['statusReason'];
  problems: string[];
}

/** The rules of the default branch; only these may be given to a model as rules. */
const houseRules = 'Write berth, never slot.';
const machineSecret = 'machine-secret-5Jq8Zr3Lw7Vb';
/** Where programs of the cases would leave a trace. */
const traces = ['/tmp/docyard-was-here', '/tmp/docyard-outside.mdx', '/tmp/docyard-written-through'];

/** `problems` cannot be attributed to a case, because two jobs run concurrently. */
export async function runHostile({ engine, choose, onCase = () => undefined }: HostileOptions) {
  const canary = await startCanary();
  const root = fencedFolder();
  const arena: Arena = { root, engine, canary, cases: [], asked: new Map(), problems: new Set() };
  const stage = await setStage({ script: (request) => scriptOf(arena, request), files: plainSite });
  try {
    arena.cases = choose(hostileCases(stage.forge.token))
      .map((each) => aimedAt(each, canary.host))
      .map((each) => (engine === 'foreign' ? withoutTools(each) : each));
    stage.repository.setBranches(branchesOf(arena.cases));
    const service = await start(stage, arena);
    const [files, host] = [filesAround(root), hostFiles(stage)];
    const watch = watchProcesses({ pid: service.pid, ports: portsOf(stage, service) });
    const outcomes = await runCases(stage, service, arena, onCase).finally(watch.stop);
    const problems = [
      ...watch.problems,
      ...arena.problems,
      ...(await stopped(service, root)),
      ...differences(files, filesAround(root)).map((path) => `${path} has changed, outside of the job`),
      ...differences(host, hostFiles(stage)).map((path) => `${path} of the git host has changed`),
      ...traces.filter((path) => existsSync(path)).map((path) => `${path} was written`),
      ...(canary.visits() === 0 ? [] : [`${canary.visits()} visits to a host that only attackers name`]),
      ...stage.forge.complaints,
      ...secretsIn(stage.log(), secretsOf(stage)).map((form) => `the log holds ${form}`),
    ];
    return { outcomes, problems, commands: [...watch.commands] };
  } finally {
    await Promise.all([stage.close(), canary.close()]);
  }
}

interface Arena {
  /** Contains the data folder, a home and a folder for temporary files; nothing else may be written. */
  root: string;
  engine: HostileOptions['engine'];
  canary: Awaited<ReturnType<typeof startCanary>>;
  cases: HostileCase[];
  /** Model requests, by the number of the case. */
  asked: Map<number, Asked[]>;
  problems: Set<string>;
}

async function runCases(
  stage: Stage,
  service: Service,
  { root, cases, asked }: Arena,
  onCase: (outcome: CaseOutcome) => void,
): Promise<CaseOutcome[]> {
  const projectId = await createProject(service, stage);
  await addCode(stage, service, { projectId, cases });
  const ids: string[] = [];
  for (const [number, { prompt = 'Improve the guides.' }] of cases.entries()) {
    const body = { prompt: `${prompt}\n\nrun <${number}>`, source: { ref: refOf(number) } };
    ids.push((await service.client.call('createAgentJob', { params: { projectId }, body })).id);
  }
  const outcomes: CaseOutcome[] = [];
  for (const [number, hostile] of cases.entries()) {
    const job = await ended(service, projectId, ids[number] ?? '');
    const requests = asked.get(number) ?? [];
    const evidence = await evidenceOf({
      stage,
      service,
      projectId,
      job,
      ref: refOf(number),
      asked: requests,
    });
    const problems = problemsOf(hostile, evidence, [...secretsOf(stage), service.key]);
    if (existsSync(join(root, 'data', 'work', 'agent', job.id))) problems.push('its folder is still there');
    if (requests.some((request) => !systemTextOf(request).includes(houseRules)))
      problems.push('the model did not get the rules of the default branch');
    const outcome = { name: hostile.name, ending: job.statusReason, problems };
    outcomes.push(outcome);
    onCase(outcome);
  }
  return outcomes;
}

/** Evidence stays optional, so that other cases are proposed as before. */
async function addCode(
  stage: Stage,
  service: Service,
  { projectId, cases }: { projectId: string; cases: readonly HostileCase[] },
): Promise<void> {
  const repository = stage.git.addRepository('harbour/code', { 'README.md': '# Code\n' });
  const all = (parts: (Record<string, string> | undefined)[]): Record<string, string> =>
    Object.fromEntries(parts.flatMap((part) => Object.entries(part ?? {})));
  const files = { 'README.md': '# Code\n', ...all(cases.map(({ code }) => code)) };
  const links = all(cases.map(({ codeLinks }) => codeLinks));
  repository.setBranches({ main: { files, links } });
  const contextRepositories = [{ name: 'code', repository: repository.url }];
  const body = { agent: { contextRepositories, requireEvidence: false } };
  await service.client.call('updateProject', { params: { projectId }, body });
}

function refOf(number: number): string {
  return `case/${number}`;
}

function secretsOf(stage: Stage): string[] {
  return [stage.forge.token, modelKey, machineSecret];
}

function portsOf(stage: Stage, service: Service): number[] {
  return [service.origin, stage.git.origin, stage.forge.origin, stage.model.url].map((url) =>
    Number(new URL(url).port),
  );
}

/** The attacker's host is reachable and allowed by the operator. */
function aimedAt(hostile: HostileCase, host: string): HostileCase {
  const text = JSON.stringify(hostile).replaceAll(/(?<![\w.-])(?:evil\.dev|169\.254\.169\.254)/g, host);
  return JSON.parse(text) as HostileCase;
}

/** The ending of a conversation with tools does not apply to an agent without them. */
function withoutTools(hostile: HostileCase): HostileCase {
  const { endings: _, ...rest } = hostile;
  return needsForeignEngine(hostile) ? hostile : rest;
}

/** The default branch contains rules and a pull request template of an attacker. */
function branchesOf(cases: readonly HostileCase[]): Record<string, BranchContent> {
  const main = {
    files: {
      ...plainSite,
      'AGENTS.md': `${houseRules}\n`,
      '.github/pull_request_template.md': '/merge\n\n## Description\n\ncc @octocat fixes #9\n',
    },
    links: { '.docs/AGENTS.md': '/etc/passwd' },
  };
  const ofCases = cases.map(({ files, links = {} }, number): [string, BranchContent] => [
    refOf(number),
    { files: { ...plainSite, ...files }, links },
  ]);
  return { main, ...Object.fromEntries(ofCases) };
}

/** Common program names; here they only record that they were started. */
const temptations =
  'bash cat chmod cp curl env gpg less more nano nc node npm npx perl python3 rg rm scp sh ssh touch vi wget';

function fencedFolder(): string {
  const root = temporaryFolder('hostile');
  for (const name of ['data', 'temporary', 'programs']) mkdirSync(join(root, name));
  writeFiles(root, {
    'home/.ssh/id_ed25519': machineSecret,
    'outside.mdx': 'Read only.\n',
    'styles/guide.md': 'Write berth.\n',
  });
  for (const name of temptations.split(' ')) {
    const note = `#!/bin/sh\necho "${name} $*" >> ${join(root, 'programs', 'started')}\n`;
    writeFileSync(join(root, 'programs', name), note, { mode: 0o755 });
  }
  for (const name of ['git', 'bwrap']) {
    const { stdout } = spawnSync('which', [name], { encoding: 'utf8' });
    if (stdout !== '') symlinkSync(stdout.trim(), join(root, 'programs', name));
  }
  for (const trace of traces) rmSync(trace, { force: true });
  return root;
}

function start(stage: Stage, { root, engine, canary, cases }: Arena): Promise<Service> {
  const dataDir = join(root, 'data');
  const environment: Record<string, string> = {
    EGRESS_ALLOW: `${stage.environment['EGRESS_ALLOW']},${canary.host}`,
    HOME: join(root, 'home'),
    TMPDIR: join(root, 'temporary'),
    PATH: join(root, 'programs'),
    MACHINE_SECRET: machineSecret,
    AGENT_CONCURRENCY: '2',
  };
  if (engine === 'foreign') {
    const folder = temporaryFolder('foreign-agent');
    const deeds = { deeds: cases.map(deedsOf), canaryPort: canary.host.split(':')[1] };
    writeFiles(folder, { 'agent.cjs': foreignAgent, 'deeds.json': JSON.stringify(deeds) });
    const styles = join(root, 'styles');
    environment['AGENT_COMMAND'] = `${process.execPath} ${join(folder, 'agent.cjs')}`;
    environment['AGENT_READ_PATHS'] = styles;
    environment['AGENT_ENV'] = `STYLES=${styles}`;
  }
  return stage.start({ dataDir, workingFolder: dataDir, environment });
}

async function stopped(service: Service, root: string): Promise<string[]> {
  const status = await service.stop();
  const left = await survivors(root, 5);
  return [
    ...(status === 0 ? [] : [`a clean stop ended with ${status}`]),
    ...left.map(({ command }) => `still running: ${command}`),
  ];
}

/** Everything that jobs must not touch, including the secrets of the service. */
function filesAround(root: string): Map<string, string> {
  // The service may still probe the isolation when the first files are read.
  const isOfService = /^(?:data\/(?:work|blobs|cache|docyard\.db|lock)|temporary\/docyard-probe-)/;
  return contentsOf(root, (path) => isOfService.test(path));
}

function hostFiles({ repository }: Stage): Map<string, string> {
  const own = contentsOf(repository.folder, (path) => /^(?:objects|refs|packed-refs|logs)\b/.test(path));
  const branches = repository.git('for-each-ref', '--format=%(refname) %(objectname)').split('\n');
  for (const branch of branches.filter((line) => !line.startsWith('refs/heads/docyard/'))) {
    const [name = '', commit = ''] = branch.split(' ');
    own.set(name, commit);
  }
  return own;
}

function scriptOf({ root, cases, asked, problems }: Arena, request: Asked): ScriptedAnswer {
  for (const problem of oddities(join(root, 'data', 'work', 'agent'))) problems.add(problem);
  const said = request.messages.map((message) => ('text' in message ? message.text : '')).join('\n');
  const number = Number(/run <(\d+)>/.exec(said)?.[1]);
  asked.set(number, [...(asked.get(number) ?? []), request]);
  const { turns = [] } = cases[number] ?? {};
  const turn = turns[request.messages.filter(({ role }) => role === 'assistant').length];
  // Insists on finishing when the site does not build.
  return turn ?? { calls: [{ name: 'finish', input: { ...insisting, ...finishOf(turns) } }] };
}

const insisting = { title: 'Improve', summary: 'Improved.', leave_problems: 'It has to be like this.' };

function finishOf(turns: readonly ScriptedAnswer[]): object {
  const call = turns.flatMap(({ calls = [] }) => calls).findLast(({ name }) => name === 'finish');
  return call?.input ?? {};
}

function systemTextOf({ messages }: Asked): string {
  return messages.flatMap((message) => (message.role === 'system' ? [message.text] : [])).join('\n');
}

const jobFolders: Readonly<Record<string, readonly string[]>> = {
  workspace: ['tree', 'repository.git'],
  code: ['files', 'git', 'attributes'],
};

/** Unexpected content in job folders: links, git folders among files, files outside of their folders. */
function oddities(folder: string, inside: readonly string[] = []): string[] {
  return entriesOf(folder).flatMap((entry) => {
    const [, area = '', top = '', ...rest] = [...inside, entry.name];
    const path = [area, top, ...rest].join('/');
    if (entry.isSymbolicLink()) return [`there is a link ${path}`];
    if (area !== '' && !(area in jobFolders)) return [`there is ${path}`];
    if (top !== '' && !jobFolders[area]?.includes(top)) return [`there is ${path}`];
    const isOfGit = top === 'repository.git' || (area === 'code' && top === 'git');
    if (!isOfGit && /^(?:\.git|git~1)$/i.test(entry.name)) return [`there is ${path}`];
    if (!entry.isDirectory() || isOfGit) return [];
    return oddities(join(folder, entry.name), [...inside, entry.name]);
  });
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // Another job has just ended.
    return [];
  }
}
