/** How the states and endings of agent jobs are called and coloured, for every screen that shows one. */
import { agentEndings, type AgentEnding, type AgentJob } from '@docyard/api';
import { Badge, type Tone } from '../../parts/note.tsx';

export const phaseWords: Record<AgentJob['phase'], string> = {
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

/** A job that asks something is finished for the API; for people it is their turn. */
function stateOf(job: AgentJob): [Tone, string] {
  if (job.status === 'archived') return ['quiet', 'Archived'];
  if (job.status === 'active') return ['info', phaseWords[job.phase]];
  if (job.status === 'failed')
    return job.statusReason === 'cancelled' ? ['quiet', 'Canceled'] : ['bad', 'Failed'];
  if (job.statusReason === 'needs_input') return ['warn', 'Asks you'];
  if (job.statusReason === 'no_change') return ['quiet', 'No change'];
  if (job.statusReason === 'partial') return ['warn', 'Partly done'];
  return ['good', 'Done'];
}

/** What a person can do about an ending, beside what it means. */
const advice: Partial<Record<AgentEnding, string>> = {
  needs_input: 'Answer below; the job goes on where it was.',
  partial: 'Read what there is, then say below how to go on.',
  timeout: 'Try again, or give the project more minutes in its settings.',
  budget: 'Try again with a smaller task, or raise the limits of the project.',
  stalled: 'Say below more exactly what you want.',
  model_auth: 'Set a valid key for the model endpoint.',
  model_unavailable: 'Try again when the endpoint answers.',
  context_overflow: 'Give a smaller task, or one part of it after another.',
  refused: 'Put the task in other words.',
  clone_failed: 'Check the source of the project and its credential.',
  push_conflict: 'Try again: the branch is fetched anew.',
  policy_blocked: 'The checks say what was not allowed.',
  forge_error: 'Check the credential of the forge and its rights.',
};

export function endingSentence(ending: AgentEnding): string {
  return [agentEndings[ending], advice[ending]].filter((sentence) => sentence !== undefined).join(' ');
}

/** Where the settings for a failed run are. */
export function settingsFor(ending: AgentEnding | null, projectId: string): string | undefined {
  if (ending === 'model_auth' || ending === 'timeout' || ending === 'budget')
    return `/projects/${projectId}?tab=agent`;
  if (ending === 'forge_error') return `/projects/${projectId}?tab=agent`;
  return ending === 'clone_failed' ? `/projects/${projectId}?tab=settings` : undefined;
}

/** `docs` of `https://git.example.com/harbour/docs.git`, with its owner. */
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
