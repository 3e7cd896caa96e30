import type { Analytics } from '@docyard/api';
import { DayChart } from '../../parts/day-chart.tsx';
import { Panel } from '../../parts/page.tsx';
import { percent, Tile } from '../../parts/tile.tsx';

export function Totals({ totals, days }: { totals: Analytics['totals']; days: number }) {
  const { human, agent, searches, emptySearches, helpful, notHelpful } = totals;
  const votes = helpful + notHelpful;
  return (
    <section aria-label={`Last ${days} days`}>
      <dl className="tiles number-tiles">
        <Tile name="Page views by humans" note={`${perDay(human, days)} a day`}>
          {shown(human)}
        </Tile>
        <Tile
          name="Page views by agents"
          note={agent === 0 ? 'none' : `${percent(agent / (human + agent))} of all`}
        >
          {shown(agent)}
        </Tile>
        <Tile
          name="Searches"
          note={searches === 0 ? 'none' : `${percent(emptySearches / searches)} without results`}
        >
          {shown(searches)}
        </Tile>
        <Tile
          name="Helpful votes"
          note={votes === 0 ? 'no votes' : `${shown(helpful)} of ${shown(votes)} votes`}
        >
          {votes === 0 ? '–' : percent(helpful / votes)}
        </Tile>
      </dl>
    </section>
  );
}

export function ViewsByDay({ days }: Pick<Analytics, 'days'>) {
  return (
    <Panel title="Page views per day">
      <DayChart
        label={`Page views on each of the last ${days.length} days, by humans and by agents.`}
        dates={days.map(({ date }) => date)}
        series={[
          { name: 'Humans', tone: 'accent', values: days.map(({ human }) => human) },
          { name: 'Agents', tone: 'quiet', values: days.map(({ agent }) => agent) },
        ]}
        format={shown}
      />
    </Panel>
  );
}

function perDay(count: number, days: number): string {
  const average = count / days;
  return average < 10 ? average.toFixed(1) : shown(Math.round(average));
}

export function shown(count: number): string {
  return count.toLocaleString('en');
}
