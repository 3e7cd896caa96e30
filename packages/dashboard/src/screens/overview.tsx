/** Running work, statistics, recent work and health. A new installation shows the first steps instead. */
import type { ExportJob } from '@docyard/api';
import { useMay, useSession } from '../session/session.tsx';
import { ApiCall } from '../parts/api-call.tsx';
import { ButtonLink } from '../parts/button.tsx';
import { Page, Panel, Waiting } from '../parts/page.tsx';
import { Problem } from '../parts/problem.tsx';
import { useLiveExports } from './exports/live-exports.ts';
import { useRecentAgentJobs } from './overview/agent-jobs.ts';
import { FirstSteps } from './overview/first-steps.tsx';
import { HealthLine } from './overview/health-line.tsx';
import { Statistics } from './overview/statistics.tsx';
import './overview/statistics.css';
import './overview/overview.css';
import { LastAgentJobs, LastExports, Running } from './overview/jobs.tsx';

export function Overview() {
  const { organization } = useSession();
  const mayStart = useMay('exports:write');
  const exports = useLiveExports({});
  const agentJobs = useRecentAgentJobs();
  const isNew = exports.rows !== undefined && exports.rows.length < 2 && !exports.more.hasMore;
  const first = exports.rows?.[0];
  return (
    <Page
      title="Overview"
      heading={organization.name}
      lead={<HealthLine />}
      actions={
        mayStart &&
        !isNew && (
          <ButtonLink to="/exports?new=1" look="primary" icon="plus">
            New export
          </ButtonLink>
        )
      }
    >
      {exports.error !== null && <Problem error={exports.error} retry={exports.refetch} />}
      {exports.error === null && exports.rows === undefined && (
        <Panel title="Last exports">
          <Waiting lines={6} />
        </Panel>
      )}
      {exports.rows !== undefined && (
        <>
          {isNew && <FirstSteps job={first} trail={first && exports.trails.get(first.jobId)} />}
          <Running
            exports={isNew ? [] : exports.rows.filter(isOpen).toSorted(runningFirst)}
            trails={exports.trails}
            agentJobs={(agentJobs.rows ?? []).filter(({ status }) => status === 'active')}
          />
          {!isNew && <Statistics />}
          {!isNew && (
            <div className="overview-halves">
              <LastExports jobs={exports.rows.filter((job) => !isOpen(job))} />
              <LastAgentJobs jobs={agentJobs.rows} error={agentJobs.error} retry={agentJobs.refetch} />
            </div>
          )}
        </>
      )}
      <ApiCall operation="readInsights" query={{ days: 30 }} />
    </Page>
  );
}

function isOpen({ status }: ExportJob): boolean {
  return status === 'queued' || status === 'running';
}

function runningFirst(left: ExportJob, right: ExportJob): number {
  const waits = ({ status }: ExportJob) => (status === 'queued' ? 1 : 0);
  return waits(left) - waits(right) || left.createdAt.localeCompare(right.createdAt);
}
