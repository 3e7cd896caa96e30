/** A number with its name and a note, in a `dl` of the classes `tiles number-tiles`. */
import type { ReactNode } from 'react';

export function Tile(props: { name: string; note: string; tone?: 'bad' | undefined; children: ReactNode }) {
  const { name, note, tone, children } = props;
  return (
    <div className={tone === undefined ? 'tile' : `tile tile-${tone}`}>
      <dt>{name}</dt>
      <dd>{children}</dd>
      <dd className="tile-note">{note}</dd>
    </div>
  );
}

export function percent(part: number): string {
  return part > 0 && part < 0.01 ? '<1 %' : `${Math.round(part * 100)} %`;
}
