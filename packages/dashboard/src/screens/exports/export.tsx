import type { ExportJob } from '@docyard/api';
import { useState, type ReactNode } from 'react';
import { useParams, useSearchParams } from 'wouter';
import { useMay } from '../../session/session.tsx';
import { Button, ButtonLink } from '../../parts/button.tsx';
import { Icon } from '../../parts/icons.tsx';
import { Menu } from '../../parts/menu.tsx';
import { isNotFound, RecordNotFound } from '../../parts/record-not-found.tsx';
import { Note } from '../../parts/note.tsx';
import { Page, Panel, Waiting } from '../../parts/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Tabs, type Tab } from '../../parts/tabs.tsx';
import { Ago } from '../../parts/time.tsx';
import { ConfirmCancel, ConfirmDelete, useRetry } from './actions.tsx';
import { Changes } from './changes.tsx';
import { Files } from './files.tsx';
import { isOver, useExport } from './use-export.ts';
import { ExportOverview } from './export-overview.tsx';
import { Preview } from './preview.tsx';
import { QualityReport } from './report.tsx';
import { ExportBadge } from './status.tsx';
import './exports.css';
import './highlights.css';

const crumbs = [{ to: '/exports', label: 'Exports' }];

export function Export() {
  const { jobId = '' } = useParams();
  const { job, error, refetch, connected, trail } = useExport(jobId);
  if (job === undefined)
    return (
      <Page title="Export" crumbs={crumbs}>
        {error === null ? (
          <Panel>
            <Waiting lines={9} />
          </Panel>
        ) : isNotFound(error) ? (
          <RecordNotFound icon="box" what="export" list={{ to: '/exports', label: 'All exports' }} />
        ) : (
          <Problem error={error} retry={refetch} />
        )}
      </Page>
    );
  return (
    <Page
      title={`Export of ${job.domain}`}
      heading={
        <span className="export-heading">
          {job.domain}
          <span role="status">
            <ExportBadge job={job} />
          </span>
        </span>
      }
      lead={<Lead job={job} />}
      crumbs={crumbs}
      actions={<Actions job={job} />}
    >
      {!connected && <Note tone="warn">Live updates are disconnected. Reconnecting…</Note>}
      <Parts job={job} overview={<ExportOverview job={job} trail={trail} />} />
    </Page>
  );
}

function Lead({ job }: { job: ExportJob }) {
  const { ref, commit } = job.source;
  return (
    <>
      {job.version !== null && <>Version {job.version} · </>}
      {commit !== null && (
        <>
          <span className="mono" title={commit}>
            {commit.slice(0, 7)}
          </span>
          {ref !== null && <> of {ref}</>} ·{' '}
        </>
      )}
      started <Ago at={job.createdAt} />
    </>
  );
}

function Actions({ job }: { job: ExportJob }) {
  const mayWrite = useMay('exports:write');
  const retry = useRetry();
  const [asking, setAsking] = useState<'cancel' | 'delete' | null>(null);
  const close = () => setAsking(null);
  const hasBundle = job.status === 'completed' && job.purgedAt === null;
  return (
    <>
      {mayWrite && !isOver(job) && (
        <Button icon="stop" onClick={() => setAsking('cancel')}>
          Cancel
        </Button>
      )}
      {mayWrite && isOver(job) && !hasBundle && (
        <Button look="primary" icon="repeat" busy={retry.isPending} onClick={() => retry.mutate(job.jobId)}>
          Run again
        </Button>
      )}
      {hasBundle && (
        <ButtonLink to={`/v1/static-export/jobs/${job.jobId}/bundle`} look="primary" icon="download" outside>
          Download
        </ButtonLink>
      )}
      {mayWrite && isOver(job) && (
        <Menu
          name="More actions"
          className="button button-plain"
          label={<Icon name="more" />}
          items={[
            ...(hasBundle
              ? [{ label: 'Run again', icon: 'repeat' as const, act: () => retry.mutate(job.jobId) }]
              : []),
            { label: 'Delete', icon: 'trash', danger: true, act: () => setAsking('delete') },
          ]}
        />
      )}
      <ConfirmCancel job={job} open={asking === 'cancel' && !isOver(job)} onClose={close} />
      <ConfirmDelete job={job} open={asking === 'delete'} onClose={close} />
      {retry.error !== null && <Problem error={retry.error} />}
    </>
  );
}

function Parts({ job, overview }: { job: ExportJob; overview: ReactNode }) {
  const [search, setSearch] = useSearchParams();
  const parts = partsOf(job, overview);
  const chosen = parts.find(({ name }) => name === search.get('tab')) ?? parts[0];
  if (chosen === undefined || parts.length === 1) return overview;
  return (
    <Tabs
      label="Sections of the export"
      tabs={parts}
      chosen={chosen.name}
      // Filters of one tab do not apply to another.
      onChoose={(name) => setSearch(name === 'overview' ? {} : { tab: name })}
      className="export-part"
    />
  );
}

function partsOf(job: ExportJob, overview: ReactNode): Tab[] {
  const isStored = job.purgedAt === null;
  const completed = job.status === 'completed' && isStored;
  // A job that failed because of its findings has a report, but no files.
  const hasReport = completed || (job.failure?.code === 'strict_failed' && isStored);
  return [
    { name: 'overview', label: 'Overview', show: overview },
    ...(hasReport ? [{ name: 'report', label: 'Report', show: <QualityReport job={job} /> }] : []),
    ...(completed
      ? [
          { name: 'files', label: 'Files', show: <Files job={job} /> },
          { name: 'preview', label: 'Preview', show: <Preview job={job} /> },
          { name: 'changes', label: 'Changes', show: <Changes job={job} /> },
        ]
      : []),
  ];
}
