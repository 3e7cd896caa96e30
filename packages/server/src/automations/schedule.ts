/** Times of a schedule. */
import type { AutomationTrigger } from '@docyard/api';
import { Cron } from 'croner';

type Schedule = NonNullable<AutomationTrigger['schedule']>;

/** Null for an invalid expression, and for one without a next time, such as the 31st of February. */
export function nextTime({ cron, timezone = 'UTC' }: Schedule, after: Date): Date | null {
  try {
    return new Cron(cron, { timezone, mode: '5-part', paused: true }).nextRun(after);
  } catch {
    return null;
  }
}
