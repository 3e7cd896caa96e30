/** Pages, searches and paths with the highest counts. */
import type { Analytics } from '@docyard/api';
import { useState, type ReactNode } from 'react';
import { Button } from '../../parts/button.tsx';
import { Panel } from '../../parts/page.tsx';
import { shown } from './numbers.tsx';

export function Rankings({ analytics }: { analytics: Analytics }) {
  const { pages, ratings, emptySearches, missing } = analytics;
  return (
    <div className="number-halves">
      <div className="rankings">
        <Ranking
          title="Most read pages"
          columns={['Page', 'Humans', 'Agents']}
          rows={pages.map(({ path, human, agent }) => ({ name: path, counts: [human, agent] }))}
          nothing="No page was read."
        />
        <Ranking
          title="Feedback by page"
          columns={['Page', 'Helpful', 'Not helpful']}
          rows={ratings.map(({ path, helpful, notHelpful }) => ({
            name: path,
            counts: [helpful, notHelpful],
          }))}
          nothing={
            <>
              No votes yet. Pages ask readers with <code>feedback.thumbsRating</code> in{' '}
              <code>docs.json</code>. <a href="/docs/deploy/analytics#ask-readers">How it works</a>
            </>
          }
        />
      </div>
      <div className="rankings">
        <Ranking
          title="Searches without results"
          columns={['Search', 'Times']}
          rows={emptySearches.map(({ text, count }) => ({ name: text, counts: [count] }))}
          nothing="Every reported search found something."
        />
        <Ranking
          title="Missing pages"
          columns={['Path', 'Times']}
          rows={missing.map(({ path, count }) => ({ name: path, counts: [count] }))}
          nothing="No browser asked for a page that does not exist."
        />
      </div>
    </div>
  );
}

const shownAtFirst = 10;

interface RankingProps {
  title: string;
  columns: readonly string[];
  rows: readonly { name: string; counts: readonly number[] }[];
  nothing: ReactNode;
}

function Ranking({ title, columns, rows, nothing }: RankingProps) {
  const [showsAll, setShowsAll] = useState(false);
  const listed = showsAll ? rows : rows.slice(0, shownAtFirst);
  return (
    <Panel title={title}>
      {rows.length === 0 ? (
        <p className="soft">{nothing}</p>
      ) : (
        <table className="ranking">
          <caption className="visually-hidden">{title}</caption>
          <thead>
            <tr>
              {columns.map((column) => (
                <th key={column} scope="col">
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {listed.map(({ name, counts }) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                {columns.slice(1).map((column, place) => (
                  <td key={column}>{shown(counts[place] ?? 0)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {rows.length > shownAtFirst && (
        <div>
          <Button aria-expanded={showsAll} onClick={() => setShowsAll(!showsAll)}>
            {showsAll ? 'Show fewer' : `Show all ${rows.length}`}
            <span className="visually-hidden"> of {title}</span>
          </Button>
        </div>
      )}
    </Panel>
  );
}
