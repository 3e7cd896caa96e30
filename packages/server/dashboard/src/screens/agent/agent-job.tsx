/** One agent job: what was asked, what happens now, what came of it, and how to go on. */
import type { AgentJob as Job } from '@docyard/api';
import { Tabs } from '@base-ui/react/tabs';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useParams, useSearchParams } from 'wouter';
import { client, problemOf } from '../../app/client.ts';
import { useMay } from '../../app/session.tsx';
import { ApiCall } from '../../parts/api-call.tsx';
import { Button, ButtonLink } from '../../parts/button.tsx';
import { CopyField } from '../../parts/copy.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { Empty, Facts, Page, Panel, Waiting } from '../../parts/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Ago, counted, span, useNow } from '../../parts/time.tsx';
import { useToast } from '../../parts/toast.tsx';
import { useSteps } from './agent-events.ts';
import { Changes } from './changes.tsx';
import { Checks } from './checks.tsx';
import { FollowUp } from './follow-up.tsx';
import { JobBadge } from './job-words.tsx';
import { Outcome } from './outcome.tsx';
import { Instruction, Steps } from './steps.tsx';
import './agent.css';

export function AgentJob() {
  const { projectId, id } = useParams<{ projectId: string; id: string }>();
  const job = useQuery({
    queryKey: ['agent-job', projectId, id],
    queryFn: () => client.call('readAgentJob', { params: { projectId, id } }),
    // The stream tells changes; this is for when it is away.
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
      {problemOf(job.error).status === 404 ? (
        <Panel>
          <Empty
            icon="sparkle"
            title="There is no such job"
            action={<ButtonLink to="/agent">All agent jobs</ButtonLink>}
          >
            It may belong to a project that was deleted.
          </Empty>
        </Panel>
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
  const params = { projectId, id: job.id };
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
      actions={<Actions projectId={projectId} job={job} mayWrite={mayWrite} />}
    >
      <Outcome projectId={projectId} job={job} isConnected={isConnected} />
      {last !== undefined && job.runs === 1 && <Instruction text={last.prompt} run={1} many={false} />}
      <JobFacts projectId={projectId} job={job} />
      <Work projectId={projectId} job={job} steps={steps} error={error} retry={retry} />
      {mayWrite && <FollowUp projectId={projectId} job={job} />}
      <ApiCall
        operation="readAgentJob"
        params={params}
        command={`docyard agent wait ${job.id} --project ${projectId}`}
      />
    </Page>
  );
}

function JobFacts({ projectId, job }: { projectId: string; job: Job }) {
  const { pullRequest } = job;
  return (
    <Panel>
      <Facts
        facts={[
          ['Project', <Link to={`/projects/${projectId}`}>{projectId}</Link>],
          ['Against', <code>{job.source.ref ?? 'default branch'}</code>],
          [
            'Branch',
            pullRequest === null ? 'None yet' : <CopyField text={pullRequest.branch} label="branch" />,
          ],
          ['Model', job.model],
          ['Started', <Ago at={job.createdAt} />],
          [job.status === 'active' ? 'At work for' : 'Took', <Took job={job} />],
          ['Used', usedTokens(job)],
          ['Job', <CopyField text={job.id} label="job id" />],
        ]}
      />
    </Panel>
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

const tabs = ['changes', 'steps', 'checks'] as const;
type Tab = (typeof tabs)[number];

function Work({
  projectId,
  job,
  steps,
  error,
  retry,
}: {
  projectId: string;
  job: Job;
  steps: ReturnType<typeof useSteps>['steps'];
  error: unknown;
  retry: () => void;
}) {
  const [search, setSearch] = useSearchParams();
  // While it works people watch; afterwards they read what came of it.
  const usual: Tab = job.status !== 'active' && (job.result?.filesChanged ?? 0) > 0 ? 'changes' : 'steps';
  const tab = tabs.find((each) => each === search.get('tab')) ?? usual;
  const files = job.result?.filesChanged ?? 0;
  return (
    <Tabs.Root
      value={tab}
      onValueChange={(next) =>
        setSearch((before) => new URLSearchParams({ ...Object.fromEntries(before), tab: String(next) }), {
          replace: true,
        })
      }
    >
      <Tabs.List className="tabs" aria-label="About this job">
        <Tabs.Tab value="changes" className="tab">
          Changes{files > 0 && ` (${files})`}
        </Tabs.Tab>
        <Tabs.Tab value="steps" className="tab">
          Steps{steps !== undefined && steps.length > 0 && ` (${steps.length})`}
        </Tabs.Tab>
        <Tabs.Tab value="checks" className="tab">
          Checks and use
        </Tabs.Tab>
        <Tabs.Indicator className="tab-line" renderBeforeHydration={false} />
      </Tabs.List>
      <Tabs.Panel value="changes" className="tab-panel">
        <Changes projectId={projectId} job={job} />
      </Tabs.Panel>
      <Tabs.Panel value="steps" className="tab-panel">
        <Panel>
          {error !== null && steps === undefined ? (
            <Problem error={error} retry={retry} />
          ) : steps === undefined ? (
            <Waiting lines={8} />
          ) : (
            <Steps projectId={projectId} job={job} steps={steps} />
          )}
        </Panel>
      </Tabs.Panel>
      <Tabs.Panel value="checks" className="tab-panel">
        <Checks job={job} />
      </Tabs.Panel>
    </Tabs.Root>
  );
}

type Action = 'cancelAgentJob' | 'retryAgentJob' | 'archiveAgentJob' | 'unarchiveAgentJob';

const done: Record<Action, string> = {
  cancelAgentJob: 'The job is cancelled.',
  retryAgentJob: 'The last instruction is tried again.',
  archiveAgentJob: 'The job is archived.',
  unarchiveAgentJob: 'The job is out of the archive.',
};

function Actions({ projectId, job, mayWrite }: { projectId: string; job: Job; mayWrite: boolean }) {
  const queries = useQueryClient();
  const toast = useToast();
  const [asked, setAsked] = useState<'cancelAgentJob' | 'archiveAgentJob'>();
  const act = useMutation({
    mutationFn: (action: Action) => client.call(action, { params: { projectId, id: job.id } }),
    onSuccess: (next, action) => {
      queries.setQueryData(['agent-job', projectId, job.id], next);
      void queries.invalidateQueries({ queryKey: ['agent-jobs'] });
      setAsked(undefined);
      toast(done[action]);
    },
  });
  const isActive = job.status === 'active';
  const isArchived = job.status === 'archived';
  const isBusy = (action: Action) => act.isPending && act.variables === action;
  const link = job.pullRequest?.url;
  return (
    <>
      {mayWrite && !isArchived && isActive && (
        <Button icon="stop" onClick={() => setAsked('cancelAgentJob')}>
          Cancel
        </Button>
      )}
      {mayWrite && !isArchived && !isActive && job.purgedAt === null && (
        <Button icon="repeat" busy={isBusy('retryAgentJob')} onClick={() => act.mutate('retryAgentJob')}>
          Try again
        </Button>
      )}
      {mayWrite && (
        <Button
          icon="archive"
          busy={isBusy('unarchiveAgentJob') || (isBusy('archiveAgentJob') && asked === undefined)}
          onClick={() =>
            isArchived
              ? act.mutate('unarchiveAgentJob')
              : isActive
                ? setAsked('archiveAgentJob')
                : act.mutate('archiveAgentJob')
          }
        >
          {isArchived ? 'Take out of the archive' : 'Archive'}
        </Button>
      )}
      {link !== null && link !== undefined && (
        <ButtonLink to={link} look="primary" icon="external" outside>
          {job.pullRequest?.draft === true ? 'Draft pull request' : 'Pull request'}
          {job.pullRequest?.number !== null && ` #${job.pullRequest?.number}`}
        </ButtonLink>
      )}
      {act.error !== null && asked === undefined && (
        <div className="job-problem">
          <Problem error={act.error} />
        </div>
      )}
      <Confirm
        open={asked !== undefined}
        onClose={() => setAsked(undefined)}
        title={asked === 'archiveAgentJob' ? 'Archive a job at work?' : 'Cancel this job?'}
        action={asked === 'archiveAgentJob' ? 'Cancel and archive' : 'Cancel the job'}
        act={() => asked !== undefined && act.mutate(asked)}
        busy={act.isPending}
        error={act.error}
      >
        The agent stops after the step it is at. What was pushed already stays, and you can go on with the job
        later.
      </Confirm>
    </>
  );
}
