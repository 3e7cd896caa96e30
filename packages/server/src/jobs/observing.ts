/**
 * What operators see of the jobs: one attempt as numbers and as a trace with its phases, and a count of what is open.
 */
import type { FailureCode } from '@docyard/api';
import type { Context } from '../context.ts';
import type { JobKind } from '../ports/queue.ts';
import type { JobYield, MeasuredState, Span } from '../ports/telemetry.ts';
import type { Job } from './store.ts';

export type AttemptOutcome = 'completed' | 'handed_back' | 'lost' | FailureCode;

export interface ObservedAttempt {
  /** The work has come to this phase; nothing happens while it stays the same. */
  phase(name: string | undefined): void;
  ended(outcome: AttemptOutcome, made?: JobYield): void;
}

export function observeAttempt(
  { measures, tracer, clock }: Pick<Context, 'measures' | 'tracer' | 'clock'>,
  job: Job,
): ObservedAttempt {
  const kind = job.kind as JobKind;
  const beganMs = performance.now();
  const span = tracer.start(`job ${kind}`, { kind: 'job' });
  let current: { name: string; span: Span; beganMs: number } | undefined;
  const leave = () => {
    if (current === undefined) return;
    current.span.end();
    measures.phaseEnded({ kind, phase: current.name, seconds: (performance.now() - current.beganMs) / 1000 });
  };
  const enter = (name: string) => {
    leave();
    current = { name, span: span.start(name), beganMs: performance.now() };
  };
  enter(job.phase);
  if (job.attempt === 1) {
    const waitSeconds = Math.max(0, (clock.now().getTime() - Date.parse(job.created_at)) / 1000);
    measures.jobStarted({ kind, waitSeconds });
  }
  return {
    phase(name) {
      if (name !== undefined && name !== current?.name) enter(name);
    },
    ended(outcome, made = {}) {
      leave();
      const attributes = {
        'docyard.job.id': job.id,
        'docyard.job.attempt': job.attempt,
        'docyard.job.outcome': outcome,
      };
      const isGood = outcome === 'completed' || outcome === 'handed_back';
      span.end({ attributes, failure: isGood ? undefined : outcome });
      measures.jobEnded({ kind, outcome, seconds: (performance.now() - beganMs) / 1000, ...made });
    },
  };
}

/** Of one organization or of all together, from an index: a hundred thousand finished jobs do not slow it down. */
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
