/**
 * The state machine of a job.
 *
 *   queued ──claim──► running ──complete──► completed
 *     │  ▲              │  └─error, canceled, timeout, lost too often──► failed
 *     │  └──lost, stopped, no storage─┘
 *     └──canceled─────────────────────► failed
 *
 * A finished agent job can be resumed; a finished export never changes its status.
 */
export const jobStatuses = ['queued', 'running', 'completed', 'failed'] as const;
export type JobStatus = (typeof jobStatuses)[number];

export const transitions = {
  claim: { from: ['queued'], to: 'running' },
  complete: { from: ['running'], to: 'completed' },
  fail: { from: ['running'], to: 'failed' },
  cancel: { from: ['queued'], to: 'failed' },
  release: { from: ['running'], to: 'queued' },
  resume: { from: ['completed', 'failed'], to: 'queued' },
} as const satisfies Record<string, { from: readonly JobStatus[]; to: JobStatus }>;

export type TransitionName = keyof typeof transitions;

export function isFinal(status: string): boolean {
  return status === 'completed' || status === 'failed';
}
