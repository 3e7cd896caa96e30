import type { ExportJob, Project } from '@docyard/api';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Link, useSearchParams } from 'wouter';
import { client } from '../../api/client.ts';
import { useMay } from '../../session/session.tsx';
import { ApiCall } from '../../parts/api-call.tsx';
import { Button } from '../../parts/button.tsx';
import { CodeBlock, CopyField } from '../../parts/copy.tsx';
import { ListControls, useListQuery, type SortChoices } from '../../parts/list-controls.tsx';
import { useList } from '../../parts/list.ts';
import { Empty, Page, Panel, Waiting } from '../../parts/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Table, type Column } from '../../parts/table.tsx';
import { Ago } from '../../parts/time.tsx';
import { ExportBadge } from '../exports/status.tsx';
import { repositoryName } from '../agent/job-labels.tsx';
import { NewProject } from './new-project.tsx';
import './projects.css';

const orders: SortChoices<'-createdAt' | 'name' | 'domain' | '-updatedAt'> = [
  { value: '-createdAt', label: 'Newest first' },
  { value: 'name', label: 'By name' },
  { value: 'domain', label: 'By domain' },
  { value: '-updatedAt', label: 'Last changed first' },
];

export function Projects() {
  const [search, setSearch] = useSearchParams();
  const mayCreate = useMay('projects:write');
  const seesExports = useMay('exports:read');
  const query = useListQuery(orders);
  const { rows, error, refetch, more } = useList(['projects', 'list', query], (cursor) =>
    client.call('listProjects', { query: { ...query, limit: 50, cursor } }),
  );
  // One request for all rows: the newest exports of the organization include the last ones of active projects.
  const exports = useQuery({
    queryKey: ['exports', 'newest'],
    queryFn: () => client.call('listExports', { query: { limit: 100 } }),
    select: ({ data }) => lastByProject(data),
    enabled: seesExports,
  });
  const columns = useMemo(() => columnsWith(exports.data), [exports.data]);
  const setNew = (isOpen: boolean) =>
    setSearch((before) => {
      const next = new URLSearchParams(before);
      if (isOpen) next.set('new', '1');
      else next.delete('new');
      return next;
    });
  const isOpen = mayCreate && search.get('new') !== null;
  return (
    <Page
      title="Projects"
      lead="A project is a documentation repository and its domain."
      actions={
        mayCreate && (
          <Button look="primary" icon="plus" onClick={() => setNew(true)}>
            New project
          </Button>
        )
      }
    >
      <ListControls
        label="projects"
        placeholder="Search by name, domain, repository or id"
        choices={orders}
      />
      <Panel flush>
        {error !== null ? (
          <Problem error={error} retry={refetch} />
        ) : rows === undefined ? (
          <Waiting lines={6} />
        ) : rows.length === 0 && query.q !== undefined ? (
          <Empty icon="search" title="No project matches">
            No project matches in name, domain, repository or id.
          </Empty>
        ) : rows.length === 0 ? (
          <FirstProject mayCreate={mayCreate} create={() => setNew(true)} />
        ) : (
          <Table label="Projects" rows={rows} columns={columns} keyOf={({ id }) => id} more={more} />
        )}
      </Panel>
      <ApiCall operation="listProjects" command="docyard projects list" />
      <NewProject open={isOpen} onClose={() => setNew(false)} />
    </Page>
  );
}

function lastByProject(jobs: readonly ExportJob[]): ReadonlyMap<string, ExportJob> {
  const last = new Map<string, ExportJob>();
  for (const job of jobs) if (!last.has(job.projectId)) last.set(job.projectId, job);
  return last;
}

function columnsWith(exports: ReadonlyMap<string, ExportJob> | undefined): Column<Project>[] {
  return [
    {
      name: 'Project',
      width: 'minmax(12rem, 2fr)',
      cell: ({ id, name, domain }) => (
        <>
          <Link to={`/projects/${id}`} className="project-link">
            {name}
          </Link>
          <div className="project-domain">{domain}</div>
        </>
      ),
    },
    {
      name: 'Source',
      width: 'minmax(10rem, 2fr)',
      cell: ({ source }) => (
        <span title={source.repository}>
          {repositoryName(source.repository)}
          <span className="project-domain">
            {[source.ref ?? (isFolder(source.repository) ? 'folder' : 'default branch'), source.directory]
              .filter((part) => part !== null)
              .join(' · ')}
          </span>
        </span>
      ),
    },
    {
      name: 'Project id',
      width: '14.5rem',
      cell: ({ id }) => <CopyField text={id} label="project id" />,
    },
    {
      name: 'Last export',
      width: '9.5rem',
      align: 'end',
      cell: ({ id }) => <LastExport job={exports?.get(id)} />,
    },
  ];
}

function isFolder(repository: string): boolean {
  return !repository.includes('://');
}

function LastExport({ job }: { job: ExportJob | undefined }) {
  if (job === undefined) return <span className="faint">–</span>;
  return (
    <Link to={`/exports/${job.jobId}`} className="project-export">
      <ExportBadge job={job} />
      <span className="project-domain">
        <Ago at={job.createdAt} />
      </span>
    </Link>
  );
}

function FirstProject({ mayCreate, create }: { mayCreate: boolean; create: () => void }) {
  if (!mayCreate)
    return (
      <Empty icon="book" title="No projects yet">
        Members, admins and owners can create a project.
      </Empty>
    );
  return (
    <Empty
      icon="book"
      title="Create your first project"
      action={
        <Button icon="plus" onClick={create}>
          Create the first project
        </Button>
      }
    >
      <p>Use any git repository with a docs.json. On the server, run:</p>
      <CodeBlock
        label="command"
        text={
          'npx docyard projects create --name Handbook \\\n  --domain docs.example.com \\\n  --repository https://git.example.com/harbour/docs.git'
        }
      />
    </Empty>
  );
}
