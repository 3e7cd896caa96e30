import type { Comparison, ExportJob } from '@docyard/api';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { useSearchParams } from 'wouter';
import { client } from '../../api/client.ts';
import { useMay } from '../../session/session.tsx';
import { ApiCall } from '../../parts/api-call.tsx';
import { Button } from '../../parts/button.tsx';
import { SelectField } from '../../parts/field.tsx';
import { Badge, type Tone } from '../../parts/note.tsx';
import { Empty, Panel, Waiting } from '../../parts/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { bytes, counted, exact } from '../../parts/time.tsx';
import { SignedLink } from './bundle-panel.tsx';
import { pagesOf } from './export-highlights.tsx';
import { PageDiff, type ComparedPage } from './page-diff.tsx';
import { Names } from './report.tsx';

export function Changes({ job }: { job: ExportJob }) {
  const [search, setSearch] = useSearchParams();
  const earlier = useQuery({
    queryKey: ['exports', 'before', job.jobId],
    queryFn: () => readEarlier(job),
  });
  if (earlier.error !== null) return <Problem error={earlier.error} retry={() => void earlier.refetch()} />;
  if (earlier.data === undefined)
    return (
      <Panel>
        <Waiting lines={8} />
      </Panel>
    );
  const chosen = earlier.data.find(({ jobId }) => jobId === search.get('with')) ?? earlier.data[0];
  if (chosen === undefined)
    return (
      <Panel>
        <Empty icon="compare" title="Nothing to compare with">
          This is the first completed export of {job.domain} with stored files. After the next one you see
          what changed.
        </Empty>
      </Panel>
    );
  return (
    <>
      <div className="compare-with">
        <SelectField
          label="Compare with"
          value={chosen.jobId}
          onChange={(next) =>
            setSearch(
              (before) =>
                new URLSearchParams([...before].filter(([name]) => name !== 'with').concat([['with', next]])),
            )
          }
          choices={earlier.data.map((each) => ({ value: each.jobId, label: nameOf(each) }))}
        />
      </div>
      <Compared key={chosen.jobId} job={job} other={chosen} />
    </>
  );
}

/** Completed, older exports of the same project whose bundle is stored. */
async function readEarlier(job: ExportJob): Promise<ExportJob[]> {
  const { data } = await client.call('listExports', {
    query: { domain: job.domain, status: 'completed', limit: 100 },
  });
  return data.filter(
    (each) => each.createdAt < job.createdAt && each.purgedAt === null && each.projectId === job.projectId,
  );
}

function nameOf({ version, source, createdAt }: ExportJob): string {
  return [version, source.commit?.slice(0, 7), exact(createdAt)]
    .filter((fact) => fact !== null && fact !== undefined)
    .join(' · ');
}

function Compared({ job, other }: { job: ExportJob; other: ExportJob }) {
  const params = { jobId: job.jobId };
  const query = { with: other.jobId };
  const comparison = useQuery({
    queryKey: ['export', job.jobId, 'compare', other.jobId],
    queryFn: () => client.call('compareExports', { params, query }),
    staleTime: Infinity,
  });
  if (comparison.error !== null)
    return <Problem error={comparison.error} retry={() => void comparison.refetch()} />;
  return (
    <>
      {comparison.data === undefined ? (
        <Panel>
          <Waiting lines={8} />
        </Panel>
      ) : (
        <Differences job={job} comparison={comparison.data} />
      )}
      {comparison.data?.identical === false && <Delta job={job} other={other} />}
      {comparison.data !== undefined && <ApiCall operation="compareExports" params={params} query={query} />}
    </>
  );
}

function Differences({ job, comparison }: { job: ExportJob; comparison: Comparison }) {
  const { pages, files, identical, changedBytes } = comparison;
  if (identical)
    return (
      <Panel>
        <Empty icon="check" title="The bundles are identical">
          Every file has the same hash in both bundles.
        </Empty>
      </Panel>
    );
  const others = [...files.added, ...files.changed, ...files.removed];
  return (
    <>
      <dl className="tiles">
        <Tile name="Added" value={pages.added.length} />
        <Tile name="Changed" value={pages.changed.length} />
        <Tile name="Removed" value={pages.removed.length} />
        <Tile name="Moved" value={pages.moved.length} />
        <Tile name="Restyled" value={pages.restyled.length} />
        <Tile name="Changed data" value={bytes(changedBytes)} />
      </dl>
      <DiffList title="Changed pages" job={job} comparison={comparison} change="changed" />
      <DiffList title="Added pages" job={job} comparison={comparison} change="added" />
      <PageList
        title="Moved pages"
        tone="info"
        word="moved"
        pages={pages.moved.map((page) => ({
          ...withOldTitle(page),
          note: `from ${page.from}${page.changed ? ', also edited' : ''}`,
        }))}
      />
      <DiffList title="Removed pages" job={job} comparison={comparison} change="removed" />
      {(pages.restyled.length > 0 || others.length > 0) && (
        <div className="side-by-side">
          {pages.restyled.length > 0 && (
            <Panel title="Same text, new look">
              <Names names={pages.restyled} />
            </Panel>
          )}
          {others.length > 0 && (
            <Panel title="Other files" aside={<span className="soft">{counted(others.length, 'file')}</span>}>
              <Names names={others} />
            </Panel>
          )}
        </div>
      )}
    </>
  );
}

