/** Agent jobs of every project, or of one, the newest first. */
import type { AgentJob } from '@docyard/api';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Link, useSearchParams } from 'wouter';
import { client } from '../../app/client.ts';
import { useMay } from '../../app/session.tsx';
import { ApiCall } from '../../parts/api-call.tsx';
import { Button, ButtonLink } from '../../parts/button.tsx';
import { CodeBlock } from '../../parts/copy.tsx';
import { SelectField } from '../../parts/field.tsx';
import { Empty, Page, Panel, Waiting } from '../../parts/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Segments } from '../../parts/segments.tsx';
import { Table, type Column } from '../../parts/table.tsx';
import { Ago } from '../../parts/time.tsx';
import { useProjectChoices } from '../projects/project-choices.ts';
import { Counts } from './diff-view.tsx';
import { JobBadge } from './job-words.tsx';
import { useLiveAgentJobs, type JobFilters } from './live-jobs.ts';
import { NewJob } from './new-job.tsx';
import './agent.css';

export function AgentJobs() {
  const [search, setSearch] = useSearchParams();
  const mayStart = useMay('agent:write');
  const projects = useProjectChoices();
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
  const isChosenUnknown = project !== '' && !known.some(({ id }) => id === project);
  return (
    <Page
      title="Agent jobs"
      lead="Say what should change in the documentation. An agent edits it, checks the site, and offers a pull request."
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
          <SelectField
            label="Project"
            quiet
            value={project}
            onChange={(next) => setParam('project', next === '' ? null : next)}
            choices={[
              { value: '', label: 'Every project' },
              ...known.map(({ id, name }) => ({ value: id, label: name })),
              ...(isChosenUnknown ? [{ value: project, label: project }] : []),
            ]}
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
            projectId={project === '' ? (known[0]?.id ?? '') : project}
            names={new Map(known.map(({ id, name }) => [id, name]))}
            shown={shown}
            mayStart={mayStart}
            start={() => setParam('new', '1')}
          />
        )}
      </Panel>
      <ApiCall
        operation="listAllAgentJobs"
        query={{ ...queryOf(shown), ...(project === '' ? {} : { projectId: project }) }}
        command={`docyard agent list --project ${project === '' ? (known[0]?.id ?? 'PROJECT') : project}`}
      />
      <NewJob
        open={mayStart && search.get('new') !== null && known.length > 0}
        projects={known}
        projectId={project}
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
  { value: 'archived', label: 'Archived' },
] as const;

type Shown = (typeof shownStates)[number]['value'];

function queryOf(shown: Shown): { status?: Exclude<Shown, 'open'>; archived?: 'false' } {
  return shown === 'open' ? { archived: 'false' } : { status: shown };
}

interface JobsProps {
  filters: JobFilters;
  /** For the first job of all. */
  projectId: string;
  names: ReadonlyMap<string, string>;
  shown: Shown;
  mayStart: boolean;
  start: () => void;
}

function Jobs({ filters, projectId, names, shown, mayStart, start }: JobsProps) {
  const { rows, error, refetch, more } = useLiveAgentJobs(filters);
  const isOfAll = filters.projectId === undefined && names.size > 1;
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
    { name: 'State', width: '10rem', cell: (job) => <JobBadge job={job} /> },
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
      title="First a project"
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

function FirstJob({
  projectId,
  mayStart,
  start,
}: {
  projectId: string;
  mayStart: boolean;
  start: () => void;
}) {
  // Who has no model yet learns it here, not after writing a long instruction.
  const project = useQuery({
    queryKey: ['project', projectId],
    queryFn: () => client.call('readProject', { params: { projectId } }),
    enabled: projectId !== '',
  });
  return (
    <Empty
      icon="sparkle"
      title="No agent jobs yet"
      action={
        mayStart && (
          <Button icon="plus" onClick={start}>
            Give the first instruction
          </Button>
        )
      }
    >
      <p>
        {mayStart
          ? 'Give an instruction here, or from a terminal or a pipeline:'
          : 'Members, admins and owners of the organization can start one.'}
      </p>
      {mayStart && (
        <CodeBlock
          label="command"
          text={`npx docyard agent run \\\n  --project ${projectId} \\\n  "Mend the broken links."`}
        />
      )}
      {mayStart && project.data?.agent.model === null && (
        <p className="faint">
          It works with the model of the installation, or with one you{' '}
          <Link to={`/projects/${projectId}?tab=agent`}>set for the project</Link>.
        </p>
      )}
    </Empty>
  );
}
