/**
 * Delivers what waits in the outbox. Any number of processes may do so at once: a delivery is claimed by a guarded
 * UPDATE for half a minute, and one whose process is gone is due again after it. So a message arrives at least once,
 * with the same id each time.
 */
import type { Context } from '../context.ts';
import { claimDue, holdBack, releaseClaim, settleAttempt, type ClaimedDelivery } from './attempts.ts';
import { sendMessage } from './send.ts';

const mostAtOnce = 64;
const mostPerOrganization = 4;
const mostPerWebhook = 2;

export class WebhookDeliverer {
  readonly #context: Context;
  readonly #pollSeconds: number;
  readonly #underWay = new Map<ClaimedDelivery, Promise<void>>();
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

  /** What is under way is broken off and due again at once, for another process or the next one. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error('The process stops.'));
    this.#wake();
    await this.#running;
    await Promise.all(this.#underWay.values());
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const claimed = await this.#claim().catch((error: unknown) => {
        this.#context.log.warn({ err: error }, 'webhook deliveries could not be read');
        return [];
      });
      for (const delivery of claimed) {
        const done = this.#deliver(delivery).finally(() => {
          this.#underWay.delete(delivery);
          this.#wake();
        });
        this.#underWay.set(delivery, done);
      }
      if (claimed.length === 0) await this.#pause();
    }
  }

  /** Slow endpoints of one organization keep only its own places busy. */
  async #claim(): Promise<ClaimedDelivery[]> {
    const room = mostAtOnce - this.#underWay.size;
    if (room <= 0) return [];
    return claimDue(this.#context, {
      underWay: [...this.#underWay.keys()],
      most: room,
      mostPerOrganization,
      mostPerWebhook,
    });
  }

  async #deliver(delivery: ClaimedDelivery): Promise<void> {
    const { signal } = this.#stopping;
    const log = this.#context.log.child({ webhookId: delivery.webhookId, deliveryId: delivery.id });
    try {
      const sent = await sendMessage(this.#context, delivery.message, signal);
      if (sent === 'offline') return await holdBack(this.#context, delivery);
      log.debug({ status: sent.status, error: sent.error }, 'webhook sent');
      this.#context.measures.webhookAttempted(sent.error === null ? 'delivered' : 'refused');
      await settleAttempt(this.#context, delivery, sent);
    } catch (error) {
      // Without a settlement the claim runs out, and the message is sent again.
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
