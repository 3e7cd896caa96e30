/**
 * A table that stays quick with 10,000 rows: what is out of sight is neither laid out nor painted. On a phone each row
 * becomes a card. Lists of the API come in pages; the next one is fetched when the end comes into sight.
 */
import { memo, useEffect, useRef, type ReactNode } from 'react';
import { Button } from './button.tsx';
import { Problem } from './problem.tsx';

export interface Column<Row> {
  name: string;
  cell: (row: Row) => ReactNode;
  /** A width of CSS grid, such as `8rem` or `minmax(10rem, 2fr)`. */
  width?: string;
  align?: 'end';
  /** The name is for screen readers only. */
  quiet?: boolean;
}

interface TableProps<Row> {
  label: string;
  rows: readonly Row[];
  columns: readonly Column<Row>[];
  keyOf: (row: Row) => string;
  more?: MoreRows;
}

export interface MoreRows {
  hasMore: boolean;
  loading: boolean;
  error: unknown;
  load: () => void;
}

export function Table<Row>({ label, rows, columns, keyOf, more }: TableProps<Row>) {
  const template = columns.map(({ width }) => width ?? 'minmax(0, 1fr)').join(' ');
  return (
    <div
      className="table"
      role="table"
      aria-label={label}
      aria-rowcount={more?.hasMore ? -1 : rows.length + 1}
    >
      <div className="table-head" role="row" style={{ gridTemplateColumns: template }}>
        {columns.map(({ name, align, quiet }) => (
          <span key={name} role="columnheader" className={align === 'end' ? 'end' : undefined}>
            {quiet === true ? <span className="visually-hidden">{name}</span> : name}
          </span>
        ))}
      </div>
      {rows.map((row) => (
        <RowOfTable key={keyOf(row)} row={row} columns={columns} template={template} />
      ))}
      {more !== undefined && <More {...more} />}
    </div>
  );
}

interface RowProps<Row> {
  row: Row;
  columns: readonly Column<Row>[];
  template: string;
}

/** Drawn again only when its row is another object, as long as the columns stay the same ones. */
const RowOfTable = memo(function RowOfTable<Row>({ row, columns, template }: RowProps<Row>) {
  return (
    <div className="table-row" role="row" style={{ gridTemplateColumns: template }}>
      {columns.map(({ name, cell, align, quiet }) => (
        <div key={name} role="cell" className={quiet === true ? 'cell-quiet' : align}>
          {quiet !== true && (
            <span className="cell-name" aria-hidden="true">
              {name}
            </span>
          )}
          <div className="cell-value">{cell(row)}</div>
        </div>
      ))}
    </div>
  );
}) as <Row>(props: RowProps<Row>) => ReactNode;

function More({ hasMore, loading, error, load }: MoreRows) {
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = end.current;
    if (element === null || !hasMore || loading || error) return undefined;
    const watch = new IntersectionObserver(([entry]) => (entry?.isIntersecting ? load() : undefined), {
      rootMargin: '600px',
    });
    watch.observe(element);
    return () => watch.disconnect();
  }, [hasMore, loading, error, load]);
  if (error) return <Problem error={error} retry={load} />;
  if (!hasMore) return null;
  return (
    <div ref={end} className="table-more">
      <Button onClick={load} busy={loading}>
        Show more
      </Button>
    </div>
  );
}
