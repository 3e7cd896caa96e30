/** Notifies the other tabs of this browser when a session begins or ends. */
import { checkSession, queries } from '../api/client.ts';

type SessionChange = 'signed-in' | 'signed-out';

const channel = new BroadcastChannel('docyard-session');

channel.addEventListener('message', ({ data }: MessageEvent<SessionChange>) => {
  if (data === 'signed-in') void queries.invalidateQueries();
  else checkSession();
});

export function announceSession(change: SessionChange): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- A BroadcastChannel has no target.
  channel.postMessage(change);
}
