/** The findings of a report, filtered by severity, code and text. Severity and code are in the URL. */
import type { Diagnostic, Report } from '@docyard/api';
import { useMemo, useState } from 'react';
import { useSearchParams } from 'wouter';
import { Button } from '../../parts/button.tsx';
import { SelectField, TextField } from '../../parts/field.tsx';
import { Badge, Note } from '../../parts/note.tsx';
import { Empty, Panel } from '../../parts/page.tsx';
import { Segments } from '../../parts/segments.tsx';
import { Table, type Column } from '../../parts/table.tsx';
import { counted } from '../../parts/time.tsx';
import { TextWithCode } from '../../parts/text-with-code.tsx';

const brokenCodes = ['broken_link', 'broken_anchor', 'redirect_broken'];
export const broken = 'broken';

export function brokenLinks({ byCode }: Report): number {
  return brokenCodes.reduce((sum, code) => sum + (byCode[code] ?? 0), 0);
}

const tones = { error: 'bad', warning: 'warn', info: 'quiet' } as const;
type Severity = Diagnostic['severity'] | 'all';
const rowsAtFirst = 20;
const rowsAtOnce = 100;

export function Findings({ report }: { report: Report }) {
  const [search, setSearch] = useSearchParams();
  const [text, setText] = useState('');
  const [shown, setShown] = useState(rowsAtFirst);
  const severity =
    (['error', 'warning', 'info'] as const).find((each) => each === search.get('severity')) ?? 'all';
  const code = search.get('code') ?? '';
  const rows = useMemo(
    () =>
      numbered(report.diagnostics).filter(({ finding }) => matchesFilters(finding, { severity, code, text })),
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
        <Empty icon="check" title="No findings">
          All links, images and pages are valid.
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

function matchesFilters(
  finding: Diagnostic,
  filters: { severity: Severity; code: string; text: string },
): boolean {
  if (filters.severity !== 'all' && finding.severity !== filters.severity) return false;
  if (filters.code !== '' && !codesOf(filters.code).includes(finding.code)) return false;
  const text = filters.text.trim().toLowerCase();
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
          <TextWithCode text={finding.message} />
        </p>
        {finding.count !== undefined && <p className="row-facts">In {finding.count} places</p>}
        {finding.hint !== undefined && (
          <p className="row-facts">
            <TextWithCode text={finding.hint} />
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
