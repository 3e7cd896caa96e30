import type { AgentJob } from '@docyard/api';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Link, useSearchParams } from 'wouter';
import { client } from '../../api/client.ts';
import { useMay } from '../../session/session.tsx';
import { ApiCall } from '../../parts/api-call.tsx';
import { Button, ButtonLink } from '../../parts/button.tsx';
import { CodeBlock } from '../../parts/copy.tsx';
import { Empty, Page, Panel, Waiting } from '../../parts/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Segments } from '../../parts/segments.tsx';
import { Table, type Column } from '../../parts/table.tsx';
import { Ago } from '../../parts/time.tsx';
import { byActor } from '../audit/actor-name.ts';
import { ProjectPicker } from '../projects/project-picker.tsx';
import { useFirstProjects, useProject, useProjectNames } from '../projects/use-projects.ts';
import { Counts } from './diff-view.tsx';
import { JobBadge } from './job-labels.tsx';
import { useLiveAgentJobs, type JobFilters } from './live-jobs.ts';
import { NewJob } from './new-job.tsx';
import './agent.css';

export function AgentJobs() {
  const [search, setSearch] = useSearchParams();
  const mayStart = useMay('agent:write');
  const projects = useFirstProjects();
  const project = search.get('project') ?? '';
  const shown = shownStates.find(({ value }) => value === search.get('show'))?.value ?? 'open';
  const setParam = (name: string, value: string | null) =>
    setSearch((before) => {
      const next = new URLSearchParams(before);
      if (value === null) next.delete(name);
      else next.set(name, value);
      return next;
    });
  const known = projects.data ?? [];
  const chosen = project === '' && known.length === 1 ? (known[0]?.id ?? '') : project;
  return (
    <Page
      title="Agent jobs"
      lead="Describe a change. An agent edits the documentation, checks the site and opens a pull request."
      actions={
        mayStart &&
        known.length > 0 && (
          <Button look="primary" icon="plus" onClick={() => setParam('new', '1')}>
            New agent job
          </Button>
        )
      }
    >
      <div className="job-filters">
        <Segments
          label="State"
          value={shown}
          onChange={(next) => setParam('show', next === 'open' ? null : next)}
          segments={shownStates}
        />
        {known.length > 1 && (
          <ProjectPicker
            quiet
            none="Every project"
            value={project}
            onChange={(next) => setParam('project', next === '' ? null : next)}
          />
        )}
      </div>
      <Panel flush>
        {projects.error !== null ? (
          <Problem error={projects.error} retry={() => void projects.refetch()} />
        ) : projects.data === undefined ? (
          <Waiting lines={8} />
        ) : known.length === 0 ? (
          <NoProject />
        ) : (
          <Jobs
            filters={{ ...queryOf(shown), ...(project === '' ? {} : { projectId: project }) }}
            projectId={chosen}
            shown={shown}
            mayStart={mayStart}
            start={() => setParam('new', '1')}
          />
        )}
      </Panel>
      <ApiCall
        operation="listAllAgentJobs"
        query={{ ...queryOf(shown), ...(project === '' ? {} : { projectId: project }) }}
        command={`docyard agent list --project ${chosen === '' ? 'PROJECT' : chosen}`}
      />
      <NewJob
        open={mayStart && search.get('new') !== null && known.length > 0}
        projectId={chosen}
        onClose={() => setParam('new', null)}
      />
    </Page>
  );
}

const shownStates = [
  { value: 'open', label: 'Not archived' },
  { value: 'active', label: 'At work' },
  { value: 'completed', label: 'Completed' },
  { value: 'failed', label: 'Failed' },
  { value: 'canceled', label: 'Canceled' },
  { value: 'archived', label: 'Archived' },
] as const;

type Shown = (typeof shownStates)[number]['value'];

/** For the API a canceled job has failed; the filter separates the two. */
function queryOf(shown: Shown): JobFilters {
  if (shown === 'open') return { archived: 'false' };
  if (shown === 'canceled') return { archived: 'false', canceled: 'true' };
  return shown === 'failed' ? { status: shown, canceled: 'false' } : { status: shown };
}

interface JobsProps {
  filters: JobFilters;
  projectId: string;
  shown: Shown;
  mayStart: boolean;
  start: () => void;
}

