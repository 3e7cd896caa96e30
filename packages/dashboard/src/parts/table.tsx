/** A virtualized table. On narrow screens each row becomes a card. The next page is loaded when the end scrolls into view. */
import { memo, useEffect, useLayoutEffect, useRef, useState, type ReactNode, type RefObject } from 'react';
import { Button } from './button.tsx';
import { Problem } from './problem.tsx';

export interface Column<Row> {
  name: string;
  cell: (row: Row) => ReactNode;
  /** A CSS grid track size, such as `8rem` or `minmax(10rem, 2fr)`. */
  width?: string;
  align?: 'end';
  /** The name is visible to screen readers only. */
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
  const rowHeightPx = useRef(initialRowHeightPx);
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
      {Array.from({ length: Math.ceil(rows.length / blockRows) }, (_, block) => (
        <Block
          key={block}
          rows={rows.slice(block * blockRows, (block + 1) * blockRows)}
          first={block * blockRows}
          columns={columns}
          keyOf={keyOf}
          template={template}
          rowHeightPx={rowHeightPx}
        />
      ))}
      {more !== undefined && <More {...more} />}
    </div>
  );
}

/** Rows are mounted and unmounted in blocks of this size. */
const blockRows = 25;
const initialRowHeightPx = 64;

interface BlockProps<Row> extends Pick<TableProps<Row>, 'rows' | 'columns' | 'keyOf'> {
  first: number;
  template: string;
  /** The average row of the whole block that was measured last. It estimates blocks that were never mounted. */
  rowHeightPx: RefObject<number>;
}

/** Keeps its height while its rows are unmounted: a change above the viewport would move the target of a scroll. */
function Block<Row>({ rows, first, columns, keyOf, template, rowHeightPx }: BlockProps<Row>) {
  const element = useRef<HTMLDivElement>(null);
  const ownRowHeightPx = useRef<number>(undefined);
  const [near, setNear] = useState(first === 0);
  useLayoutEffect(() => {
    if (!near || element.current === null) return;
    ownRowHeightPx.current = element.current.getBoundingClientRect().height / rows.length;
    if (rows.length === blockRows) rowHeightPx.current = ownRowHeightPx.current;
  });
  useEffect(() => {
    const block = element.current;
    if (block === null) return undefined;
    const watch = new IntersectionObserver(
      (entries) => {
        // Observers may report several entries at once, oldest first.
        const entry = entries.at(-1);
        if (entry === undefined) return;
        // Unmounting a row would lose the focus inside it.
        setNear(entry.isIntersecting || block.contains(document.activeElement));
      },
      { rootMargin: '800px' },
    );
    watch.observe(block);
    return () => watch.disconnect();
  }, []);
  return (
    <div
      ref={element}
      className="table-rows"
      role="rowgroup"
      style={near ? undefined : { height: rows.length * (ownRowHeightPx.current ?? rowHeightPx.current) }}
    >
      {near &&
        rows.map((row, index) => (
          <RowOfTable
            key={keyOf(row)}
            row={row}
            // Row 1 is the header.
            place={first + index + 2}
            columns={columns}
            template={template}
          />
        ))}
    </div>
  );
}

interface RowProps<Row> {
  row: Row;
  place: number;
  columns: readonly Column<Row>[];
  template: string;
}

const RowOfTable = memo(function RowOfTable<Row>({ row, place, columns, template }: RowProps<Row>) {
  return (
    <div className="table-row" role="row" aria-rowindex={place} style={{ gridTemplateColumns: template }}>
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
    const watch = new IntersectionObserver(
      (entries) => (entries.at(-1)?.isIntersecting ? load() : undefined),
      {
        rootMargin: '600px',
      },
    );
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
