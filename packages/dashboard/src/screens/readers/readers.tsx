/** What readers of all deployments, or of one, read, search for and say. */
import type { Analytics } from '@docyard/api';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useSearchParams } from 'wouter';
import { client } from '../../api/client.ts';
import { ApiCall } from '../../parts/api-call.tsx';
import { SelectField } from '../../parts/field.tsx';
import { Icon } from '../../parts/icons.tsx';
import { Page, Panel, Waiting } from '../../parts/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Segments } from '../../parts/segments.tsx';
import { Comments } from './comments.tsx';
import { EnableAnalytics } from './enable-analytics.tsx';
import { Totals, ViewsByDay } from './numbers.tsx';
import { Rankings } from './rankings.tsx';
import './readers.css';

const periods = ['7', '30', '90'] as const;
type Period = (typeof periods)[number];
const defaultPeriod = '30';

export function Readers() {
  const [search, setSearch] = useSearchParams();
  const period = periods.find((days) => days === search.get('days')) ?? defaultPeriod;
  const deploymentId = deploymentOf(search);
  const query = { days: Number(period), ...(deploymentId === '' ? {} : { deploymentId }) };
  const analytics = useQuery({
    queryKey: ['analytics', query],
    queryFn: () => client.call('readAnalytics', { query }),
    placeholderData: keepPreviousData,
  });
  const sites = useSites();
  const setParam = (name: string, value: string) =>
    setSearch((before) => {
      const next = new URLSearchParams(before);
      if (value === '') next.delete(name);
      else next.set(name, value);
      return next;
    });
  return (
    <Page
      title="Readers"
      lead="What humans and agents read, search for in vain, and say about pages."
      actions={<Download query={query} />}
    >
      <div className="readers-filters">
        <Segments<Period>
          label="Period"
          value={period}
          onChange={(days) => setParam('days', days === defaultPeriod ? '' : days)}
          segments={periods.map((days) => ({ value: days, label: `${days} days` }))}
        />
        <SelectField
          label="Site"
          quiet
          value={deploymentId}
          onChange={(id) => setParam('site', id)}
          choices={choicesOf(sites, deploymentId)}
        />
      </div>
      {analytics.data === undefined && analytics.error === null && (
        <Panel>
          <Waiting lines={10} />
        </Panel>
      )}
      {analytics.data === undefined && analytics.error !== null && (
        <Problem error={analytics.error} retry={() => void analytics.refetch()} />
      )}
      {analytics.data !== undefined && (
        <Shown analytics={analytics.data} sites={sites} isOneSite={deploymentId !== ''} />
      )}
      <ApiCall operation="readAnalytics" query={query} />
    </Page>
  );
}

interface ShownProps {
  analytics: Analytics;
  sites: ReadonlyMap<string, string>;
  isOneSite: boolean;
}

function Shown({ analytics, sites, isOneSite }: ShownProps) {
  if (isEmpty(analytics)) return <EnableAnalytics days={analytics.days.length} isOneSite={isOneSite} />;
  return (
    <>
      <Totals totals={analytics.totals} days={analytics.days.length} />
      <ViewsByDay days={analytics.days} />
      <Rankings analytics={analytics} />
      <Comments comments={analytics.comments} sites={isOneSite ? new Map() : sites} />
    </>
  );
}

function isEmpty({ totals, missing }: Analytics): boolean {
  return missing.length === 0 && Object.values(totals).every((total) => total === 0);
}

/** Values that are no id of a deployment are ignored. */
function deploymentOf(search: URLSearchParams): string {
  const id = search.get('site') ?? '';
  return /^dp_[0-9a-f]{16}$/.test(id) ? id : '';
}

/** Names of the deployments by their ids. */
function useSites(): ReadonlyMap<string, string> {
  const sites = useQuery({
    queryKey: ['deployments', 'names'],
    queryFn: async () => {
      const found: [id: string, name: string][] = [];
      for await (const { id, name } of client.each('listDeployments', { query: { limit: 100 } }))
        found.push([id, name]);
      return found.toSorted(([, a], [, b]) => a.localeCompare(b));
    },
    staleTime: 30_000,
  });
  return new Map(sites.data);
}

function choicesOf(sites: ReadonlyMap<string, string>, chosen: string) {
  const choices = [...sites].map(([value, label]) => ({ value, label }));
  const isKnown = chosen === '' || sites.has(chosen);
  return [
    { value: '', label: 'All sites' },
    ...choices,
    ...(isKnown ? [] : [{ value: chosen, label: chosen }]),
  ];
}

/** A link: the browser streams the file to disk and sends the session cookie. */
function Download({ query }: { query: Record<string, string | number> }) {
  const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
  return (
    <a className="button button-plain" href={`/v1/analytics/export?${search.toString()}`} download>
      <Icon name="download" />
      CSV
      <span className="visually-hidden"> of all counts and comments of the period</span>
    </a>
  );
}
