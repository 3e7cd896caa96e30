/** Lists of running and recently finished jobs. */
import type { AgentJob, ExportJob } from '@docyard/api';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useMay } from '../../session/session.tsx';
import { ButtonLink } from '../../parts/button.tsx';
import { Empty, Panel, Waiting } from '../../parts/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Ago, counted } from '../../parts/time.tsx';
import { JobBadge, phaseLabels } from '../agent/job-labels.tsx';
import { ExportBadge, ExportProgress } from '../exports/status.tsx';
import type { ExportHistory } from '../exports/export-history.ts';

const maxRows = 6;

interface RunningProps {
  exports: ExportJob[];
  trails: ReadonlyMap<string, ExportHistory>;
  agentJobs: AgentJob[];
}

export function Running({ exports, trails, agentJobs }: RunningProps) {
  const count = exports.length + agentJobs.length;
  if (count === 0) return null;
  return (
    <Panel title="Running now" aside={<span className="faint">{counted(count, 'job')}</span>}>
      <ul className="work-list">
        {exports.slice(0, maxRows).map((job) => (
          <Line key={job.jobId} to={`/exports/${job.jobId}`} name={job.domain} more={job.version}>
            <ExportProgress job={job} {...trailOf(trails, job)} />
          </Line>
        ))}
        {agentJobs.slice(0, maxRows).map((job) => (
          <Line key={job.id} to={`/agent/${job.projectId}/${job.id}`} name={job.title} more="Agent job">
            <span className="soft">
              {phaseLabels[job.phase]} · {counted(job.usage.steps, 'step')}
            </span>
          </Line>
        ))}
      </ul>
      {exports.length > maxRows && (
        <Link to="/exports?status=running">{exports.length - maxRows} more exports</Link>
      )}
    </Panel>
  );
}

function trailOf(
  trails: ReadonlyMap<string, ExportHistory>,
  { jobId }: ExportJob,
): { trail?: ExportHistory } {
  const trail = trails.get(jobId);
  return trail === undefined ? {} : { trail };
}

export function LastExports({ jobs }: { jobs: ExportJob[] }) {
  return (
    <Panel title="Last exports" aside={<Link to="/exports">All exports</Link>}>
      <ul className="work-list">
        {jobs.slice(0, maxRows).map((job) => (
          <Line key={job.jobId} to={`/exports/${job.jobId}`} name={job.domain} more={exportWords(job)}>
            <span className="work-end">
              <ExportBadge job={job} />
              <Ago at={job.finishedAt ?? job.updatedAt} />
            </span>
          </Line>
        ))}
      </ul>
    </Panel>
  );
}

function exportWords({ version, pageCount, failure }: ExportJob): string {
  if (failure !== null && failure.code !== 'canceled') return failure.message;
  return [...(version === null ? [] : [version]), counted(pageCount, 'page')].join(' · ');
}

interface LastAgentJobsProps {
  jobs: AgentJob[] | undefined;
  error: unknown;
  retry: () => void;
}

export function LastAgentJobs({ jobs, error, retry }: LastAgentJobsProps) {
  const mayStart = useMay('agent:write');
  const ended = jobs?.filter(({ status }) => status !== 'active').slice(0, maxRows);
  return (
    <Panel title="Agent jobs" aside={<Link to="/agent">All agent jobs</Link>}>
      {jobs === undefined && error !== null && <Problem error={error} retry={retry} />}
      {jobs === undefined && error === null && <Waiting lines={maxRows} />}
      {jobs?.length === 0 && (
        <Empty
          icon="sparkle"
          title="No agent jobs yet"
          action={mayStart && <ButtonLink to="/agent?new=1">Start one</ButtonLink>}
        >
          Describe a change. An agent edits the documentation and opens a pull request.
        </Empty>
      )}
      {ended !== undefined && ended.length > 0 && (
        <ul className="work-list">
          {ended.map((job) => (
            <Line
              key={job.id}
              to={`/agent/${job.projectId}/${job.id}`}
              name={job.title}
              more={agentWords(job)}
            >
              <span className="work-end">
                <JobBadge job={job} />
                <Ago at={job.finishedAt ?? job.updatedAt} />
              </span>
            </Line>
          ))}
        </ul>
      )}
    </Panel>
  );
}

function agentWords({ result, error }: AgentJob): string {
  if (error !== null) return error;
  if (result === null || result.filesChanged === 0) return 'No files changed';
  return `${counted(result.filesChanged, 'file')} changed`;
}

function Line(props: { to: string; name: string; more: string | null; children: ReactNode }) {
  const { to, name, more, children } = props;
  return (
    <li className="work-line">
      <span className="work-name">
        <Link to={to}>{name}</Link>
        {more !== null && <span className="faint">{more}</span>}
      </span>
      {children}
    </li>
  );
}
