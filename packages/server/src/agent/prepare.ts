/**
 * The first phase: records the commit where the work begins, then checks out the files. A later attempt fetches
 * the same commit, applies the changes of the journal and verifies the tree by its git hash.
 */
import { join } from 'node:path';
import { tenantOf } from '../jobs/store.ts';
import { policyFor } from '../egress/rules.ts';
import type { GitCredential } from '../ports/forge.ts';
import { SourceError } from '../ports/sources.ts';
import { borrowGitCredential, openProjectFork } from '../projects/forge.ts';
import { judgeCustomCode } from '../sandbox/custom-code.ts';
import { mergeOf, noteForAgent, updateFromBase } from './base-update.ts';
import type { Step, ToolContext } from './contract.ts';
import type { Opening } from './engine/prompt.ts';
import { readInstructions } from './instructions.ts';
import { stepsOfRun } from './journal.ts';
import { surveyTree } from './policy/survey.ts';
import { branchName } from './publish/branch-name.ts';
import { identityOf } from './publish/commit-identity.ts';
import { codeFacts, evidenceRule, openCodeOf } from './prepare-code.ts';
import { updateRun } from './record.ts';
import { findStep, replayFiles, type StepOf } from './replay.ts';
import { repositoryOf, type AgentRun } from './agent-run.ts';
import { openSiteChecks } from './site-check.ts';
import { readOutlineExcerpt } from './tools/outline-excerpt.ts';
import { openWorkspace, type Workspace, type WorkspaceOptions } from './workspace/workspace.ts';

type Prepared = StepOf<'prepared'>;

export async function prepare(run: AgentRun): Promise<undefined> {
  const { journal, context, input } = run;
  const credential = await borrowCredential(run);
  const known = findStep(journal.steps, 'prepared');
  run.code = await openCodeOf(run, known);
  const prepared = known ?? { ...(await decideStart(run, credential)), ...codeFacts(run) };
  if (known === undefined) await journal.append(prepared);
  const workspace = (run.workspace ??= await openStart(run, credential, prepared));
  const { baseCommit, branch, reviewCommit } = prepared;
  await updateRun(context, run, { baseCommit, branch });
  if (findStep(journal.steps, 'judged') === undefined) {
    await workspace.checkOutDuring(reviewCommit, async () => {
      run.survey = await surveyTree(workspace.tree);
      if (findStep(journal.steps, 'validated') !== undefined) return;
      // The baseline: problems that the site had before the run are not the agent's.
      const { renderProcesses } = context.config;
      const { customCode } = await judgeCustomCode(context);
      const options = { folder: workspace.tree.folder, renderProcesses, customCode };
      run.site = await openSiteChecks(options, input.signal);
    });
  }
  if (findStep(journal.steps, 'loop-ended') === undefined)
    run.opening = await openingOf(run, workspace, prepared);
  const { changes, tree } = replayFiles([...(await carriedSteps(run, prepared)), ...journal.steps]);
  if (tree !== undefined) await workspace.restore(changes, tree);
}

/** Built from the base commit, so every attempt opens the conversation with the same messages. */
async function openingOf(run: AgentRun, workspace: Workspace, prepared: Prepared): Promise<Opening> {
  const { site, request, input } = run;
  if (site === undefined) throw new Error('The site check was not prepared.');
  const { scopePaths } = request;
  const context: ToolContext = {
    tree: workspace.tree,
    site,
    diff: () => workspace.diff(),
    signal: input.signal,
    scopePaths,
    seen: new Map(),
    code: run.code,
  };
  return {
    task: [run.prompt, noteForAgent(prepared) ?? []].flat().join('\n\n'),
    outline: await readOutlineExcerpt(context, run.prompt),
    scopePaths,
    instructions: prepared.instructions,
    code: run.code,
    evidence: evidenceRule(run),
    earlier: run.earlier.map(({ prompt, summary }) => ({ task: prompt, summary: summary ?? '' })),
  };
}

/** Adds the value to the mask before any other code receives it. */
export async function borrowCredential(run: AgentRun): Promise<GitCredential | null> {
  const credential = await borrowGitCredential(run.context, repositoryOf(run.job), run.input.signal);
  if (credential !== null) run.secrets.add(credential.secret);
  return credential;
}

function newBranch({ jobId, job, request, rules, secrets }: AgentRun): string {
  const facts = { jobId, prompt: request.prompt, createdAt: job.created_at, secrets: [...secrets] };
  return branchName(rules.git.branch, facts);
}

function openAt(
  run: AgentRun,
  credential: GitCredential | null,
  at: Pick<WorkspaceOptions, 'commit' | 'merge' | 'fork' | 'isHead'>,
): Promise<Workspace> {
  const { context, request, input, folder } = run;
  return openWorkspace({
    folder: join(folder, 'workspace'),
    source: request.source,
    ...at,
    credential,
    egress: policyFor(context.config.egress, 'source', tenantOf(run.job)),
    signal: input.signal,
  });
}

