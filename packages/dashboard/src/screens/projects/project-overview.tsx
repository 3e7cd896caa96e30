import type { AgentJob, ExportJob, Project } from '@docyard/api';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { client } from '../../api/client.ts';
import { useHasExports, useMay } from '../../session/session.tsx';
import { ApiCall } from '../../parts/api-call.tsx';
import { CodeBlock } from '../../parts/copy.tsx';
import { Empty, Facts, Panel, Waiting } from '../../parts/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Table, type Column } from '../../parts/table.tsx';
import { Ago } from '../../parts/time.tsx';
import { Counts } from '../agent/diff-view.tsx';
import { JobBadge } from '../agent/job-labels.tsx';
import { ExportBadge } from '../exports/status.tsx';
import { PlanPanel } from '../plan-required.tsx';
import '../agent/agent.css';

const shown = 5;

export function ProjectOverview({ project }: { project: Project }) {
  const { source } = project;
  const hasExports = useHasExports();
  const facts: [name: string, value: ReactNode][] = [
    ['Repository', <span className="mono">{source.repository}</span>],
    ['Branch', source.ref ?? 'The default branch'],
    ['Folder', source.directory ?? 'The root'],
    ['Created', <Ago at={project.createdAt} />],
  ];
  if (useMay('keys:write')) facts.push(['API keys', <NewKey projectId={project.id} />]);
  return (
    <>
      <Panel>
        <Facts facts={facts} />
      </Panel>
      {hasExports ? <LastExports project={project} /> : <PlanPanel />}
      <LastAgentJobs project={project} />
      <ApiCall operation="readProject" params={{ projectId: project.id }} command="docyard projects list" />
    </>
  );
}

function NewKey({ projectId }: { projectId: string }) {
  return <Link to={`/keys?new=1&project=${projectId}`}>Create a key for this project</Link>;
}

const exportColumns: Column<ExportJob>[] = [
  {
    name: 'Export',
    width: 'minmax(10rem, 2fr)',
    cell: ({ jobId, version, source }) => (
      <Link to={`/exports/${jobId}`} className="project-link">
        {version ?? source.commit?.slice(0, 10) ?? jobId}
      </Link>
    ),
  },
  { name: 'State', width: '9rem', cell: (job) => <ExportBadge job={job} /> },
  { name: 'Pages', width: '5rem', align: 'end', cell: ({ pageCount }) => pageCount.toLocaleString('en') },
  { name: 'Warnings', width: '6rem', align: 'end', cell: ({ warnings }) => warnings.toLocaleString('en') },
  { name: 'Started', width: '8rem', align: 'end', cell: ({ createdAt }) => <Ago at={createdAt} /> },
];

function LastExports({ project }: { project: Project }) {
  const { domain } = project;
  const jobs = useQuery({
    queryKey: ['exports', 'last', domain],
    queryFn: () => client.call('listExports', { query: { domain, limit: shown } }),
    refetchInterval: ({ state }) => (state.data?.data.some(isOpen) === true ? 2000 : false),
  });
  return (
    <Panel
      flush
      title="Last exports"
      aside={<Link to={`/exports?domain=${encodeURIComponent(domain)}`}>All exports</Link>}
    >
      {jobs.error !== null ? (
        <Problem error={jobs.error} retry={() => void jobs.refetch()} />
      ) : jobs.data === undefined ? (
        <Waiting lines={shown} />
      ) : jobs.data.data.length === 0 ? (
        <Empty icon="box" title="Not exported yet">
          <CodeBlock label="command" text={`npx docyard export start ${domain} --wait`} />
        </Empty>
      ) : (
        <Table
          label="Last exports"
          rows={jobs.data.data}
          columns={exportColumns}
          keyOf={({ jobId }) => jobId}
        />
      )}
    </Panel>
  );
}

function isOpen({ status }: ExportJob): boolean {
  return status === 'queued' || status === 'running';
}

function LastAgentJobs({ project }: { project: Project }) {
  const mayRead = useMay('agent:read');
  const projectId = project.id;
  const jobs = useQuery({
    queryKey: ['agent-jobs', projectId, 'last'],
    queryFn: () =>
      client.call('listAgentJobs', { params: { projectId }, query: { archived: 'false', limit: shown } }),
    enabled: mayRead,
    refetchInterval: ({ state }) =>
      state.data?.data.some(({ status }) => status === 'active') === true ? 4000 : false,
  });
  if (!mayRead) return null;
  const columns: Column<AgentJob>[] = [
    {
      name: 'Job',
      width: 'minmax(10rem, 3fr)',
      cell: (job) => (
        <Link to={`/agent/${projectId}/${job.id}`} className="project-link">
          {job.title}
        </Link>
      ),
    },
    { name: 'State', width: '10rem', cell: (job) => <JobBadge job={job} /> },
    {
      name: 'Change',
      width: '7rem',
      align: 'end',
      cell: ({ result }) =>
        result === null || result.filesChanged === 0 ? (
          <span className="faint">–</span>
        ) : (
          <Counts added={result.linesAdded} removed={result.linesRemoved} />
        ),
    },
    { name: 'Started', width: '8rem', align: 'end', cell: ({ createdAt }) => <Ago at={createdAt} /> },
  ];
  return (
    <Panel flush title="Agent jobs" aside={<Link to={`/agent?project=${projectId}`}>All agent jobs</Link>}>
      {jobs.error !== null ? (
        <Problem error={jobs.error} retry={() => void jobs.refetch()} />
      ) : jobs.data === undefined ? (
        <Waiting lines={shown} />
      ) : jobs.data.data.length === 0 ? (
        <Empty icon="sparkle" title="No agent jobs yet">
          <CodeBlock
            label="command"
            text={`npx docyard agent run \\\n  --project ${projectId} \\\n  "Fix the broken links."`}
          />
        </Empty>
      ) : (
        <Table label="Agent jobs" rows={jobs.data.data} columns={columns} keyOf={({ id }) => id} />
      )}
    </Panel>
  );
}
