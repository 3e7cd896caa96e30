/** The steps of a job: those so far, then further ones from the event stream. */
import type { AgentEvent } from '@docyard/api';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { client } from '../../api/client.ts';
import { openStream } from '../../session/live.ts';

export type StepEvent = Extract<AgentEvent, { type: 'step' }>;

interface Place {
  projectId: string;
  id: string;
}

const maxEvents = 3000;

export function useSteps({ projectId, id }: Place, isActive: boolean) {
  const queries = useQueryClient();
  const events = useQuery({
    queryKey: ['agent-job', projectId, id, 'events'],
    queryFn: () => readEvents({ projectId, id }),
    staleTime: Infinity,
  });
  const [isConnected, setConnected] = useState(true);
  const isRead = events.data !== undefined;
  useEffect(() => {
    if (!isActive || !isRead) return undefined;
    const record = ['agent-job', projectId, id];
    const take = (data: unknown) => {
      const event = data as AgentEvent;
      queries.setQueryData<AgentEvent[]>([...record, 'events'], (known) => withEvent(known ?? [], event));
      if (event.type === 'step') return;
      void queries.invalidateQueries({ queryKey: record, exact: true });
      if (event.status !== 'active') void queries.invalidateQueries({ queryKey: [...record, 'diff'] });
    };
    const reportConnection = (connected: boolean) => {
      setConnected(connected);
      // The stream also ends with the job; the record shows which it was.
      if (!connected) void queries.invalidateQueries({ queryKey: record, exact: true });
    };
    const close = openStream(
      `/v2/agent/${projectId}/job/${id}/events`,
      { status: take, step: take },
      reportConnection,
    );
    return () => {
      close();
      setConnected(true);
    };
  }, [queries, projectId, id, isActive, isRead]);
  return {
    steps: events.data?.filter((event) => event.type === 'step').filter((step) => !isEcho(step)),
    error: events.error,
    retry: () => void events.refetch(),
    isConnected,
  };
}

/** An answer that only names tool calls is omitted: the results that follow repeat it. */
function isEcho({ kind, text }: StepEvent): boolean {
  return kind === 'answer' && text.startsWith('Calls ');
}

async function readEvents(params: Place): Promise<AgentEvent[]> {
  const events: AgentEvent[] = [];
  let after: string | undefined;
  for (;;) {
    const page = await client.call('followAgentJob', { params, query: { limit: 100, after } });
    events.push(...page.data);
    if (page.data.length < 100 || events.length >= maxEvents) return events;
    after = page.lastEventId;
  }
}

/** The stream starts from the beginning, so known events arrive again. */
function withEvent(known: AgentEvent[], event: AgentEvent): AgentEvent[] {
  return known.some(({ id }) => id === event.id) ? known : [...known, event];
}
