/** The phase in which the model edits the files. It publishes nothing and passes no credential to the model. */
import { join } from 'node:path';
import { tenantOf } from '../jobs/store.ts';
import type { EndReason, Journal, LoopEnd, Step, ToolContext } from './contract.ts';
import { baseUpdateText } from './base-update.ts';
import { RunEndedError } from './ending.ts';
import { runAcp, type AcpRun } from './engine/acp.ts';
import { agentProgram, AgentProgramError } from './engine/agent-program.ts';
import { runLoop } from './engine/loop.ts';
import { openingMessages } from './engine/prompt.ts';
import type { SandboxedProgram } from './engine/sandbox.ts';
import { createModel, createForwarder } from './model/gateway.ts';
import { holdsSecret } from './policy/secrets.ts';
import { evidenceRule } from './prepare-code.ts';
import { markMessagesTaken, pendingMessages } from './pending-messages.ts';
import { updateRun } from './record.ts';
import { findStep } from './replay.ts';
import { changeOf, type AgentRun, type Difference } from './agent-run.ts';
import { engineFor, knownSecrets, missingCommand, readModel, requireModel, modelEgress } from './settings.ts';
import { existingPath } from './tools/existing-path.ts';
import { hashOf } from './tools/files.ts';
import { filePath } from './tools/inputs.ts';
import { toolsFor } from './tools/all-tools.ts';
import { createSectionIndex } from './tools/section-index.ts';

/** After these reasons the work so far is judged and published; any other ends the run. */
const publishable: ReadonlySet<EndReason> = new Set([
  'done',
  'needs_input',
  'budget',
  'timeout',
  'stalled',
  'context_overflow',
]);

export async function work(run: AgentRun): Promise<EndReason | undefined> {
  const { journal, context } = run;
  const endLoop = run.kind === 'update' ? keepFiles : runEngine;
  const ended = findStep(journal.steps, 'loop-ended') ?? (await endLoop(run));
  if (!publishable.has(ended.reason)) throw new RunEndedError(ended.reason, ended.problem ?? ended.summary);
  const { whole, own } = await changeOf(run);
  const toStoredDiff = ({ files, patch }: Difference) => ({
    files: files.map(({ before: _before, after: _after, ...file }) => file),
    patch: run.redact(patch),
  });
  await updateRun(context, run, {
    diff: toStoredDiff(whole),
    ownDiff: own === whole ? null : toStoredDiff(own),
  });
  const isMerged = findStep(journal.steps, 'prepared')?.baseUpdate?.outcome === 'merged';
  if (own.files.length > 0 || (isMerged && ended.reason === 'done')) return undefined;
  if (ended.reason === 'done') return 'no_change';
  if (ended.reason === 'needs_input') return 'needs_input';
  throw new RunEndedError(ended.reason, ended.problem ?? ended.summary);
}

/** The merge of the base branch is the whole work of an update. */
async function keepFiles({ journal, workspace }: AgentRun): Promise<LoopEnd> {
  const prepared = findStep(journal.steps, 'prepared');
  if (workspace === undefined || prepared === undefined) throw new Error('The run was not prepared.');
  const summary = baseUpdateText(prepared) || `${prepared.baseBranch} has not changed.`;
  const end: LoopEnd = { reason: 'done', summary, title: '', tree: await workspace.snapshot() };
  await journal.append({ kind: 'loop-ended', ...end });
  return end;
}

