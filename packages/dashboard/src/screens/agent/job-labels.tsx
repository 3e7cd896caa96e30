/** Labels and colors of the states and endings of agent jobs. */
import { agentEndings, type AgentEnding, type AgentJob } from '@docyard/api';
import { Badge, type Tone } from '../../parts/note.tsx';

export const phaseLabels: Record<AgentJob['phase'], string> = {
  queued: 'Waiting',
  preparing: 'Preparing',
  running: 'Working',
  validating: 'Checking',
  judging: 'Judging',
  publishing: 'Publishing',
  done: 'Done',
};

export function JobBadge({ job }: { job: AgentJob }) {
  const [tone, word] = stateOf(job);
  return <Badge tone={tone}>{word}</Badge>;
}

/** For the API a job that asks a question is completed. */
function stateOf(job: AgentJob): [Tone, string] {
  if (job.status === 'archived') return ['quiet', 'Archived'];
  if (job.status === 'active') return ['info', phaseLabels[job.phase]];
  if (job.status === 'failed')
    return job.statusReason === 'cancelled' ? ['quiet', 'Canceled'] : ['bad', 'Failed'];
  if (job.statusReason === 'needs_input') return ['warn', 'Asks you'];
  if (job.statusReason === 'no_change') return ['quiet', 'No change'];
  if (job.statusReason === 'partial') return ['warn', 'Partly done'];
  return ['good', 'Done'];
}

/** What the user can do about an ending. */
const advice: Partial<Record<AgentEnding, string>> = {
  needs_input: 'Answer below to resume the job.',
  partial: 'Review the result, then send a message to continue.',
  timeout: 'Try again, or give the project more minutes in its settings.',
  budget: 'Try again with a smaller task, or raise the limits of the project.',
  stalled: 'Send a message with a more precise task.',
  model_auth: 'Set a valid key for the model endpoint.',
  model_unavailable: 'Try again when the endpoint answers.',
  context_overflow: 'Split the task into smaller ones.',
  refused: 'Rephrase the task.',
  clone_failed: 'Check the source of the project and its credential.',
  push_conflict: 'Try again. The branch is fetched again.',
  policy_blocked: 'See the checks for the violated rule.',
  forge_error: 'Check the credential of the forge and its permissions.',
};

export function endingSentence(ending: AgentEnding): string {
  return [agentEndings[ending], advice[ending]].filter((sentence) => sentence !== undefined).join(' ');
}

export function settingsFor(ending: AgentEnding | null, projectId: string): string | undefined {
  if (ending === 'model_auth' || ending === 'timeout' || ending === 'budget')
    return `/projects/${projectId}?tab=agent`;
  if (ending === 'forge_error') return `/projects/${projectId}?tab=agent`;
  return ending === 'clone_failed' ? `/projects/${projectId}?tab=settings` : undefined;
}

export function repositoryName(repository: string): string {
  const parts = repository
    .replace(/(?<!\/)\/+$/, '')
    .replace(/\.git$/, '')
    .split(/[/\\]/);
  return (
    parts
      .slice(-2)
      .filter((part) => part !== '' && !part.endsWith(':'))
      .join('/') || repository
  );
}
