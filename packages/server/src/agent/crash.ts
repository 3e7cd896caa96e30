/**
 * A switch for tests: `DOCYARD_CRASH_AT=<point>` kills this process right after that point, as a power cut would. Only
 * with NODE_ENV=test; a server ignores it.
 */

/** Kinds of steps mean "right after this step was written"; the others lie between an effect outside and its step. */
export const crashPoints = [
  'prepared',
  'message',
  'answer',
  'result',
  'loop-ended',
  'validated',
  'judged',
  'committed',
  'branch pushed',
  'pushed',
  'previewed',
  'pull request made',
  'proposed',
  'ended',
  'run settled',
] as const;
export type CrashPoint = (typeof crashPoints)[number];

/** Only a first attempt is cut off, so that the same process may see a job that was cut off before to its end. */
export function crashIfAsked(point: CrashPoint, { attempt }: { attempt: number }): void {
  const { NODE_ENV, DOCYARD_CRASH_AT } = process.env;
  if (NODE_ENV !== 'test' || DOCYARD_CRASH_AT !== point || attempt > 1) return;
  process.kill(process.pid, 'SIGKILL');
}
