import type { ExportJob } from '@docyard/api';
import { Link } from 'wouter';
import { ApiCall } from '../../parts/api-call.tsx';
import { CopyField } from '../../parts/copy.tsx';
import { Badge, Note } from '../../parts/note.tsx';
import { Facts, Panel } from '../../parts/page.tsx';
import { ProgressBar } from '../../parts/progress.tsx';
import { Ago, bytes, counted, exact, span } from '../../parts/time.tsx';
import { TextWithCode } from '../../parts/text-with-code.tsx';
import { byActor } from '../audit/actor-name.ts';
import { BundlePanel } from './bundle-panel.tsx';
import { ExportHighlights } from './export-highlights.tsx';
import { isOver } from './use-export.ts';
import { phaseNames, remaining, speed } from './status.tsx';
import { Timeline } from './timeline.tsx';
import { paceOf, type ExportHistory } from './export-history.ts';

export function ExportOverview({ job, trail }: { job: ExportJob; trail: ExportHistory }) {
  const hasFiles = job.status === 'completed' && job.purgedAt === null;
  return (
    <div className="export-part">
      {!isOver(job) && <Running job={job} trail={trail} />}
      {job.failure !== null && <Failed failure={job.failure} canceledBy={job.canceledBy} />}
      {job.purgedAt !== null && (
        <Note tone="warn">
          The files of this export were removed <Ago at={job.purgedAt} /> by the retention policy of this
          server. Run the export again to restore them.
        </Note>
      )}
      {hasFiles && <ExportHighlights job={job} />}
      {hasFiles && <BundlePanel job={job} />}
      <Timeline job={job} trail={trail} />
      {!hasFiles && <Findings job={job} />}
      <Made job={job} />
      <ApiCall
        operation="readExport"
        params={{ jobId: job.jobId }}
        command={isOver(job) ? `docyard export status ${job.jobId}` : `docyard export wait ${job.jobId}`}
      />
    </div>
  );
}

function Running({ job, trail }: { job: ExportJob; trail: ExportHistory }) {
  const { pagesPerSecond, secondsLeft } = paceOf(trail);
  const total = job.totalPages === null ? '' : ` of ${job.totalPages.toLocaleString('en')}`;
  return (
    <Panel title={job.status === 'queued' ? 'Waiting for a worker' : phaseNames[job.phase]}>
      <ProgressBar label={`Export of ${job.domain}`} value={job.progress} />
      <Facts
        facts={[
          ['Pages', `${job.pageCount.toLocaleString('en')}${total}`],
          ['Speed', pagesPerSecond === undefined ? '–' : speed(pagesPerSecond)],
          ['Left', secondsLeft === undefined ? '–' : remaining(secondsLeft)],
          ['Attempt', String(Math.max(1, job.attempt))],
        ]}
      />
    </Panel>
  );
}

interface FailedProps {
  failure: NonNullable<ExportJob['failure']>;
  canceledBy: ExportJob['canceledBy'];
}

function Failed({ failure, canceledBy }: FailedProps) {
  if (failure.code === 'canceled') {
    const actor = canceledBy === null ? '' : ` ${byActor(canceledBy)}`;
    return <Note tone="quiet">{`This export was canceled${actor}.`}</Note>;
  }
  const place =
    failure.file === null ? null : `${failure.file}${failure.line === null ? '' : `:${failure.line}`}`;
  return (
    <div className="note note-bad" role="alert">
      <div>
        <p>
          <strong>
            <TextWithCode text={failure.message} />
          </strong>
        </p>
        {place !== null && <p className="mono">{place}</p>}
        {failure.hint !== null && (
          <p>
            <TextWithCode text={failure.hint} />
          </p>
        )}
        <p className="note-small">
          <a href="/docs/reference/errors#failure-codes">{failure.code}</a>
          {failure.retryable ? ' · A retry may succeed.' : ' · A retry fails until the cause is fixed.'}
        </p>
      </div>
    </div>
  );
}

const tones = { error: 'bad', warning: 'warn', info: 'quiet' } as const;

const maxShown = 8;

/** The last findings while the export runs, afterwards only warnings and errors. */
function Findings({ job }: { job: ExportJob }) {
  const findings = job.recentFindings
    .toReversed()
    .filter(({ severity }) => !isOver(job) || severity !== 'info')
    .slice(0, maxShown);
  if (findings.length === 0) return null;
  const title = isOver(job) ? 'Last warnings' : 'Findings as they arrive';
  return (
    <Panel title={title} flush>
      <ul className="finding-list">
        {findings.map(({ severity, code, message, file, line }) => (
          <li key={JSON.stringify([code, message, file, line])}>
            <Badge tone={tones[severity]}>{severity}</Badge>
            <div>
              <p>
                <TextWithCode text={message} />
              </p>
              <p className="row-facts mono">
                {file}
                {line === null || line === undefined ? '' : `:${line}`} · {code}
              </p>
            </div>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function Made({ job }: { job: ExportJob }) {
  const { source, options } = job;
  const labels = [
    options.urlStyle === 'html' ? null : `addresses: ${options.urlStyle}`,
    options.basePath === null ? null : `below ${options.basePath}`,
    options.paths === null ? null : `only ${counted(options.paths.length, 'page')}`,
    options.groups.length === 0 ? null : `groups: ${options.groups.join(', ')}`,
    options.strict ? 'strict' : null,
    options.failOn.length === 0 ? null : `fails on ${options.failOn.join(', ')}`,
    options.airGapped ? 'air-gapped' : null,
    options.customScripts === 'include' ? 'with scripts of the repository' : null,
  ].filter((fact) => fact !== null);
  const took =
    job.startedAt === null || job.finishedAt === null
      ? null
      : Date.parse(job.finishedAt) - Date.parse(job.startedAt);
  return (
    <Panel title="Record">
      <Facts
        facts={[
          ['Job', <CopyField key="job" text={job.jobId} label="job id" />],
          [
            'Project',
            <Link key="project" to={`/projects/${job.projectId}`}>
              {job.domain}
            </Link>,
          ],
          [
            'Source',
            <span key="source" className="mono">
              {source.repository}
            </span>,
          ],
          ...(source.directory === null ? [] : [['Folder', source.directory] satisfies [string, string]]),
          [
            'Commit',
            source.commit === null ? (
              '–'
            ) : (
              <span key="commit" className="mono">
                {source.commit}
              </span>
            ),
          ],
          ['Pages', job.pageCount.toLocaleString('en')],
          [
            'Bundle',
            job.bundle === null
              ? '–'
              : `${bytes(job.bundle.sizeBytes)} in ${counted(job.bundle.fileCount, 'file')}`,
          ],
          ['Warnings', isOver(job) ? job.warnings.toLocaleString('en') : '–'],
          ['Options', labels.length === 0 ? 'default' : labels.join(' · ')],
          ['Began', exact(job.createdAt)],
          ['Took', took === null ? '–' : span(took)],
          ...(job.trigger === null
            ? []
            : [
                [
                  'Started by',
                  <Link key="trigger" to={`/events?event=${job.trigger.eventId}`}>
                    a push
                  </Link>,
                ] satisfies [string, React.ReactNode],
              ]),
          ...(job.retryOf === null
            ? []
            : [
                [
                  'Repeats',
                  <Link key="retry" to={`/exports/${job.retryOf}`}>
                    {job.retryOf}
                  </Link>,
                ] satisfies [string, React.ReactNode],
              ]),
          ...Object.entries(job.metadata).map(([name, value]) => [name, value] satisfies [string, string]),
        ]}
      />
    </Panel>
  );
}
