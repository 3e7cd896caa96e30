/**
 * A switch for tests: `DOCYARD_CRASH_AT=<point>` kills this process right after that point of an installation, as a power
 * cut would. Only with NODE_ENV=test; a deployment ignores it.
 */

/** In the order in which an installation passes them. */
export const crashPoints = [
  'download begun',
  'downloaded',
  'unpacked',
  'compressed',
  'recorded',
  'moved',
  'switched',
  'activated',
  'swept',
] as const;
export type CrashPoint = (typeof crashPoints)[number];

export function crashIfAsked(point: CrashPoint): void {
  const { NODE_ENV, DOCYARD_CRASH_AT } = process.env;
  if (NODE_ENV === 'test' && DOCYARD_CRASH_AT === point) process.kill(process.pid, 'SIGKILL');
}
