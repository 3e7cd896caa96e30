/** The screen to show after signing in, from `?to=` of the address. Anything but a screen of the dashboard becomes the first one. */
import { placeInDashboard } from '@docyard/api';

export function returnPath(to: string | null): string {
  const place = placeInDashboard(to);
  return isGate(place) ? '/' : place;
}

function isGate(place: string): boolean {
  return /^\/(?:login|setup|invitation)(?:[?#]|$)/.test(place);
}
