/**
 * The state machine of a job, pure: which moves exist and what follows from each. No time, no database.
 *
 *   queued ──claim──► running ──complete──► completed
 *     │  ▲              │  └─fault, canceled, timed out, lost too often──► failed
 *     │  └──lost, stopped, no storage─┘
 *     └──canceled─────────────────────► failed
 *
 * An agent job may go on after its end (`resume`); the end of an export never changes.
 */
export const jobStatuses = ['queued', 'running', 'completed', 'failed'] as const;
export type JobStatus = (typeof jobStatuses)[number];

export const moves = {
  claim: { from: ['queued'], to: 'running' },
  complete: { from: ['running'], to: 'completed' },
  fail: { from: ['running'], to: 'failed' },
  cancel: { from: ['queued'], to: 'failed' },
  release: { from: ['running'], to: 'queued' },
  resume: { from: ['completed', 'failed'], to: 'queued' },
} as const satisfies Record<string, { from: readonly JobStatus[]; to: JobStatus }>;

export type Move = keyof typeof moves;

export function isFinal(status: string): boolean {
  return status === 'completed' || status === 'failed';
}
