import type { ForgeEvent } from '@docyard/api';
import { useMemo } from 'react';
import { Link } from 'wouter';
import { Table, type Column, type MoreRows } from '../../parts/table.tsx';
import { TextWithCode } from '../../parts/text-with-code.tsx';
import { Ago } from '../../parts/time.tsx';
import { EventBadge, EventJob, forgeNames, isPolled, shortCommit, titleOf } from './event-labels.tsx';
import './events.css';

interface EventTableProps {
  events: readonly ForgeEvent[];
  /** The address that shows the details of an event. */
  linkTo: (eventId: string) => string;
  /** Names of projects by id, for events of several projects. */
  names?: ReadonlyMap<string, string> | undefined;
  more?: MoreRows;
}

export function EventTable({ events, linkTo, names, more }: EventTableProps) {
  const columns = useMemo(() => columnsWith(linkTo, names), [linkTo, names]);
  return (
    <Table
      label="Events"
      rows={events}
      columns={columns}
      keyOf={({ id }) => id}
      {...(more === undefined ? {} : { more })}
    />
  );
}

function columnsWith(
  linkTo: (eventId: string) => string,
  names: ReadonlyMap<string, string> | undefined,
): Column<ForgeEvent>[] {
  return [
    {
      name: 'Event',
      width: 'minmax(11rem, 3fr)',
      cell: (event) => (
        <>
          <Link to={linkTo(event.id)} className="event-name">
            {titleOf(event)}
          </Link>
          <div className="event-about">{aboutOf(event, names)}</div>
        </>
      ),
    },
    { name: 'State', width: '7rem', cell: ({ state }) => <EventBadge state={state} /> },
    {
      name: 'Result',
      width: 'minmax(10rem, 4fr)',
      cell: (event) =>
        event.reason === null && event.jobId === null ? (
          <span className="faint">–</span>
        ) : (
          <>
            <EventJob event={event} />
            {event.reason !== null && (
              <div className="event-reason">
                <TextWithCode text={event.reason} />
              </div>
            )}
          </>
        ),
    },
    { name: 'Received', width: '8rem', align: 'end', cell: ({ receivedAt }) => <Ago at={receivedAt} /> },
  ];
}

function aboutOf(event: ForgeEvent, names: ReadonlyMap<string, string> | undefined): string {
  const source = isPolled(event) ? 'Polled' : forgeNames[event.forge];
  return [names?.get(event.projectId), source, shortCommit(event), event.actor].filter(Boolean).join(' · ');
}
