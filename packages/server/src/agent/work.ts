/**
 * The phase in which the model works on the files: hands the loop what it needs and decides what its end means for the
 * run. It publishes nothing, and what it hands over holds no credential.
 */
import { dirname, isAbsolute, join } from 'node:path';
import { tenantOf } from '../jobs/store.ts';
import type { EndReason, Journal, Step, ToolContext } from './contract.ts';
import { RunEnded } from './ending.ts';
import { runAcp, type AcpRun } from './engine/acp.ts';
import { runLoop } from './engine/loop.ts';
import type { Sandboxed } from './engine/sandbox.ts';
import { createModel, openForwarding } from './model/gateway.ts';
import { markTaken, noteRun, waitingMessages } from './record.ts';
import { findStep } from './replay.ts';
import { changeOf, type AgentRun, type Difference } from './running.ts';
import { readModel, requireModel, modelEgress } from './settings.ts';
import { hashOf } from './tools/files.ts';
import { tools } from './tools/list.ts';

/** After these the work so far is judged and offered; after any other there is nothing to offer. */
const offered: ReadonlySet<EndReason> = new Set([
  'done',
  'needs_input',
  'budget',
  'timeout',
  'stalled',
  'context_overflow',
]);

export async function work(run: AgentRun): Promise<EndReason | undefined> {
  const { journal, context } = run;
  const ended = findStep(journal.steps, 'loop-ended') ?? (await engage(run));
  if (!offered.has(ended.reason)) throw new RunEnded(ended.reason, ended.problem ?? ended.summary);
  const { whole, own } = await changeOf(run);
  const kept = ({ files, patch }: Difference) => ({
    files: files.map(({ before: _before, after: _after, ...file }) => file),
    patch: run.redact(patch),
  });
  await noteRun(context, run, { diff: kept(whole), ownDiff: own === whole ? null : kept(own) });
  if (own.files.length > 0) return undefined;
  if (ended.reason === 'done') return 'no_change';
  if (ended.reason === 'needs_input') return 'needs_input';
  throw new RunEnded(ended.reason, ended.problem ?? ended.summary);
}

async function engage(run: AgentRun) {
  const { context, input, journal, request, workspace, site } = run;
  if (workspace === undefined || site === undefined) throw new Error('The workspace is not open.');
  const heard = hearing(run);
  const common = {
    limits: request.limits,
    journal: heard.journal,
    messages: run.opening,
    signal: input.signal,
    now: () => context.clock.now().getTime(),
    startedAt: Date.parse(run.startedAt),
    checkpoint: () => workspace.snapshot(),
    incoming: heard.incoming,
    tools,
    toolContext: {
      tree: workspace.tree,
      site,
      diff: () => workspace.diff(),
      scopePaths: request.scopePaths,
      seen: await seenBefore(workspace.tree, journal.steps),
    },
    onFault: (error: unknown) => input.log.error({ err: error }, 'a tool failed'),
  };
  const { agentCommand } = context.config;
  if (agentCommand !== null) {
    const folder = join(run.folder, 'agent');
    return runAcp({ ...common, agent: sandboxed(agentCommand), folder, model: await foreignModel(run) });
  }
  const settings = await requireModel(context, run.job.project_id);
  const egress = modelEgress(context, settings, tenantOf(run.job));
  return runLoop({ ...common, model: createModel({ ...settings, name: request.model }, { egress }) });
}

/** What a foreign agent may know of the model, which is everything but the key. */
async function foreignModel({ context, job, request }: AgentRun): Promise<AcpRun['model']> {
  const settings = await readModel(context, job.project_id);
  if (settings === null) return null;
  const { provider, url } = settings;
  const forward = openForwarding(settings, { egress: modelEgress(context, settings, tenantOf(job)) });
  return { provider, url, name: request.model, forward };
}

/** The program may read where its own files lie, besides the system. */
function sandboxed([command = '', ...args]: readonly string[]): Sandboxed {
  const own = [command, ...args].filter((part) => isAbsolute(part) && !part.startsWith('/usr/')).map(dirname);
  return { command, args, readOnlyPaths: [...new Set(own)], environment: {} };
}

/** What people say to a running job: taken in the transaction that writes it down, so that none is lost or said twice. */
function hearing({ context, jobId, journal }: AgentRun): {
  journal: Journal;
  incoming: () => Promise<string[]>;
} {
  let waiting: { sequence: number; prompt: string }[] = [];
  return {
    async incoming() {
      waiting = await waitingMessages(context, jobId);
      return waiting.map(({ prompt }) => prompt);
    },
    journal: {
      steps: journal.steps,
      append(step) {
        const said = step.kind === 'message' ? step.message.text : undefined;
        const taken = waiting.find(({ prompt }) => prompt === said);
        if (taken === undefined) return journal.append(step);
        return journal.appendWith(async (database) => {
          await markTaken({ ...context, database }, [taken.sequence]);
          return step;
        });
      },
    },
  };
}

/** Files that the model has seen as they are now; a run that goes on must not be told to read them again. */
async function seenBefore(tree: ToolContext['tree'], steps: readonly Step[]): Promise<Map<string, string>> {
  const seen = new Map<string, string>();
  for (const step of steps) {
    if (step.kind !== 'result' || step.result.isError === true) continue;
    const { path } = (step.call.input ?? {}) as { path?: unknown };
    const isSeen = step.call.name === 'read_file' || step.call.name === 'write_file';
    const bytes = isSeen && typeof path === 'string' ? await tree.read(path) : undefined;
    if (bytes !== undefined && typeof path === 'string') {
      seen.set(path, hashOf(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)));
    }
  }
  return seen;
}
