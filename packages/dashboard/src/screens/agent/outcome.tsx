import { agentPhases, type AgentEnding, type AgentJob } from '@docyard/api';
import { Link } from 'wouter';
import { Icon } from '../../parts/icons.tsx';
import { Note, type Tone } from '../../parts/note.tsx';
import { TextWithCode } from '../../parts/text-with-code.tsx';
import { byActor } from '../audit/actor-name.ts';
import { endingSentence, phaseLabels, settingsFor } from './job-labels.tsx';

interface OutcomeProps {
  projectId: string;
  job: AgentJob;
  isConnected: boolean;
}

export function Outcome({ projectId, job, isConnected }: OutcomeProps) {
  if (job.status === 'active') return <Phases phase={job.phase} isConnected={isConnected} />;
  const { statusReason } = job;
  const settings = settingsFor(statusReason, projectId);
  return (
    <>
      {job.status === 'archived' && (
        <Note tone="quiet">This job is archived. Unarchive it to send messages.</Note>
      )}
      {statusReason !== null && (
        <Note tone={toneOf(job)}>
          <p className="outcome-head">{headOf(job, statusReason)}</p>
          {job.error !== null && (
            <p>
              <TextWithCode text={job.error} />
            </p>
          )}
          {job.result?.summary && tellsSummary.includes(statusReason) && (
            <p className="outcome-text">{job.result.summary}</p>
          )}
          {settings !== undefined && (
            <p>
              <Link to={settings}>Project settings</Link>
            </p>
          )}
        </Note>
      )}
      {job.result?.notes.map((note) => (
        <Note key={note} tone="warn">
          <TextWithCode text={note} />
        </Note>
      ))}
      {job.purgedAt !== null && (
        <Note tone="quiet">The steps and the change were removed after their retention period.</Note>
      )}
    </>
  );
}

function headOf({ canceledBy }: AgentJob, ending: AgentEnding): string {
  if (ending !== 'cancelled' || canceledBy === null) return endingSentence(ending);
  return `This job was canceled ${byActor(canceledBy)}.`;
}

/** The summary of a failed run may claim more than was done. */
const tellsSummary: AgentEnding[] = ['done', 'no_change', 'needs_input', 'partial'];

function toneOf({ status, statusReason }: AgentJob): Tone {
  if (statusReason === 'done') return 'good';
  if (statusReason === 'needs_input' || statusReason === 'partial') return 'warn';
  if (statusReason === 'no_change' || statusReason === 'cancelled') return 'quiet';
  return status === 'archived' ? 'quiet' : 'bad';
}

const shownPhases = agentPhases.filter((phase) => phase !== 'done');

function Phases({ phase, isConnected }: { phase: AgentJob['phase']; isConnected: boolean }) {
  const at = shownPhases.indexOf(phase as (typeof shownPhases)[number]);
  return (
    <div>
      <ol className="phases" aria-label="Phases of the job">
        {shownPhases.map((each, index) => (
          <li
            key={each}
            className={index < at ? 'phase phase-past' : index === at ? 'phase phase-now' : 'phase'}
            aria-current={index === at ? 'step' : undefined}
          >
            <span className="phase-mark" aria-hidden="true">
              {index < at ? <Icon name="check" /> : index === at && <span className="spinner" />}
            </span>
            {phaseLabels[each]}
          </li>
        ))}
      </ol>
      <p className="faint phases-note" role="status">
        {isConnected ? '' : 'Live updates are disconnected. Reconnecting…'}
      </p>
    </div>
  );
}
