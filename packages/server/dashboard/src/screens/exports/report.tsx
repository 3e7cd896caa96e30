/** The quality report: what was found on the pages, what they weigh, which took longest. */
import type { Diagnostic, ExportJob, Report } from '@docyard/api';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import { client } from '../../app/client.ts';
import { ApiCall } from '../../parts/api-call.tsx';
import { Button, ButtonLink } from '../../parts/button.tsx';
import { SelectField, TextField } from '../../parts/field.tsx';
import { Badge, Note } from '../../parts/note.tsx';
import { Empty, Panel, Waiting } from '../../parts/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Segments } from '../../parts/segments.tsx';
import { Table, type Column } from '../../parts/table.tsx';
import { bytes, counted, span } from '../../parts/time.tsx';
import { Words } from '../../parts/words.tsx';
import { Bars } from './bars.tsx';

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
            <p className="soft">No times were kept.</p>
          ) : (
            <Bars
              caption="Pages that took longest to render"
              nameHead="Page"
              valueHead="Time"
              rows={report.data.slowest.slice(0, mostBars).map(({ file, milliseconds }) => ({
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
              .slice(0, mostBars)
              .map((page) => ({ name: page.path, value: page.bytes }))}
            format={bytes}
          />
        </Panel>
      </div>
      <Lists report={report.data} />
      <div className="part-foot">
        <ApiCall operation="readReport" params={{ jobId }} />
        <ButtonLink to={`/v1/static-export/jobs/${jobId}/report`} look="quiet" icon="external" outside>
          Open as a page
        </ButtonLink>
      </div>
    </>
  );
}

const mostBars = 12;
const brokenCodes = ['broken_link', 'broken_anchor', 'redirect_broken'];
/** Stands for all of these where one kind is chosen. */
const broken = 'broken';

function brokenLinks({ byCode }: Report): number {
  return brokenCodes.reduce((sum, code) => sum + (byCode[code] ?? 0), 0);
}

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

const tones = { error: 'bad', warning: 'warn', info: 'quiet' } as const;
type Severity = Diagnostic['severity'] | 'all';
/** So few that the charts below stay near; more on request. */
const rowsAtFirst = 20;
const rowsAtOnce = 100;

function Findings({ report }: { report: Report }) {
  const [search, setSearch] = useSearchParams();
  const [text, setText] = useState('');
  const [shown, setShown] = useState(rowsAtFirst);
  const severity =
    (['error', 'warning', 'info'] as const).find((each) => each === search.get('severity')) ?? 'all';
  const code = search.get('code') ?? '';
  const rows = useMemo(
    () => numbered(report.diagnostics).filter(({ finding }) => isMeant(finding, { severity, code, text })),
    [report, severity, code, text],
  );
  const set = (name: string, value: string | null) => {
    setShown(rowsAtFirst);
    setSearch(
      (before) => {
        const next = new URLSearchParams(before);
        if (value === null) next.delete(name);
        else next.set(name, value);
        return next;
      },
      { replace: true },
    );
  };
  if (report.diagnostics.length === 0)
    return (
      <Panel>
        <Empty icon="check" title="Nothing was found">
          Every link leads somewhere, every picture is there, and every page could be read.
        </Empty>
      </Panel>
    );
  return (
    <Panel title="Findings" flush aside={<span className="soft">{counted(rows.length, 'finding')}</span>}>
      <div className="panel-inside filters">
        <Segments<Severity>
          label="Severity"
          value={severity}
          onChange={(next) => set('severity', next === 'all' ? null : next)}
          segments={[
            { value: 'all', label: 'All' },
            { value: 'error', label: `Errors ${report.errors}` },
            { value: 'warning', label: `Warnings ${report.warnings}` },
            { value: 'info', label: `Notes ${report.infos}` },
          ]}
        />
        <div className="filters-selects">
          <SelectField
            label="Kind"
            quiet
            value={code}
            onChange={(next) => set('code', next === '' ? null : next)}
            choices={[
              { value: '', label: 'Every kind' },
              ...(brokenLinks(report) === 0
                ? []
                : [{ value: broken, label: 'Broken links', hint: String(brokenLinks(report)) }]),
              ...Object.entries(report.byCode).map(([value, count]) => ({
                value,
                label: value,
                hint: String(count),
              })),
            ]}
          />
          <TextField
            label="Search findings"
            quiet
            type="search"
            placeholder="Search"
            value={text}
            onChange={setText}
          />
        </div>
      </div>
      {rows.length === 0 ? (
        <p className="panel-inside soft">No finding matches.</p>
      ) : (
        <Table label="Findings" rows={rows.slice(0, shown)} columns={columns} keyOf={({ key }) => key} />
      )}
      {rows.length > shown && (
        <div className="table-more">
          <Button onClick={() => setShown(shown + rowsAtOnce)}>
            Show {Math.min(rowsAtOnce, rows.length - shown)} more
          </Button>
        </div>
      )}
      {report.truncated && (
        <div className="panel-inside">
          <Note tone="info">Only the first {counted(report.diagnostics.length, 'finding')} are listed.</Note>
        </div>
      )}
    </Panel>
  );
}

interface FindingRow {
  key: string;
  finding: Diagnostic;
}

function numbered(findings: readonly Diagnostic[]): FindingRow[] {
  return findings.map((finding, index) => ({ key: String(index), finding }));
}

function isMeant(finding: Diagnostic, wanted: { severity: Severity; code: string; text: string }): boolean {
  if (wanted.severity !== 'all' && finding.severity !== wanted.severity) return false;
  if (wanted.code !== '' && !codesOf(wanted.code).includes(finding.code)) return false;
  const text = wanted.text.trim().toLowerCase();
  return text === '' || `${finding.message} ${finding.file} ${finding.code}`.toLowerCase().includes(text);
}

function codesOf(kind: string): string[] {
  return kind === broken ? brokenCodes : [kind];
}

const columns: Column<FindingRow>[] = [
  {
    name: 'Finding',
    width: 'minmax(0, 4fr)',
    cell: ({ finding }) => (
      <>
        <p>
          <Words text={finding.message} />
        </p>
        {finding.hint !== undefined && (
          <p className="row-facts">
            <Words text={finding.hint} />
          </p>
        )}
      </>
    ),
  },
  {
    name: 'Place',
    width: 'minmax(0, 2fr)',
    cell: ({ finding }) => (
      <span className="mono">
        {finding.file}
        {finding.line === undefined ? '' : `:${finding.line}`}
      </span>
    ),
  },
  {
    name: 'Kind',
    width: '10.5rem',
    cell: ({ finding }) => (
      <>
        <Badge tone={tones[finding.severity]}>{finding.severity}</Badge>
        <div className="row-facts">
          <a href="/docs/reference/findings">{finding.code}</a>
        </div>
      </>
    ),
  },
];

const mostListed = 50;

function Lists({ report }: { report: Report }) {
  if (report.orphans.length === 0 && report.remoteAssets.length === 0) return null;
  return (
    <div className="side-by-side">
      {report.orphans.length > 0 && (
        <Panel title="Pages nothing leads to">
          <Names names={report.orphans} />
        </Panel>
      )}
      {report.remoteAssets.length > 0 && (
        <Panel title="Wanted from other hosts">
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
        {(all ? names : names.slice(0, mostListed)).map((name) => (
          <li key={name}>{name}</li>
        ))}
      </ul>
      {!all && names.length > mostListed && (
        <Button onClick={() => setAll(true)}>Show all {names.length.toLocaleString('en')}</Button>
      )}
    </>
  );
}
