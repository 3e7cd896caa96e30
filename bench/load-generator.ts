/**
 * A process of its own that sends GETs at a fixed rate, whether or not answers come back (open loop), and measures
 * from the moment a request was due, so that a server that stalls cannot hide it by holding up the next request.
 * Told what to do by messages from `status-under-load.ts`.
 */
import { Agent, get } from 'node:http';

export type ToGenerator =
  | { type: 'begin'; url: string; key: string; perSecond: number }
  | { type: 'aim'; url: string }
  | { type: 'end' };

export interface Load {
  /** Milliseconds from the moment each request was due to the end of its answer. */
  latencies: number[];
  /** The same from the moment each request was really sent: without the part that is the generator's own. */
  fromSending: number[];
  errors: number;
}

const agent = new Agent({ keepAlive: true, maxSockets: 64 });
const load: Load = { latencies: [], fromSending: [], errors: 0 };
let url = '';
let underWay = 0;
let ended = false;

process.on('message', (message: ToGenerator) => {
  if (message.type === 'end') ended = true;
  else url = message.url;
  if (message.type === 'begin') begin(message.key, message.perSecond);
});

// Without a parent there is nobody to measure for.
process.once('disconnect', () => process.exit());

function begin(key: string, perSecond: number): void {
  const began = performance.now();
  let sent = 0;
  const timer = setInterval(() => {
    const due = ended ? sent : 1 + Math.floor(((performance.now() - began) * perSecond) / 1000);
    for (; sent < due; sent += 1) send(key, began + (sent * 1000) / perSecond);
    if (!ended || underWay > 0) return;
    clearInterval(timer);
    process.send?.(load, () => process.disconnect());
    agent.destroy();
  }, 1);
}

function send(key: string, dueAt: number): void {
  underWay += 1;
  const sentAt = performance.now();
  const settle = (fine: boolean) => {
    underWay -= 1;
    load.latencies.push(performance.now() - dueAt);
    load.fromSending.push(performance.now() - sentAt);
    if (!fine) load.errors += 1;
  };
  const request = get(url, { agent, headers: { authorization: `Bearer ${key}` } }, (response) => {
    response.resume();
    response.once('end', () => settle(response.statusCode === 200));
  });
  request.once('error', () => settle(false));
}
