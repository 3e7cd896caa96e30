/**
 * What a server answers while it stops. It takes no new connection then, but answers those that have begun a
 * request; so each request is begun, the server is told to stop, and then the requests are ended.
 */
import type { Service } from '../service.ts';
import { headOf, openExchange, type Answer, type Call } from './raw.ts';

const begunLength = 20;

export async function sendWhileStopping(
  service: Service,
  calls: Call[],
): Promise<{ answers: Answer[]; exitCode: number | null }> {
  const begin = async (call: Call) => {
    const exchange = openExchange(service.origin);
    const head = headOf(service.origin, call);
    await exchange.send(head.slice(0, begunLength));
    return { exchange, rest: head.slice(begunLength) + String(call.body ?? '') };
  };
  const begun = await Promise.all(calls.map(begin));
  await untilReceived(service);
  const ended = service.stop();
  await untilRefused(service);
  for (const { exchange, rest } of begun) void exchange.send(rest);
  const answers = await Promise.all(begun.map(({ exchange }) => exchange.answer));
  return { answers, exitCode: await ended };
}

/** An answer on a later connection means that what was written on earlier ones has been read. */
async function untilReceived({ origin }: Service): Promise<void> {
  await (await fetch(`${origin}/healthz`)).text();
}

async function untilRefused({ origin }: Service): Promise<void> {
  for (;;) {
    const response = await fetch(`${origin}/healthz`, { headers: { connection: 'close' } }).catch(
      () => undefined,
    );
    if (response === undefined) return;
    await response.text();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
