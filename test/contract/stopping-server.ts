/**
 * Collects responses of a stopping server. It accepts no new connections then, so each request starts before the stop and is
 * completed after it.
 */
import type { Service } from '../service.ts';
import { headOf, openExchange, type Answer, type Call } from './raw-http.ts';

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

/** A response on a later connection means that earlier connections have been read. */
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
