/** At the top of a job: how far it is while it works, and how it ended afterwards. */
import { agentPhases, type AgentEnding, type AgentJob } from '@docyard/api';
import { Link } from 'wouter';
import { Icon } from '../../parts/icons.tsx';
import { Note, type Tone } from '../../parts/note.tsx';
import { Words } from '../../parts/words.tsx';
import { byActor } from '../audit/actor-name.ts';
import { endingSentence, phaseWords, settingsFor } from './job-words.tsx';

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
        <Note tone="quiet">
          This job is archived. It takes no messages until it is taken out of the archive.
        </Note>
      )}
      {statusReason !== null && (
        <Note tone={toneOf(job)}>
          <p className="outcome-head">{headOf(job, statusReason)}</p>
          {job.error !== null && (
            <p>
              <Words text={job.error} />
            </p>
          )}
          {job.result?.summary && tellsSummary.includes(statusReason) && (
            <p className="outcome-text">{job.result.summary}</p>
          )}
          {settings !== undefined && (
            <p>
              <Link to={settings}>Settings of the project</Link>
            </p>
          )}
        </Note>
      )}
      {job.purgedAt !== null && (
        <Note tone="quiet">Its steps and its change were removed after the time they are kept for.</Note>
      )}
    </>
  );
}

function headOf({ canceledBy }: AgentJob, ending: AgentEnding): string {
  if (ending !== 'cancelled' || canceledBy === null) return endingSentence(ending);
  return `This job was canceled ${byActor(canceledBy)}.`;
}

/** A run that failed may have claimed more than came of it. */
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
            {phaseWords[each]}
          </li>
        ))}
      </ol>
      <p className="faint phases-note" role="status">
        {isConnected ? '' : 'The connection is away; it comes back by itself.'}
      </p>
    </div>
  );
}
