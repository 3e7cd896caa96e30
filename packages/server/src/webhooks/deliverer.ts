/**
 * Delivers messages of the outbox, in any number of processes. A delivery is claimed by a guarded UPDATE, and
 * an expired claim is due again, so a message arrives at least once, always with the same id.
 */
import type { Context } from '../context.ts';
import { claimDue, postpone, releaseClaim, settleAttempt, type ClaimedDelivery } from './attempts.ts';
import { sendMessage } from './send.ts';

const maxConcurrent = 64;
const maxPerOrganization = 4;
const maxPerWebhook = 2;

export class WebhookDeliverer {
  readonly #context: Context;
  readonly #pollSeconds: number;
  readonly #inFlight = new Map<ClaimedDelivery, Promise<void>>();
  readonly #stopping = new AbortController();
  #running = Promise.resolve();
  #wake = () => {};

  constructor(context: Context, { pollSeconds = 1 } = {}) {
    this.#context = context;
    this.#pollSeconds = pollSeconds;
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Deliveries in flight are aborted and due again immediately. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error('The process stops.'));
    this.#wake();
    await this.#running;
    await Promise.all(this.#inFlight.values());
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const claimed = await this.#claim().catch((error: unknown) => {
        this.#context.log.warn({ err: error }, 'webhook deliveries could not be read');
        return [];
      });
      for (const delivery of claimed) {
        const done = this.#deliver(delivery).finally(() => {
          this.#inFlight.delete(delivery);
          this.#wake();
        });
        this.#inFlight.set(delivery, done);
      }
      if (claimed.length === 0) await this.#pause();
    }
  }

  /** Slow receivers of one organization occupy only its own slots. */
  async #claim(): Promise<ClaimedDelivery[]> {
    const room = maxConcurrent - this.#inFlight.size;
    if (room <= 0) return [];
    return claimDue(this.#context, {
      inFlight: [...this.#inFlight.keys()],
      maxClaims: room,
      maxPerOrganization,
      maxPerWebhook,
    });
  }

  async #deliver(delivery: ClaimedDelivery): Promise<void> {
    const { signal } = this.#stopping;
    const log = this.#context.log.child({ webhookId: delivery.webhookId, deliveryId: delivery.id });
    try {
      const sent = await sendMessage(this.#context, delivery.message, signal);
      if (sent === 'offline') return await postpone(this.#context, delivery);
      log.debug({ status: sent.status, error: sent.error }, 'webhook sent');
      this.#context.measures.webhookAttempted(sent.error === null ? 'delivered' : 'refused');
      await settleAttempt(this.#context, delivery, sent);
    } catch (error) {
      // An unsettled claim expires, and the message is sent again.
      if (!signal.aborted) log.warn({ err: error }, 'webhook attempt could not be settled');
      else await releaseClaim(this.#context, delivery).catch(() => {});
    }
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, this.#pollSeconds * 1000);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
      if (this.#stopping.signal.aborted) this.#wake();
    });
  }
}
