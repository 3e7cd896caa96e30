import type { ExportJob } from '@docyard/api';
import { useMemo } from 'react';
import { Link, useSearchParams } from 'wouter';
import { useMay } from '../../session/session.tsx';
import { ApiCall, quoted } from '../../parts/api-call.tsx';
import { Button } from '../../parts/button.tsx';
import { CodeBlock } from '../../parts/copy.tsx';
import { SelectField } from '../../parts/field.tsx';
import { Note } from '../../parts/note.tsx';
import { Empty, Page, Panel, Waiting } from '../../parts/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { ListControls, useListQuery, type SortChoices } from '../../parts/list-controls.tsx';
import { Segments } from '../../parts/segments.tsx';
import { Table, type Column } from '../../parts/table.tsx';
import { Ago, bytes, counted, span } from '../../parts/time.tsx';
import { ProjectPicker } from '../projects/project-picker.tsx';
import { useProjectOfDomain } from '../projects/use-projects.ts';
import { useLiveExports } from './live-exports.ts';
import type { ExportFilters } from './loaded-exports.ts';
import { StartDialog } from './start-dialog.tsx';
import { byActor } from '../audit/actor-name.ts';
import { ExportBadge, ExportProgress } from './status.tsx';
import type { ExportHistory } from './export-history.ts';
import './exports.css';

export function Exports() {
  const [search, setSearch] = useSearchParams();
  const mayStart = useMay('exports:write');
  const filters = useFilters(search);
  const { rows, error, refetch, more, connected, trails } = useLiveExports(filters);
  const columns = useMemo(() => columnsWith(trails), [trails]);
  const isFiltered = Object.keys(filters).length > 0;
  const setParams = (values: Record<string, string | null>) =>
    setSearch((before) => {
      const next = new URLSearchParams(before);
      for (const [name, value] of Object.entries(values)) {
        if (value === null) next.delete(name);
        else next.set(name, value);
      }
      return next;
    });
  return (
    <Page
      title="Exports"
      lead="An export is a complete site as static files, ready to download and deploy, also without a network."
      actions={
        mayStart && (
          <Button look="primary" icon="plus" onClick={() => setParams({ new: '1' })}>
            Start an export
          </Button>
        )
      }
    >
      <ListControls label="exports" placeholder="Search by id, domain, project or commit" choices={orders} />
      <Filters search={search} setParams={setParams} />
      {!connected && <Note tone="warn">Live updates are disconnected. Reconnecting…</Note>}
      <Panel flush>
        {error !== null ? (
          <div className="panel-inside">
            <Problem error={error} retry={refetch} />
          </div>
        ) : rows === undefined ? (
          <Waiting lines={8} />
        ) : rows.length > 0 ? (
          <Table label="Exports" rows={rows} columns={columns} keyOf={({ jobId }) => jobId} more={more} />
        ) : isFiltered ? (
          <Empty
            icon="search"
            title="No export matches"
            action={<Button onClick={() => setSearch({})}>Show all exports</Button>}
          >
            Change the status, project, age or search words.
          </Empty>
        ) : (
          <FirstExport mayStart={mayStart} />
        )}
      </Panel>
      {(rows !== undefined || error !== null) && (
        <ApiCall operation="listExports" query={{ ...filters, limit: 100 }} command={listCommand(filters)} />
      )}
      <StartDialog
        open={mayStart && search.get('new') !== null}
        projectId={search.get('project')}
        domain={search.get('domain')}
        onClose={() => setParams({ new: null })}
      />
    </Page>
  );
}

function FirstExport({ mayStart }: { mayStart: boolean }) {
  return (
    <Empty icon="box" title="No exports yet">
      {mayStart ? (
        <>
          <p>Start an export here, in a terminal or in a CI pipeline:</p>
          <CodeBlock
            label="command"
            text={'npx docyard login ' + globalThis.location.origin + '\nnpx docyard export start --wait'}
          />
        </>
      ) : (
        <p>Members, admins and owners can start an export.</p>
      )}
    </Empty>
  );
}

const ages = [
  { value: 'any', label: 'Any time' },
  { value: '1', label: 'Last 24 hours' },
  { value: '7', label: 'Last 7 days' },
  { value: '30', label: 'Last 30 days' },
] as const;

type Age = (typeof ages)[number]['value'];

const orders: SortChoices<'-createdAt' | 'createdAt' | 'domain' | '-updatedAt'> = [
  { value: '-createdAt', label: 'Newest first' },
  { value: 'createdAt', label: 'Oldest first' },
  { value: 'domain', label: 'By domain' },
  { value: '-updatedAt', label: 'Last changed first' },
];

const shownStatuses = [
  { value: 'all', label: 'All' },
  { value: 'queued', label: 'Queued' },
  { value: 'running', label: 'Running' },
  { value: 'completed', label: 'Completed' },
  { value: 'failed', label: 'Failed' },
  { value: 'canceled', label: 'Canceled' },
] as const;

type ShownStatus = (typeof shownStatuses)[number]['value'];

function statusOf(search: URLSearchParams): ShownStatus {
  return shownStatuses.find(({ value }) => value === search.get('status'))?.value ?? 'all';
}

/** For the API a canceled export has failed; the filter separates the two. */
function statusQuery(status: ShownStatus): Pick<ExportFilters, 'status' | 'canceled'> {
  if (status === 'all') return {};
  if (status === 'canceled') return { canceled: 'true' };
  return status === 'failed' ? { status, canceled: 'false' } : { status };
}

