/** The screen to show after signing in, from `?to=`. Every address outside the dashboard becomes `/`. */
import { dashboardPath } from '@docyard/api';

export function returnPath(to: string | null): string {
  const place = dashboardPath(to);
  return isGate(place) ? '/' : place;
}

function isGate(place: string): boolean {
  return /^\/(?:login|setup|invitation)(?:[?#]|$)/.test(place);
}