function Jobs({ filters, projectId, shown, mayStart, start }: JobsProps) {
  const { rows, error, refetch, more } = useLiveAgentJobs(filters);
  const isOfAll = filters.projectId === undefined;
  const names = useProjectNames(isOfAll ? (rows ?? []).map((job) => job.projectId) : []);
  const columns = useMemo(() => columnsWith(isOfAll ? names : undefined), [isOfAll, names]);
  if (error !== null) return <Problem error={error} retry={refetch} />;
  if (rows === undefined) return <Waiting lines={8} />;
  if (rows.length > 0)
    return <Table label="Agent jobs" rows={rows} columns={columns} keyOf={({ id }) => id} more={more} />;
  if (shown !== 'open')
    return (
      <Empty icon="search" title="No such job">
        No agent job is in this state.
      </Empty>
    );
  return <FirstJob projectId={projectId} mayStart={mayStart} start={start} />;
}

function columnsWith(names: ReadonlyMap<string, string> | undefined): Column<AgentJob>[] {
  return [
    {
      name: 'Job',
      width: 'minmax(14rem, 3fr)',
      cell: (job) => (
        <>
          <Link to={`/agent/${job.projectId}/${job.id}`} className="job-link">
            {job.title}
          </Link>
          <div className="job-place">
            {[names?.get(job.projectId), job.pullRequest?.branch ?? job.source.ref]
              .filter(Boolean)
              .join(' · ')}
          </div>
        </>
      ),
    },
    {
      name: 'State',
      width: '10rem',
      cell: (job) => (
        <>
          <JobBadge job={job} />
          {job.statusReason === 'cancelled' && job.canceledBy !== null && (
            <div className="job-place">{byActor(job.canceledBy)}</div>
          )}
        </>
      ),
    },
    {
      name: 'Change',
      width: '6.5rem',
      align: 'end',
      cell: ({ result }) =>
        result === null || result.filesChanged === 0 ? (
          <span className="faint">–</span>
        ) : (
          <Counts added={result.linesAdded} removed={result.linesRemoved} />
        ),
    },
    {
      name: 'Pull request',
      width: '7rem',
      align: 'end',
      cell: ({ pullRequest }) =>
        pullRequest?.url ? (
          <a href={pullRequest.url} rel="noreferrer">
            {pullRequest.number === null ? 'Open' : `#${pullRequest.number}`}
            {pullRequest.draft && ' draft'}
          </a>
        ) : (
          <span className="faint">–</span>
        ),
    },
    { name: 'Started', width: '7.5rem', align: 'end', cell: ({ createdAt }) => <Ago at={createdAt} /> },
  ];
}

function NoProject() {
  const mayCreate = useMay('projects:write');
  return (
    <Empty
      icon="book"
      title="Create a project first"
      action={
        mayCreate && (
          <ButtonLink to="/projects?new=1" icon="plus">
            Create a project
          </ButtonLink>
        )
      }
    >
      An agent job works on the repository of a project.
      {!mayCreate && ' Ask an administrator to create one.'}
    </Empty>
  );
}

interface FirstJobProps {
  projectId: string;
  mayStart: boolean;
  start: () => void;
}

function FirstJob({ projectId, mayStart, start }: FirstJobProps) {
  // Report a missing model before the user writes an instruction.
  const project = useProject(projectId);
  const system = useQuery({ queryKey: ['system'], queryFn: () => client.call('readSystem') });
  const isConfigured = system.data?.agent.configured === true || Boolean(project.data?.agent.model);
  if (system.isPending || (projectId !== '' && project.isPending)) return <Waiting lines={4} />;
  if (!isConfigured) return <NoModel projectId={projectId} />;
  return (
    <Empty
      icon="sparkle"
      title="No agent jobs yet"
      action={
        mayStart && (
          <Button icon="plus" onClick={start}>
            Start your first job
          </Button>
        )
      }
    >
      <p>
        {mayStart
          ? 'Start a job here, in a terminal or in a CI pipeline:'
          : 'Members, admins and owners can start a job.'}
      </p>
      {mayStart && (
        <CodeBlock
          label="command"
          text={`npx docyard agent run \\\n  --project ${projectId === '' ? 'PROJECT' : projectId} \\\n  "Fix the broken links."`}
        />
      )}
    </Empty>
  );
}

function NoModel({ projectId }: { projectId: string }) {
  const mayChange = useMay('projects:write');
  const settings = projectId === '' ? '/projects' : `/projects/${projectId}?tab=agent`;
  return (
    <Empty
      icon="sparkle"
      title="No model is configured"
      action={
        mayChange && (
          <ButtonLink to={settings} icon="arrow">
            {projectId === '' ? 'Choose a project' : 'Set a model'}
          </ButtonLink>
        )
      }
    >
      Agent jobs cannot run yet: neither this installation nor the project has a model endpoint. Set one in
      the settings of the project, or ask the operator to set <code>MODEL_URL</code>.
    </Empty>
  );
}
