import type { AgentJob as Job } from '@docyard/api';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from 'wouter';
import { client } from '../../api/client.ts';
import { useMay } from '../../session/session.tsx';
import { CopyField } from '../../parts/copy.tsx';
import { isNotFound, RecordNotFound } from '../../parts/record-not-found.tsx';
import { Facts, Page, Panel, Waiting } from '../../parts/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Ago, counted, span, useNow } from '../../parts/time.tsx';
import { useSteps } from './agent-events.ts';
import { FollowUp } from './follow-up.tsx';
import { JobActions } from './job-actions.tsx';
import { JobBadge } from './job-labels.tsx';
import { Outcome } from './outcome.tsx';
import { Instruction } from './steps.tsx';
import { Work } from './work.tsx';
import './agent.css';

export function AgentJob() {
  const { projectId, id } = useParams<{ projectId: string; id: string }>();
  const job = useQuery({
    queryKey: ['agent-job', projectId, id],
    queryFn: () => client.call('readAgentJob', { params: { projectId, id } }),
    // Polling covers the time when the stream is disconnected.
    refetchInterval: ({ state }) => (state.data?.status === 'active' ? 10_000 : false),
  });
  if (job.data !== undefined) return <Loaded projectId={projectId} job={job.data} />;
  const crumbs = [{ to: '/agent', label: 'Agent jobs' }];
  if (job.error === null)
    return (
      <Page title="Agent job" crumbs={crumbs}>
        <Panel>
          <Waiting lines={6} />
        </Panel>
      </Page>
    );
  return (
    <Page title="Agent job" crumbs={crumbs}>
      {isNotFound(job.error) ? (
        <RecordNotFound icon="sparkle" what="agent job" list={{ to: '/agent', label: 'All agent jobs' }} />
      ) : (
        <Problem error={job.error} retry={() => void job.refetch()} />
      )}
    </Page>
  );
}

function Loaded({ projectId, job }: { projectId: string; job: Job }) {
  const mayWrite = useMay('agent:write');
  const isActive = job.status === 'active';
  const { steps, error, retry, isConnected } = useSteps({ projectId, id: job.id }, isActive);
  const project = useQuery({
    queryKey: ['project', projectId],
    queryFn: () => client.call('readProject', { params: { projectId } }),
  });
  const last = job.instructions.at(-1);
  return (
    <Page
      title={job.title}
      heading={
        <span className="job-title">
          {job.title} <JobBadge job={job} />
        </span>
      }
      crumbs={[
        { to: '/agent', label: 'Agent jobs' },
        { to: `/agent?project=${projectId}`, label: project.data?.name ?? projectId },
      ]}
      actions={<JobActions projectId={projectId} job={job} mayWrite={mayWrite} />}
    >
      <Outcome projectId={projectId} job={job} isConnected={isConnected} />
      {last !== undefined && (
        <Instruction label={job.runs === 1 ? 'Instruction' : 'Last instruction'} text={last.prompt} />
      )}
      <JobFacts projectId={projectId} projectName={project.data?.name ?? projectId} job={job} />
      <Work projectId={projectId} job={job} steps={steps} error={error} retry={retry} />
      {mayWrite && <FollowUp projectId={projectId} job={job} />}
    </Page>
  );
}

interface JobFactsProps {
  projectId: string;
  projectName: string;
  job: Job;
}

function JobFacts({ projectId, projectName, job }: JobFactsProps) {
  const { pullRequest } = job;
  return (
    <div className="job-facts">
      <Panel>
        <Facts
          facts={[
            ['Project', <Link to={`/projects/${projectId}`}>{projectName}</Link>],
            ['Against', <code>{job.source.ref ?? 'default branch'}</code>],
            ['Model', job.model],
            ['Started', <Ago at={job.createdAt} />],
            job.runs > 1
              ? ['Instructions', String(job.runs)]
              : [job.status === 'active' ? 'At work for' : 'Took', <Took job={job} />],
            ['Used', usedTokens(job)],
            [
              'Branch',
              pullRequest === null ? 'None yet' : <CopyField text={pullRequest.branch} label="branch" />,
            ],
            ['Job', <CopyField text={job.id} label="job id" />],
          ]}
        />
      </Panel>
    </div>
  );
}

function usedTokens({ usage }: Job): string {
  if (usage.steps === 0) return 'Nothing yet';
  const tokens = new Intl.NumberFormat('en', { notation: 'compact' }).format(
    usage.inputTokens + usage.outputTokens,
  );
  return `${counted(usage.steps, 'step')}, ${tokens} tokens`;
}

function Took({ job }: { job: Job }) {
  const now = useNow(1000);
  if (job.startedAt === null) return 'Not started';
  const end = job.finishedAt === null ? now : Date.parse(job.finishedAt);
  return span(end - Date.parse(job.startedAt));
}
