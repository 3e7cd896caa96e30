import type { Diagnostic, ExportJob, Report } from '@docyard/api';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { client } from '../../api/client.ts';
import { Disclosure } from '../../parts/disclosure.tsx';
import { Badge } from '../../parts/note.tsx';
import { Empty, Panel, Waiting } from '../../parts/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { counted } from '../../parts/time.tsx';
import { TextWithCode } from '../../parts/text-with-code.tsx';

const maxInGroup = 4;

export function FindingsSummary({ job: { jobId } }: { job: ExportJob }) {
  const params = { jobId };
  const report = useQuery({
    queryKey: ['export', jobId, 'report'],
    queryFn: () => client.call('readReport', { params }),
    staleTime: Infinity,
  });
  // The first export has no previous one to compare with.
  const compared = useQuery({
    queryKey: ['export', jobId, 'findings'],
    queryFn: () => client.call('compareFindings', { params }),
    staleTime: Infinity,
  });
  if (report.error !== null) return <Problem error={report.error} retry={() => void report.refetch()} />;
  const isLoading = report.data === undefined || compared.isPending;
  return (
    <Panel title="Findings" aside={<Link to={`/exports/${jobId}?tab=report`}>Whole report</Link>}>
      {isLoading ? (
        <Waiting lines={8} />
      ) : report.data.diagnostics.length === 0 && (compared.data?.fixed.length ?? 0) === 0 ? (
        <Empty icon="check" title="No findings">
          All links and pages are valid.
        </Empty>
      ) : (
        <>
          {compared.data !== undefined && (
            <p className="findings-change">
              <span className={compared.data.new.length > 0 ? 'findings-new' : undefined}>
                {counted(compared.data.new.length, 'new finding')}
              </span>
              ,{' '}
              <span className={compared.data.fixed.length > 0 ? 'findings-fixed' : undefined}>
                {compared.data.fixed.length.toLocaleString('en')} fixed
              </span>{' '}
              <span className="faint">since the previous export</span>
            </p>
          )}
          <Groups report={report.data} isNew={membership(compared.data?.new ?? [])} />
          {compared.data !== undefined && compared.data.fixed.length > 0 && (
            <Disclosure icon="check" label={`Fixed: ${counted(compared.data.fixed.length, 'finding')}`}>
              <FindingList findings={compared.data.fixed.slice(0, maxFixed)} isNew={() => false} />
            </Disclosure>
          )}
        </>
      )}
    </Panel>
  );
}

const maxFixed = 20;

const groups = [
  { severity: 'error', one: 'error', tone: 'bad' },
  { severity: 'warning', one: 'warning', tone: 'warn' },
  { severity: 'info', one: 'note', tone: 'quiet' },
] as const;

function Groups({ report, isNew }: { report: Report; isNew: (finding: Diagnostic) => boolean }) {
  const totals = { error: report.errors, warning: report.warnings, info: report.infos };
  return groups.map(({ severity, one, tone }) => {
    const total = totals[severity];
    if (total === 0) return null;
    const found = report.diagnostics.filter((each) => each.severity === severity);
    const newFirst = [...found.filter(isNew), ...found.filter((each) => !isNew(each))];
    const shown = newFirst.slice(0, severity === 'info' ? 0 : maxInGroup);
    return (
      <div key={severity} className="findings-group">
        <h3>
          <Badge tone={tone}>{counted(total, one)}</Badge>
        </h3>
        <FindingList findings={shown} isNew={isNew} />
        {total > shown.length && (
          <Link className="findings-rest" to={`/exports/${report.jobId}?tab=report&severity=${severity}`}>
            {shown.length === 0 ? 'Show in the report' : `${total - shown.length} more in the report`}
          </Link>
        )}
      </div>
    );
  });
}

function FindingList(props: { findings: readonly Diagnostic[]; isNew: (finding: Diagnostic) => boolean }) {
  return (
    <ul className="findings-list">
      {props.findings.map((finding, place) => (
        // The same finding can be reported twice for one line.
        // oxlint-disable-next-line react/no-array-index-key
        <li key={place}>
          <p>
            <TextWithCode text={finding.message} /> {props.isNew(finding) && <Badge tone="info">new</Badge>}
          </p>
          <p className="row-facts mono">
            {finding.file}
            {finding.line === undefined ? '' : `:${finding.line}`} · {finding.code}
          </p>
        </li>
      ))}
    </ul>
  );
}

function membership(findings: readonly Diagnostic[]): (finding: Diagnostic) => boolean {
  const known = new Set(findings.map((each) => JSON.stringify(each)));
  return (finding) => known.has(JSON.stringify(finding));
}
