/** What forges reported, and what followed. */
import { forgeEventKinds, type ForgeEvent } from '@docyard/api';
import { useCallback } from 'react';
import { useSearchParams } from 'wouter';
import { useMay } from '../../session/session.tsx';
import { ApiCall } from '../../parts/api-call.tsx';
import { Button, ButtonLink } from '../../parts/button.tsx';
import { SelectField } from '../../parts/field.tsx';
import { Empty, Page, Panel, Waiting } from '../../parts/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Segments } from '../../parts/segments.tsx';
import { ProjectPicker } from '../projects/project-picker.tsx';
import { useFirstProjects, useProjectNames } from '../projects/use-projects.ts';
import { EventDialog } from './event-dialog.tsx';
import { EventTable } from './event-table.tsx';
import { useEvents, type EventFilters } from './use-events.ts';
import './events.css';

const stateSegments = [
  { value: 'all', label: 'All' },
  { value: 'pending', label: 'Waiting' },
  { value: 'processed', label: 'Processed' },
  { value: 'ignored', label: 'Ignored' },
  { value: 'failed', label: 'Failed' },
] as const;

const kindNames: Record<ForgeEvent['kind'], string> = {
  push: 'Pushes',
  pull_request: 'Pull requests',
  comment: 'Comments',
  review: 'Reviews',
  test: 'Tests of hooks',
  other: 'Other events',
};

const kindChoices = [
  { value: '', label: 'Every kind' },
  ...forgeEventKinds.map((kind) => ({ value: kind, label: kindNames[kind] })),
];

export function Events() {
  const [search, setSearch] = useSearchParams();
  const projects = useFirstProjects();
  const state = stateSegments.find(({ value }) => value === search.get('state'))?.value ?? 'all';
  const kind = forgeEventKinds.find((each) => each === search.get('kind'));
  const projectId = search.get('project') ?? '';
  const eventId = search.get('event');
  const setParam = (name: string, value: string) =>
    setSearch((before) => {
      const next = new URLSearchParams(before);
      if (value === '') next.delete(name);
      else next.set(name, value);
      return next;
    });
  const filters: EventFilters = {
    ...(projectId === '' ? {} : { projectId }),
    ...(state === 'all' ? {} : { state }),
    ...(kind === undefined ? {} : { kind }),
  };
  const hasSeveralProjects = (projects.data?.length ?? 0) > 1;
  return (
    <Page
      title="Events"
      lead="Pushes and other events that forges reported, and what followed. Events are kept for 30 days."
    >
      <div className="event-filters">
        <Segments
          label="State"
          value={state}
          onChange={(next) => setParam('state', next === 'all' ? '' : next)}
          segments={stateSegments}
        />
        <SelectField
          label="Kind"
          quiet
          value={kind ?? ''}
          onChange={(next) => setParam('kind', next)}
          choices={kindChoices}
        />
        {hasSeveralProjects && (
          <ProjectPicker
            quiet
            none="Every project"
            value={projectId}
            onChange={(next) => setParam('project', next)}
          />
        )}
      </div>
      <Panel flush>
        <EventList
          filters={filters}
          showsProjects={hasSeveralProjects && projectId === ''}
          setUp={setUpAddress(projectId, projects.data)}
          clear={() => setSearch(projectId === '' ? {} : { project: projectId })}
        />
      </Panel>
      <ApiCall
        operation="listForgeEvents"
        query={{ ...filters, limit: 50 }}
        command={`docyard events list${projectId === '' ? '' : ` --project ${projectId}`}`}
      />
      {eventId !== null && <EventDialog eventId={eventId} onClose={() => setParam('event', '')} />}
    </Page>
  );
}

/** The settings of the chosen or only project, otherwise the list of projects. */
function setUpAddress(projectId: string, projects: readonly { id: string }[] | undefined): string {
  const [only, ...others] = projects ?? [];
  const chosen = projectId === '' && others.length === 0 ? only?.id : projectId;
  return chosen ? `/projects/${chosen}?tab=automatic` : '/projects';
}

interface EventListProps {
  filters: EventFilters;
  showsProjects: boolean;
  setUp: string;
  clear: () => void;
}

function EventList({ filters, showsProjects, setUp, clear }: EventListProps) {
  const [search] = useSearchParams();
  const { rows, error, refetch, more } = useEvents(filters);
  const names = useProjectNames(showsProjects ? (rows ?? []).map(({ projectId }) => projectId) : []);
  const parameters = search.toString();
  const linkTo = useCallback(
    (eventId: string) => {
      const next = new URLSearchParams(parameters);
      next.set('event', eventId);
      return `/events?${next}`;
    },
    [parameters],
  );
  if (error !== null) return <Problem error={error} retry={refetch} />;
  if (rows === undefined) return <Waiting lines={8} />;
  if (rows.length > 0)
    return <EventTable events={rows} linkTo={linkTo} names={showsProjects ? names : undefined} more={more} />;
  if (filters.state !== undefined || filters.kind !== undefined)
    return (
      <Empty
        icon="search"
        title="No matching events"
        action={<Button onClick={clear}>Show every event</Button>}
      >
        No event of the last 30 days matches these filters.
      </Empty>
    );
  return <NoEvents setUp={setUp} />;
}

function NoEvents({ setUp }: { setUp: string }) {
  const mayChange = useMay('projects:write');
  return (
    <Empty
      icon="branch"
      title="No events yet"
      action={
        mayChange && (
          <ButtonLink to={setUp} look="primary" icon="arrow">
            {setUp === '/projects' ? 'Choose a project' : 'Set up automatic exports'}
          </ButtonLink>
        )
      }
    >
      Connect a project to its forge, or let Docyard poll its branch. Each push is then listed here and starts
      an export.
    </Empty>
  );
}