async function openStart(
  run: AgentRun,
  credential: GitCredential | null,
  prepared: Prepared,
): Promise<Workspace> {
  const { baseCommit, branchHead, baseUpdate, fork } = prepared;
  const isMerged = baseUpdate?.outcome === 'merged';
  const merge = isMerged ? mergeOf(run, prepared, baseUpdate) : undefined;
  const isHead = isMerged || baseCommit === branchHead;
  const commit = isMerged ? branchHead : baseCommit;
  const workspace = await openAt(run, credential, { commit, isHead, merge, fork });
  if (workspace.base.commit === baseCommit) return workspace;
  throw new Error('The repeated merge differs from the recorded one.');
}

async function decideStart(run: AgentRun, credential: GitCredential | null): Promise<Prepared> {
  const last = await lastWork(run);
  const branch = last?.prepared.branch ?? newBranch(run);
  const fork = last === undefined ? await openFork(run) : last.prepared.fork;
  const first = await openAt(run, credential, { commit: null, fork });
  run.workspace = first;
  const baseBranch = last?.prepared.baseBranch ?? first.base.branch;
  if (baseBranch === null) {
    const hint = 'Name a branch in `source.ref` of the job or the project.';
    throw new SourceError('source_not_found', 'The repository has no default branch.', hint);
  }
  const files = await first.openRef(null);
  const instructions = await readInstructions({ files, ofProject: run.rules.instructions });
  const head = last === undefined ? undefined : await first.remoteBranch(branch);
  const identity = identityOf(run.rules.git);
  const place = { baseBranch, branch, branchHead: head ?? null, ...(fork === undefined ? {} : { fork }) };
  const common = { kind: 'prepared' as const, ...place, instructions, identity };
  const { commit } = first.base;
  const start = { ...common, baseCommit: commit, reviewCommit: commit, carriedRuns: [], earlierWork: [] };
  if (last === undefined) return start;

  const isPublished = head !== undefined && last.commit === head;
  const isUnmoved = (head ?? null) === last.prepared.branchHead;
  if (!isPublished && isUnmoved && last.hasChanges && run.kind === 'follow-up') {
    run.workspace = undefined;
    const carriedRuns = [...last.prepared.carriedRuns, last.number];
    const earlierWork = [...last.prepared.earlierWork, last.number];
    const { baseCommit, reviewCommit, baseUpdate } = last.prepared;
    const carried = { ...start, baseCommit, reviewCommit, carriedRuns, earlierWork };
    return baseUpdate === undefined ? carried : { ...carried, baseUpdate };
  }
  if (head === undefined || (await wasMerged(run))) return start;
  return continueBranch(run, credential, { start, head, last, first });
}

interface Continued {
  /** A start at the tip of the base branch. */
  start: Prepared;
  head: string;
  last: LastWork;
  /** At the tip of the base branch. */
  first: Workspace;
}

async function continueBranch(
  run: AgentRun,
  credential: GitCredential | null,
  { start, head, last, first }: Continued,
): Promise<Prepared> {
  const { commit, branch } = first.base;
  const relation = await first.relate(head, last.prepared.reviewCommit);
  if (relation.forkPoint === head) return start;
  // The branch may have been rebased. If its fork point is too old to find, the comparison covers more than
  // needed.
  const reviewCommit = relation.forkPoint ?? last.prepared.reviewCommit;
  const earlierWork = [...last.prepared.earlierWork, ...(last.wasPushed ? [last.number] : [])];
  run.workspace = undefined;
  const prepared = { ...start, baseCommit: head, reviewCommit, earlierWork };
  const hasMoved = branch === start.baseBranch && relation.forkPoint !== commit;
  if (!hasMoved) return prepared;
  return updateFromBase(run, { prepared, base: commit, relation }, (at) =>
    openAt(run, credential, { ...at, isHead: true, fork: start.fork }),
  );
}

/** Asked once per job: a follow-up continues where the branch of its job is. */
async function openFork(run: AgentRun): Promise<string | undefined> {
  const { context, job, request, input } = run;
  if (request.dryRun) return undefined;
  return (await openProjectFork(context, repositoryOf(job), input.signal)) ?? undefined;
}

interface LastWork {
  number: number;
  prepared: Prepared;
  commit: string | undefined;
  wasPushed: boolean;
  hasChanges: boolean;
}

async function lastWork(run: AgentRun): Promise<LastWork | undefined> {
  for (const { number } of run.earlier.toReversed()) {
    const steps = await stepsOfRun(run.context, { jobId: run.jobId, run: number });
    const prepared = findStep(steps, 'prepared');
    if (prepared === undefined) continue;
    const commit = findStep(steps, 'committed')?.commit;
    const wasPushed = findStep(steps, 'pushed') !== undefined;
    return { number, prepared, commit, wasPushed, hasChanges: replayFiles(steps).changes.length > 0 };
  }
  return undefined;
}

async function carriedSteps(run: AgentRun, { carriedRuns }: Prepared): Promise<Step[]> {
  const steps: Step[] = [];
  for (const number of carriedRuns) {
    steps.push(...(await stepsOfRun(run.context, { jobId: run.jobId, run: number })));
  }
  return steps;
}

/** Merged work is part of the base branch, so a follow-up starts a new branch from there. */
async function wasMerged(run: AgentRun): Promise<boolean> {
  const number = run.earlier.findLast(({ pullRequest }) => pullRequest?.number != null)?.pullRequest?.number;
  if (number === undefined || number === null) return false;
  const forge = await run.openForge();
  return (await forge.prState(number, run.input.signal)).state === 'merged';
}