function Tile({ name, value }: { name: string; value: ReactNode }) {
  return (
    <div className="tile">
      <dt>{name}</dt>
      <dd>{typeof value === 'number' ? value.toLocaleString('en') : value}</dd>
    </div>
  );
}

interface DiffListProps {
  title: string;
  job: ExportJob;
  comparison: Comparison;
  change: ComparedPage['change'];
}

function DiffList({ title, job, comparison, change }: DiffListProps) {
  const [all, setAll] = useState(false);
  const pages = pagesOf(comparison).filter((page) => page.change === change);
  if (pages.length === 0) return null;
  return (
    <Panel title={title} flush aside={<span className="soft">{counted(pages.length, 'page')}</span>}>
      <ul className="page-diffs">
        {(all ? pages : pages.slice(0, maxListed)).map((page) => (
          <PageDiff key={page.path} job={job} otherId={comparison.from.jobId} page={page} />
        ))}
      </ul>
      {!all && pages.length > maxListed && (
        <div className="table-more">
          <Button onClick={() => setAll(true)}>Show all {pages.length.toLocaleString('en')}</Button>
        </div>
      )}
    </Panel>
  );
}

interface ListedPage {
  path: string;
  title: string | null;
  oldTitle?: string;
  note?: string;
}

function withOldTitle<Page extends Comparison['pages']['changed'][number]>(page: Page): Page & ListedPage {
  const { title, titleBefore } = page;
  return titleBefore === null || titleBefore === title ? page : { ...page, oldTitle: titleBefore };
}

const maxListed = 100;

function PageList(props: { title: string; tone: Tone; word: string; pages: readonly ListedPage[] }) {
  const { title, tone, word, pages } = props;
  const [all, setAll] = useState(false);
  if (pages.length === 0) return null;
  return (
    <Panel title={title} flush aside={<span className="soft">{counted(pages.length, 'page')}</span>}>
      <ul className="change-list">
        {(all ? pages : pages.slice(0, maxListed)).map((page) => (
          <li key={page.path}>
            <Badge tone={tone}>{word}</Badge>
            <span className="change-title">
              {page.title ?? page.path}
              {page.oldTitle !== undefined && <span className="faint"> was “{page.oldTitle}”</span>}
            </span>
            <span className="change-path mono faint">
              {[page.title === null ? '' : page.path, page.note ?? ''].join(' ')}
            </span>
          </li>
        ))}
      </ul>
      {!all && pages.length > maxListed && (
        <div className="table-more">
          <Button onClick={() => setAll(true)}>Show all {pages.length.toLocaleString('en')}</Button>
        </div>
      )}
    </Panel>
  );
}

function Delta({ job, other }: { job: ExportJob; other: ExportJob }) {
  const mayLink = useMay('exports:write');
  const { jobId } = job;
  const link = useMutation({
    mutationFn: () => client.call('createBundle', { params: { jobId }, body: { since: other.jobId } }),
  });
  if (!mayLink) return null;
  const whole = job.bundle === null ? '' : ` The whole bundle has ${bytes(job.bundle.sizeBytes)}.`;
  return (
    <Panel
      title="Delta"
      aside={
        <Button
          icon={link.data === undefined ? 'download' : 'repeat'}
          busy={link.isPending}
          onClick={() => link.mutate()}
        >
          {link.data === undefined ? 'Create link' : 'Renew'}
        </Button>
      }
    >
      <p className="soft">
        Contains only the changes, for sites that have that bundle.{whole}{' '}
        <a href="/docs/deploy/deltas">How to apply a delta</a>
      </p>
      {link.error !== null && <Problem error={link.error} />}
      {link.data !== undefined && <SignedLink bundle={link.data} />}
      <ApiCall
        operation="createBundle"
        params={{ jobId }}
        body={{ since: other.jobId }}
        command={`docyard export download ${jobId} --since ${other.jobId} --output delta.tar.gz`}
      />
    </Panel>
  );
}
