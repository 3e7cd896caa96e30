import type { Comparison, ExportJob } from '@docyard/api';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { client, problemOf } from '../../api/client.ts';
import { Icon } from '../../parts/icons.tsx';
import { Panel, Waiting } from '../../parts/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { counted } from '../../parts/time.tsx';
import { FindingsSummary } from './findings-summary.tsx';
import { PageDiff, type ComparedPage } from './page-diff.tsx';
import { previewAddress, previewSandbox, usePreview } from './preview.tsx';

export function ExportHighlights({ job }: { job: ExportJob }) {
  return (
    <>
      <div className="export-lead">
        <SmallPreview job={job} />
        <FindingsSummary job={job} />
      </div>
      <TextChanges job={job} />
    </>
  );
}

function SmallPreview({ job }: { job: ExportJob }) {
  const preview = usePreview(job.jobId);
  const large = `/exports/${job.jobId}?tab=preview`;
  const address = preview.data === undefined ? undefined : previewAddress(preview.data.previewUrl);
  return (
    <Panel title="Preview" aside={<Link to={large}>Open large</Link>}>
      <div className="small-preview">
        {preview.error !== null ? (
          <Problem error={preview.error} retry={() => void preview.refetch()} />
        ) : address === undefined ? (
          <p className="soft small-preview-wait" role="status">
            Unpacking the bundle…
          </p>
        ) : (
          <iframe
            title={`Preview of ${job.domain}`}
            src={address}
            sandbox={previewSandbox(address)}
            loading="lazy"
          />
        )}
      </div>
    </Panel>
  );
}

const maxPages = 12;

function TextChanges({ job }: { job: ExportJob }) {
  const { jobId } = job;
  const comparison = useQuery({
    queryKey: ['export', jobId, 'compare', 'before'],
    queryFn: () => client.call('compareExports', { params: { jobId } }),
    staleTime: Infinity,
  });
  const isFirst = comparison.error !== null && problemOf(comparison.error).status === 404;
  if (comparison.error !== null && !isFirst)
    return <Problem error={comparison.error} retry={() => void comparison.refetch()} />;
  return (
    <Panel
      title="Text changes"
      flush
      aside={comparison.data !== undefined && <Link to={`/exports/${jobId}?tab=changes`}>All changes</Link>}
    >
      {isFirst ? (
        <p className="panel-foot">
          This is the first export of {job.domain} whose files are stored. The next one is compared with it.
        </p>
      ) : comparison.data === undefined ? (
        <Waiting lines={4} />
      ) : (
        <ChangedPages job={job} comparison={comparison.data} />
      )}
    </Panel>
  );
}

function ChangedPages({ job, comparison }: { job: ExportJob; comparison: Comparison }) {
  const { from } = comparison;
  const pages = pagesOf(comparison);
  const before = from.version ?? from.commit?.slice(0, 7) ?? 'the export before';
  return (
    <>
      <p className="panel-foot changes-sentence">
        {sentenceOf(comparison)} since <Link to={`/exports/${from.jobId}`}>{before}</Link>.
      </p>
      {pages.length > 0 && (
        <ul className="page-diffs">
          {pages.slice(0, maxPages).map((page, place) => (
            <PageDiff
              key={page.path}
              job={job}
              otherId={from.jobId}
              page={page}
              defaultOpen={place === 0 && page.change === 'changed'}
            />
          ))}
        </ul>
      )}
      {pages.length > maxPages && (
        <p className="panel-foot">
          <Icon name="compare" /> {counted(pages.length - maxPages, 'more page')} under{' '}
          <Link to={`/exports/${job.jobId}?tab=changes`}>all changes</Link>
        </p>
      )}
    </>
  );
}

export function pagesOf({ pages }: Comparison): ComparedPage[] {
  return [
    ...pages.changed.map(({ path, title, titleBefore }) => ({
      path,
      title,
      change: 'changed' as const,
      oldTitle: titleBefore === null || titleBefore === title ? undefined : titleBefore,
    })),
    ...pages.added.map(({ path, title }) => ({ path, title, change: 'added' as const })),
    ...pages.removed.map(({ path, title }) => ({ path, title, change: 'removed' as const })),
  ];
}

function sentenceOf({ pages }: Comparison): string {
  const parts = [
    [pages.changed.length, 'changed'],
    [pages.added.length, 'added'],
    [pages.removed.length, 'removed'],
    [pages.moved.length, 'moved'],
  ] as const;
  const labels = parts
    .filter(([count]) => count > 0)
    .map(([count, word]) => `${counted(count, 'page')} ${word}`);
  return labels.length === 0 ? 'No content changes' : labels.join(', ');
}