async function runEngine(run: AgentRun) {
  const { context, input, journal, request, workspace, site, opening } = run;
  if (workspace === undefined || site === undefined || opening === undefined)
    throw new Error('The run was not prepared.');
  const engine = engineFor(context, run.rules.engine);
  const messages = receiveMessages(run);
  const common = {
    limits: request.limits,
    journal: messages.journal,
    messages: openingMessages(opening),
    signal: input.signal,
    now: () => context.clock.now().getTime(),
    startedAt: Date.parse(run.startedAt),
    checkpoint: () => workspace.snapshot(),
    incoming: messages.incoming,
    tools: toolsFor({ code: run.code, evidence: evidenceRule(run), engine }),
    toolContext: {
      tree: workspace.tree,
      site,
      diff: () => workspace.diff(),
      scopePaths: request.scopePaths,
      seen: await seenBefore(workspace.tree, journal.steps),
      sections: createSectionIndex(),
      code: run.code,
      evidence: evidenceRule(run),
    },
    onFault: (error: unknown) => input.log.error({ err: error }, 'a tool failed'),
  };
  if (engine === 'external') {
    const { agentCommand } = context.config;
    if (agentCommand === null) throw new RunEndedError('internal', missingCommand);
    const folder = join(run.folder, 'agent');
    const model = await externalModel(run);
    const agent = await programOf(run, agentCommand, model?.name ?? null);
    return runAcp({ ...common, agent, folder, model });
  }
  const settings = await requireModel(context, run.job.project_id);
  const egress = modelEgress(context, settings, tenantOf(run.job));
  return runLoop({
    ...common,
    messagesWithin: (maxTokens) => openingMessages(opening, maxTokens),
    model: createModel({ ...settings, name: request.model }, { egress }),
  });
}

async function externalModel({ context, job, request }: AgentRun): Promise<AcpRun['model']> {
  const settings = await readModel(context, job.project_id);
  if (settings === null) return null;
  const { provider, url, maxOutputTokens } = settings;
  const forward = createForwarder(settings, { egress: modelEgress(context, settings, tenantOf(job)) });
  return { provider, url, name: request.model, maxOutputTokens, forward };
}

async function programOf(
  { context, job }: AgentRun,
  command: readonly string[],
  model: string | null,
): Promise<SandboxedProgram> {
  const { agentEnvironment: environment, agentReadPaths: readPaths, dataDir } = context.config;
  const secrets = await knownSecrets(context, job.project_id);
  const exposing = Object.entries(environment).find(([, value]) => holdsSecret(value, secrets));
  if (exposing !== undefined) {
    const message = `AGENT_ENV: ${exposing[0]} contains a secret of this project, and the agent gets none. Use any other text: Docyard adds the key of the model outside the sandbox.`;
    throw new RunEndedError('internal', message);
  }
  try {
    return agentProgram({ command, environment, readPaths, dataDir }, model);
  } catch (error) {
    if (error instanceof AgentProgramError) throw new RunEndedError('internal', error.message);
    throw error;
  }
}

/**
 * Messages to a running job are marked as taken in the transaction that appends them to the journal, so none is
 * lost or repeated.
 */
function receiveMessages({ context, jobId, number, journal }: AgentRun): {
  journal: Journal;
  incoming: () => Promise<string[]>;
} {
  let waiting: { sequence: number; prompt: string }[] = [];
  return {
    async incoming() {
      waiting = await pendingMessages(context, jobId);
      return waiting.map(({ prompt }) => prompt);
    },
    journal: {
      steps: journal.steps,
      append(step) {
        const text = step.kind === 'message' ? step.message.text : undefined;
        const taken = waiting.find(({ prompt }) => prompt === text);
        if (taken === undefined) return journal.append(step);
        return journal.appendWith(async (database) => {
          await markMessagesTaken({ ...context, database }, [taken.sequence], number);
          return step;
        });
      },
    },
  };
}

/** Files whose current content the model has seen; a resumed run need not read them again. */
async function seenBefore(tree: ToolContext['tree'], steps: readonly Step[]): Promise<Map<string, string>> {
  const seen = new Map<string, string>();
  for (const step of steps) {
    if (step.kind !== 'result' || step.result.isError === true) continue;
    const { path: written } = (step.call.input ?? {}) as { path?: unknown };
    const isSeen = step.call.name === 'read_file' || step.call.name === 'write_file';
    const { data: given } = filePath.safeParse(written);
    if (!isSeen || given === undefined) continue;
    const path = await existingPath(tree, given, { inAnyFolder: true });
    const bytes = await tree.read(path).catch(() => undefined);
    if (bytes !== undefined)
      seen.set(path, hashOf(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)));
  }
  return seen;
}
