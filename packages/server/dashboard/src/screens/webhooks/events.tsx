/** The events that a webhook can be told of: chosen in a form, and said in a few words. */
import { webhookEvents, type WebhookEvent } from '@docyard/api';
import { Button } from '../../parts/button.tsx';
import { CheckField } from '../../parts/field.tsx';

const allEvents = Object.keys(webhookEvents) as WebhookEvent[];

/** What most programs wait for: that something has ended. */
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

export function EventsField({
  value,
  onChange,
}: {
  value: WebhookEvent[];
  onChange: (value: WebhookEvent[]) => void;
}) {
  const toggle = (event: WebhookEvent, isWanted: boolean) =>
    onChange(allEvents.filter((each) => (each === event ? isWanted : value.includes(each))));
  return (
    <fieldset className="events">
      <legend className="field-label">Tell it of</legend>
      <div className="events-quick">
        <Button look="quiet" onClick={() => onChange(allEvents)}>
          Everything
        </Button>
        <Button look="quiet" onClick={() => onChange(eventsOfEndings)}>
          Endings only
        </Button>
      </div>
      {areas.map(({ title, prefix }) => (
        <div key={prefix} className="events-area">
          <h3>{title}</h3>
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
        </div>
      ))}
    </fieldset>
  );
}

export function eventsInWords(events: readonly WebhookEvent[]): string {
  if (events.length === allEvents.length) return 'everything';
  const [first, second, ...rest] = events;
  if (first === undefined) return 'nothing';
  if (second === undefined) return first;
  return rest.length === 0 ? `${first}, ${second}` : `${first}, ${second} and ${rest.length} more`;
}
