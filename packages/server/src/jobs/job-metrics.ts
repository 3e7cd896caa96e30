/** Metrics and traces of jobs. */
import type { FailureCode } from '@docyard/api';
import type { Context } from '../context.ts';
import type { JobKind } from '../ports/queue.ts';
import type { JobOutput, MeasuredState, Span } from '../ports/telemetry.ts';
import type { Job } from './store.ts';

export type AttemptOutcome = 'completed' | 'handed_back' | 'lost' | FailureCode;
/** `superseded`: the attempt was settled before, so it is already counted. */
export type SettledOutcome = AttemptOutcome | 'superseded';

export interface ObservedAttempt {
  /** Ends the current phase and starts the named one, unless they are the same. */
  phase(name: string | undefined): void;
  ended(outcome: SettledOutcome, counts?: JobOutput): void;
}

export function observeAttempt(
  { measures, tracer, clock }: Pick<Context, 'measures' | 'tracer' | 'clock'>,
  job: Job,
): ObservedAttempt {
  const kind = job.kind as JobKind;
  const startedMs = performance.now();
  const span = tracer.start(`job ${kind}`, { kind: 'job' });
  let current: { name: string; span: Span; startedMs: number } | undefined;
  const endPhase = () => {
    if (current === undefined) return;
    current.span.end();
    measures.phaseEnded({
      kind,
      phase: current.name,
      seconds: (performance.now() - current.startedMs) / 1000,
    });
  };
  const startPhase = (name: string) => {
    endPhase();
    current = { name, span: span.start(name), startedMs: performance.now() };
  };
  startPhase(job.phase);
  if (job.attempt === 1) {
    const waitSeconds = Math.max(0, (clock.now().getTime() - Date.parse(job.created_at)) / 1000);
    measures.jobStarted({ kind, waitSeconds });
  }
  return {
    phase(name) {
      if (name !== undefined && name !== current?.name) startPhase(name);
    },
    ended(outcome, counts = {}) {
      endPhase();
      const attributes = {
        'docyard.job.id': job.id,
        'docyard.job.attempt': job.attempt,
        'docyard.job.outcome': outcome,
      };
      const isSuccess = ['completed', 'handed_back', 'superseded'].includes(outcome);
      span.end({ attributes, failure: isSuccess ? undefined : outcome });
      if (outcome === 'superseded') return;
      measures.jobEnded({ kind, outcome, seconds: (performance.now() - startedMs) / 1000, ...counts });
    },
  };
}

/**
 * Of one organization or of all. The index on unfinished jobs keeps it independent of the number of finished
 * ones.
 */
export async function countOpenJobs(
  { database, clock }: Pick<Context, 'database' | 'clock'>,
  organizationId?: string,
): Promise<NonNullable<MeasuredState['jobs']>> {
  const rows = await database
    .selectFrom('jobs')
    .select((eb) => [
      'kind',
      'status',
      eb.fn.countAll<number | string>().as('count'),
      eb.fn.min('created_at').as('oldest'),
    ])
    .where('status', 'in', ['queued', 'running'])
    .$if(organizationId !== undefined, (query) => query.where('organization_id', '=', organizationId ?? ''))
    .groupBy(['kind', 'status'])
    .execute();
  const now = clock.now().getTime();
  return rows.map(({ kind, status, count, oldest }) => ({
    kind,
    status,
    count: Number(count),
    oldestSeconds: Math.max(0, (now - Date.parse(oldest)) / 1000),
  }));
}
