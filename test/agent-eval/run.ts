/** Runs pairs as jobs of the whole service: the API, a git host, the sandbox, the gate and a forge. */
import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { waitForAgentJob, type AgentJob, type DocyardClient } from '@docyard/api';
import { createProject, setStage, type Stage } from '../agent/harness.ts';
import type { ServedRepository } from '../fakes/git-server.ts';
import { codeName, instructionOf } from './instruction.ts';
import { scriptOf, type ScriptedModel } from './models.ts';
import type { Pair } from './pair.ts';
import { scoreOf, type Outcome, type PairResult } from './score.ts';

/** A model server that the operator has configured. */
export interface Endpoint {
  url: string;
  name: string;
  key: string | null;
  provider: string;
}

export type EvaluatedModel = ScriptedModel | Endpoint;

export interface SiteRun {
  folder: string;
  /** All of one site. */
  pairs: readonly Pair[];
  model: EvaluatedModel;
  onResult: (result: PairResult) => void;
}

const maxJobSeconds = 2400;

export function nameOfModel(model: EvaluatedModel): string {
  return typeof model === 'string' ? model : model.name;
}

export function keyOf(pair: Pair, model: EvaluatedModel): string {
  const text = JSON.stringify([pair, nameOfModel(model)]);
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

export async function runSite({ folder, pairs, model, onResult }: SiteRun): Promise<void> {
  const stage = await setStage({
    script: typeof model === 'string' ? scriptOf(model, pairs) : [],
    files: siteFiles(folder),
    environment: { RENDER_PROCESSES: '2', ...(typeof model === 'string' ? {} : settingsOf(model)) },
  });
  if (typeof model !== 'string') stage.environment['EGRESS_ALLOW'] += `,model:${new URL(model.url).host}`;
  try {
    const { client } = await stage.start();
    const projectId = await createProject({ client }, stage);
    const code = stage.git.addRepository('harbour/code', { 'README.md': '# Code\n' });
    for (const pair of pairs) {
      const job = await finishedJob({ client, projectId }, pair, code);
      const outcome = await outcomeOf({ client, projectId }, stage, job);
      const refusedCalls = await countRefusedCalls({ client, projectId }, job);
      onResult(resultOf(pair, { outcome, job, refusedCalls, key: keyOf(pair, model) }));
      await cancelPreview({ client, projectId }, job);
    }
  } finally {
    await stage.close();
  }
}

function settingsOf({ url, name, key, provider }: Endpoint): Record<string, string> {
  return { MODEL_URL: url, MODEL_NAME: name, MODEL_PROVIDER: provider, MODEL_KEY: key ?? '' };
}

/** Links are left out: the site check does not follow them. */
function siteFiles(folder: string): Record<string, Uint8Array> {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => !path.split('/').includes('.git') && lstatSync(join(folder, path)).isFile())
    .toSorted();
  return Object.fromEntries(paths.map((path) => [path, readFileSync(join(folder, path))]));
}

interface Project {
  client: DocyardClient;
  projectId: string;
}

async function finishedJob(
  { client, projectId }: Project,
  pair: Pair,
  code: ServedRepository,
): Promise<AgentJob> {
  const { branch, base, head } = commitChange(pair, code);
  const contextRepositories = [{ name: codeName, repository: code.url, ref: branch }];
  await client.call('updateProject', { params: { projectId }, body: { agent: { contextRepositories } } });
  const triggeringChange = { repository: codeName, base, head };
  const { id } = await client.call('createAgentJob', {
    params: { projectId },
    body: { prompt: instructionOf(pair), triggeringChange },
  });
  return waitForAgentJob(client, { projectId, id }, { timeoutSeconds: maxJobSeconds });
}

/** Two commits on a branch. */
function commitChange(
  { name, files }: Pair,
  code: ServedRepository,
): { branch: string; base: string; head: string } {
  const at = (version: 'before' | 'after'): Record<string, string> =>
    Object.fromEntries(
      files.flatMap((file) => (file[version] === undefined ? [] : [[file.path, file[version]]])),
    );
  const branch = `change/${name.replaceAll('+', '-')}`;
  return { branch, base: code.commit(branch, at('before')), head: code.commit(branch, at('after')) };
}

async function outcomeOf({ client, projectId }: Project, stage: Stage, job: AgentJob): Promise<Outcome> {
  const { files } = await client.call('readAgentDiff', { params: { projectId, id: job.id } });
  const branch = job.pullRequest?.branch;
  const textAt = (path: string): string | null =>
    branch === undefined ? null : stage.repository.git('show', `${branch}:${path}`);
  const changed = files.map(({ path, status }): [string, { text: string | null; isNew: boolean }] => [
    path,
    { text: status === 'removed' ? null : textAt(path), isNew: status === 'added' },
  ]);
  const { number } = job.pullRequest ?? {};
  const body = stage.forge.pulls.find((pull) => pull.number === number)?.body ?? '';
  return {
    ending: job.statusReason ?? job.status,
    changed: new Map(changed),
    verdict: job.policy?.outcome ?? null,
    evidence: evidenceIn(body, job.policy),
    newErrors: job.result?.newErrors ?? 0,
  };
}

/** Undefined if no page has new text, which would need evidence. */
function evidenceIn(body: string, policy: AgentJob['policy']): Outcome['evidence'] {
  if (policy?.notes.some(({ rule }) => rule === 'evidence') === true) return 'incomplete';
  return body.includes('### Evidence') ? 'complete' : undefined;
}

/** The export of the branch would slow the next pair down. */
async function cancelPreview({ client }: Project, { result }: AgentJob): Promise<void> {
  const id = result?.previewJobId;
  if (id === undefined || id === null) return;
  // It may have finished.
  await client.call('cancelExport', { params: { jobId: id } }).catch(() => undefined);
}

async function countRefusedCalls({ client, projectId }: Project, { id }: AgentJob): Promise<number> {
  let count = 0;
  const query = { limit: 100 };
  for await (const { isError } of client.each('readAgentTranscript', { params: { projectId, id }, query })) {
    if (isError) count += 1;
  }
  return count;
}

interface Run {
  outcome: Outcome;
  job: AgentJob;
  refusedCalls: number;
  key: string;
}

function resultOf(pair: Pair, { outcome, job, refusedCalls, key }: Run): PairResult {
  const { isFinished, saysNoChange, recall, precision, statements, passesChecks, problems } = scoreOf(
    pair,
    outcome,
  );
  const { evidence } = outcome;
  const { steps, inputTokens, outputTokens } = job.usage;
  const milliseconds =
    Date.parse(job.finishedAt ?? job.updatedAt) - Date.parse(job.startedAt ?? job.createdAt);
  return {
    name: pair.name,
    kind: pair.kind,
    key,
    ending: outcome.ending,
    isFinished,
    saysNoChange,
    pages: { expected: recall.total, found: recall.hits, changed: precision.total },
    statements,
    ...(passesChecks === undefined ? {} : { passesChecks }),
    ...(evidence === undefined ? {} : { evidence }),
    steps,
    refusedCalls,
    inputTokens,
    outputTokens,
    seconds: milliseconds / 1000,
    problems: isFinished ? problems : [...problems, job.error ?? ''].filter((text) => text !== ''),
  };
}
