import type { ForgeEvent } from '@docyard/api';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { client } from '../../api/client.ts';
import { useMay } from '../../session/session.tsx';
import { ApiCall } from '../../parts/api-call.tsx';
import { Button } from '../../parts/button.tsx';
import { CopyField } from '../../parts/copy.tsx';
import { Dialog, DialogActions } from '../../parts/dialog.tsx';
import { Note, type Tone } from '../../parts/note.tsx';
import { Facts, Waiting } from '../../parts/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { TextWithCode } from '../../parts/text-with-code.tsx';
import { exact } from '../../parts/time.tsx';
import { useToast } from '../../parts/toast.tsx';
import { useProject } from '../projects/use-projects.ts';
import { EventBadge, EventJob, forgeNames, isPolled, titleOf } from './event-labels.tsx';

export function EventDialog({ eventId, onClose }: { eventId: string; onClose: () => void }) {
  const params = { eventId };
  const queries = useQueryClient();
  const toast = useToast();
  const mayReplay = useMay('exports:write');
  const event = useQuery({
    queryKey: ['event', eventId],
    queryFn: () => client.call('readForgeEvent', { params }),
    refetchInterval: ({ state }) => (state.data?.state === 'pending' ? 1500 : false),
  });
  const replay = useMutation({
    mutationFn: () => client.call('replayForgeEvent', { params }),
    onSuccess: (replayed) => {
      toast('The event is processed again.');
      queries.setQueryData(['event', eventId], replayed);
      void queries.invalidateQueries({ queryKey: ['events'] });
    },
  });
  const canReplay = mayReplay && event.data !== undefined && hasEffect(event.data);
  return (
    <Dialog open onClose={onClose} title={event.data === undefined ? 'Event' : titleOf(event.data)} wide>
      {event.error !== null && <Problem error={event.error} retry={() => void event.refetch()} />}
      {event.isPending && <Waiting lines={8} />}
      {event.data !== undefined && <Details event={event.data} />}
      {replay.error !== null && <Problem error={replay.error} />}
      <ApiCall
        operation={canReplay ? 'replayForgeEvent' : 'readForgeEvent'}
        params={params}
        command={`docyard events ${canReplay ? 'replay' : 'show'} ${eventId}`}
      />
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
        {canReplay && (
          <Button
            look="primary"
            icon="repeat"
            busy={replay.isPending}
            disabled={event.data?.state === 'pending'}
            onClick={() => replay.mutate()}
          >
            Process again
          </Button>
        )}
      </DialogActions>
    </Dialog>
  );
}

function hasEffect({ kind }: ForgeEvent): boolean {
  return kind !== 'test' && kind !== 'other';
}

const reasonTones: Record<ForgeEvent['state'], Tone> = {
  pending: 'info',
  processed: 'quiet',
  ignored: 'quiet',
  failed: 'bad',
};

function Details({ event }: { event: ForgeEvent }) {
  const project = useProject(event.projectId);
  const code = (text: string) => <span className="mono">{text}</span>;
  const facts: [name: string, value: ReactNode][] = [
    ['State', <EventBadge state={event.state} />],
    ['Project', <Link to={`/projects/${event.projectId}`}>{project.data?.name ?? event.projectId}</Link>],
    ['Forge', forgeNames[event.forge]],
    ['Name at the forge', isPolled(event) ? 'None, the branch was polled' : event.name],
    ['Received', exact(event.receivedAt)],
  ];
  if (event.jobId !== null) facts.splice(1, 0, ['Result', <EventJob event={event} />]);
  if (event.actor !== null) facts.push(['By', event.actor]);
  if (event.nextAttemptAt !== null) facts.push(['Next attempt', exact(event.nextAttemptAt)]);
  if (event.finishedAt !== null) facts.push(['Finished', exact(event.finishedAt)]);
  if (event.repository !== null) facts.push(['Repository', code(event.repository)]);
  if (event.pullRequest !== null) facts.push(['Pull request', `#${event.pullRequest}`]);
  if (event.ref !== null) facts.push(['Ref', code(event.ref)]);
  if (event.before !== null) facts.push(['Commit before', code(event.before)]);
  if (event.after !== null) facts.push(['Commit after', code(event.after)]);
  facts.push(['Event', <CopyField text={event.id} label="event id" />]);
  return (
    <>
      {event.reason !== null && (
        <Note tone={reasonTones[event.state]}>
          <TextWithCode text={event.reason} />
        </Note>
      )}
      <Facts facts={facts} />
    </>
  );
}