/** Unknown values in the URL are ignored. */
function useFilters(search: URLSearchParams): ExportFilters {
  const status = statusOf(search);
  const domain = search.get('domain');
  const projectId = search.get('project');
  const days = ageOf(search);
  const { q, sort } = useListQuery(orders);
  return useMemo(
    () => ({
      ...statusQuery(status),
      ...(projectId === null ? (domain === null ? {} : { domain }) : { projectId }),
      ...(days === 'any' ? {} : { since: new Date(Date.now() - Number(days) * 86_400_000).toISOString() }),
      ...(q === undefined ? {} : { q }),
      ...(sort === undefined ? {} : { sort }),
    }),
    [status, domain, projectId, days, q, sort],
  );
}

function ageOf(search: URLSearchParams): Age {
  return ages.find(({ value }) => value === search.get('days'))?.value ?? 'any';
}

interface FiltersProps {
  search: URLSearchParams;
  setParams: (values: Record<string, string | null>) => void;
}

function Filters({ search, setParams }: FiltersProps) {
  const setParam = (name: string, value: string | null) => setParams({ [name]: value });
  // Links of earlier versions contain a domain.
  const ofDomain = useProjectOfDomain(search.get('domain'));
  const projectId = search.get('project') ?? ofDomain.data?.id ?? '';
  return (
    <div className="filters">
      <Segments
        label="Status"
        value={statusOf(search)}
        onChange={(next) => setParam('status', next === 'all' ? null : next)}
        segments={shownStatuses}
      />
      <div className="filters-selects">
        <ProjectPicker
          quiet
          none="Every project"
          value={projectId}
          onChange={(id) => setParams({ domain: null, project: id === '' ? null : id })}
        />
        <SelectField
          label="Age"
          quiet
          value={ageOf(search)}
          onChange={(next) => setParam('days', next === 'any' ? null : next)}
          choices={ages}
        />
      </div>
    </div>
  );
}

/** Constant, so that a row renders again only when its export changes. */
function columnsWith(trails: ReadonlyMap<string, ExportHistory>): Column<ExportJob>[] {
  return [
    { name: 'Export', width: 'minmax(12rem, 2.2fr)', cell: (job) => <Name job={job} /> },
    {
      name: 'Status',
      width: 'minmax(13rem, 2fr)',
      cell: (job) =>
        job.status === 'running' || job.status === 'queued' ? (
          <LiveStatus job={job} trail={trails.get(job.jobId)} />
        ) : (
          <Ended job={job} />
        ),
    },
    {
      name: 'Pages',
      width: '4.5rem',
      align: 'end',
      cell: (job) => (job.status === 'completed' ? job.pageCount.toLocaleString('en') : dash),
    },
    {
      name: 'Bundle',
      width: '5rem',
      align: 'end',
      cell: ({ bundle, purgedAt }) =>
        purgedAt !== null ? (
          <span className="faint">removed</span>
        ) : bundle === null ? (
          dash
        ) : (
          bytes(bundle.sizeBytes)
        ),
    },
    { name: 'Started', width: '7.5rem', align: 'end', cell: ({ createdAt }) => <Ago at={createdAt} /> },
  ];
}

const dash = <span className="faint none">–</span>;

function Name({ job }: { job: ExportJob }) {
  const { commit, ref } = job.source;
  const facts = [job.version === null ? null : `Version ${job.version}`, ref, commit?.slice(0, 7)].filter(
    (fact) => fact !== null && fact !== undefined,
  );
  return (
    <>
      <Link to={`/exports/${job.jobId}`} className="row-name">
        {job.domain}
      </Link>
      <div className="row-facts">{facts.length === 0 ? job.jobId : facts.join(' · ')}</div>
    </>
  );
}

function LiveStatus({ job, trail }: { job: ExportJob; trail: ExportHistory | undefined }) {
  if (job.status === 'queued') return <ExportBadge job={job} />;
  return <ExportProgress job={job} {...(trail === undefined ? {} : { trail })} />;
}

function Ended({ job }: { job: ExportJob }) {
  const { failure, canceledBy, startedAt, finishedAt, warnings } = job;
  const took =
    startedAt === null || finishedAt === null ? null : Date.parse(finishedAt) - Date.parse(startedAt);
  const words =
    failure !== null
      ? failure.code === 'canceled'
        ? [canceledBy === null ? '' : byActor(canceledBy)]
        : [failure.message]
      : [took === null ? '' : span(took), warnings === 0 ? '' : counted(warnings, 'warning')];
  return (
    <>
      <ExportBadge job={job} />
      <div className="row-facts row-cut">{words.filter((word) => word !== '').join(' · ')}</div>
    </>
  );
}

function listCommand({ status, domain, since, projectId, canceled, q, sort }: ExportFilters): string {
  const options = [
    status === undefined ? '' : ` --status ${status}`,
    domain === undefined ? '' : ` --domain ${domain}`,
    since === undefined ? '' : ` --since ${since}`,
    projectId === undefined ? '' : ` --project ${projectId}`,
    canceled === undefined ? '' : canceled === 'true' ? ' --canceled' : ' --no-canceled',
    q === undefined ? '' : ` --search ${quoted(q)}`,
    sort === undefined ? '' : ` --sort ${sort}`,
  ];
  return `docyard export list${options.join('')}`;
}
