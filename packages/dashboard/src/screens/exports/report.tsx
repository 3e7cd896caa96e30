import type { ExportJob, Report } from '@docyard/api';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { client } from '../../api/client.ts';
import { ApiCall } from '../../parts/api-call.tsx';
import { Button, ButtonLink } from '../../parts/button.tsx';
import { Panel, Waiting } from '../../parts/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { bytes, span } from '../../parts/time.tsx';
import { Bars } from './bars.tsx';
import { brokenLinks, broken, Findings } from './report-findings.tsx';

export function QualityReport({ job: { jobId } }: { job: ExportJob }) {
  const report = useQuery({
    queryKey: ['export', jobId, 'report'],
    queryFn: () => client.call('readReport', { params: { jobId } }),
    staleTime: Infinity,
  });
  if (report.error !== null) return <Problem error={report.error} retry={() => void report.refetch()} />;
  if (report.data === undefined)
    return (
      <Panel>
        <Waiting lines={10} />
      </Panel>
    );
  return (
    <>
      <Counts report={report.data} />
      <Findings report={report.data} />
      <div className="side-by-side">
        <Panel title="Slowest pages">
          {report.data.slowest.length === 0 ? (
            <p className="soft">No render times are available.</p>
          ) : (
            <Bars
              caption="Pages that took longest to render"
              nameHead="Page"
              valueHead="Time"
              rows={report.data.slowest.slice(0, maxBars).map(({ file, milliseconds }) => ({
                name: file,
                value: milliseconds,
              }))}
              format={(value) => (value < 1000 ? `${Math.round(value)} ms` : span(value))}
            />
          )}
        </Panel>
        <Panel title="Heaviest pages">
          <Bars
            caption="Pages with the most HTML"
            nameHead="Page"
            valueHead="Size"
            rows={report.data.weights
              .slice(0, maxBars)
              .map((page) => ({ name: page.path, value: page.bytes }))}
            format={bytes}
          />
        </Panel>
      </div>
      <Lists report={report.data} />
      <div className="part-foot">
        <ApiCall operation="readReport" params={{ jobId }} />
        <ButtonLink to={`/v1/static-export/jobs/${jobId}/report`} look="quiet" icon="external" outside>
          Open as HTML
        </ButtonLink>
      </div>
    </>
  );
}

const maxBars = 12;
function Counts({ report }: { report: Report }) {
  const brokenCount = brokenLinks(report);
  const weight = report.weights.reduce((sum, page) => sum + page.bytes, 0);
  const tiles: { name: string; value: string; tone?: 'bad' | 'warn' | undefined; to?: string }[] = [
    { name: 'Pages', value: report.pages.toLocaleString('en') },
    {
      name: 'Errors',
      value: report.errors.toLocaleString('en'),
      tone: report.errors > 0 ? 'bad' : undefined,
    },
    {
      name: 'Warnings',
      value: report.warnings.toLocaleString('en'),
      tone: report.warnings > 0 ? 'warn' : undefined,
    },
    {
      name: 'Broken links',
      value: brokenCount.toLocaleString('en'),
      ...(brokenCount === 0 ? {} : { tone: 'bad', to: `/exports/${report.jobId}?tab=report&code=${broken}` }),
    },
    { name: 'Unreached', value: report.orphans.length.toLocaleString('en') },
    { name: 'HTML in all', value: bytes(weight) },
  ];
  return (
    <dl className="tiles">
      {tiles.map(({ name, value, tone, to }) => (
        <div key={name} className={tone === undefined ? 'tile' : `tile tile-${tone}`}>
          <dt>{name}</dt>
          <dd>{to === undefined ? value : <Link to={to}>{value}</Link>}</dd>
        </div>
      ))}
    </dl>
  );
}

const maxListed = 50;

function Lists({ report }: { report: Report }) {
  if (report.orphans.length === 0 && report.remoteAssets.length === 0) return null;
  return (
    <div className="side-by-side">
      {report.orphans.length > 0 && (
        <Panel title="Orphaned pages">
          <Names names={report.orphans} />
        </Panel>
      )}
      {report.remoteAssets.length > 0 && (
        <Panel title="Assets of other hosts">
          <Names names={[...new Set(report.remoteAssets.map(({ address }) => address))]} />
        </Panel>
      )}
    </div>
  );
}

export function Names({ names }: { names: readonly string[] }) {
  const [all, setAll] = useState(false);
  return (
    <>
      <ul className="name-list mono">
        {(all ? names : names.slice(0, maxListed)).map((name) => (
          <li key={name}>{name}</li>
        ))}
      </ul>
      {!all && names.length > maxListed && (
        <Button onClick={() => setAll(true)}>Show all {names.length.toLocaleString('en')}</Button>
      )}
    </>
  );
}
