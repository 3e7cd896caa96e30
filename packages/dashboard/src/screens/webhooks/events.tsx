import { webhookEvents, type WebhookEvent } from '@docyard/api';
import { useState } from 'react';
import { Segments } from '../../parts/segments.tsx';
import { CheckField } from '../../parts/field.tsx';

const allEvents = Object.keys(webhookEvents) as WebhookEvent[];

/** The default selection. `meanings.endings` describes it. */
export const eventsOfEndings: WebhookEvent[] = [
  'export.completed',
  'export.failed',
  'agent.completed',
  'agent.failed',
  'agent.pull_request_opened',
];

const areas = [
  { title: 'Exports', prefix: 'export.' },
  { title: 'Agent jobs', prefix: 'agent.' },
];

const ways = [
  { value: 'endings', label: 'Endings' },
  { value: 'all', label: 'Everything' },
  { value: 'chosen', label: 'Choose' },
] as const;
type Way = (typeof ways)[number]['value'];

const meanings: Record<Way, string> = {
  endings: 'Completed and failed exports and agent jobs, and new pull requests.',
  all: 'All current events, including queued and running jobs.',
  chosen: 'Only the selected events.',
};

export function EventsField(props: { value: WebhookEvent[]; onChange: (value: WebhookEvent[]) => void }) {
  const { value, onChange } = props;
  const [way, setWay] = useState<Way>(() => wayOf(value));
  const toggle = (event: WebhookEvent, isWanted: boolean) =>
    onChange(allEvents.filter((each) => (each === event ? isWanted : value.includes(each))));
  return (
    <div className="field">
      <span className="field-label">Tell it of</span>
      <span>
        <Segments
          label="Tell it of"
          value={way}
          segments={ways}
          onChange={(next) => {
            setWay(next);
            if (next !== 'chosen') onChange(next === 'all' ? allEvents : eventsOfEndings);
          }}
        />
      </span>
      <span className="field-hint">{meanings[way]}</span>
      {way === 'chosen' && (
        <div className="events">
          {areas.map(({ title, prefix }) => (
            <fieldset key={prefix} className="events-area">
              <legend className="visually-hidden">{title}</legend>
              {allEvents
                .filter((event) => event.startsWith(prefix))
                .map((event) => (
                  <CheckField
                    key={event}
                    label={event}
                    hint={webhookEvents[event]}
                    checked={value.includes(event)}
                    onChange={(isWanted) => toggle(event, isWanted)}
                  />
                ))}
            </fieldset>
          ))}
        </div>
      )}
    </div>
  );
}

function wayOf(events: readonly WebhookEvent[]): Way {
  if (events.length === allEvents.length) return 'all';
  const areEndings =
    events.length === eventsOfEndings.length && eventsOfEndings.every((event) => events.includes(event));
  return areEndings ? 'endings' : 'chosen';
}

export function eventsInWords(events: readonly WebhookEvent[]): string {
  if (events.length === allEvents.length) return 'everything';
  const [first, second, ...rest] = events;
  if (first === undefined) return 'nothing';
  if (second === undefined) return first;
  return rest.length === 0 ? `${first}, ${second}` : `${first}, ${second} and ${rest.length} more`;
}
