/**
 * Receives the webhooks of all organizations, verifies each with an independent library, and sometimes drops a first delivery
 * without a response.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ExportJob } from '@docyard/api';
import { Webhook } from 'standardwebhooks';
import type { Chance } from '../torture/seeded-random.ts';

export interface Delivery {
  messageId: string;
  type: string;
  jobId: string;
  attempt: number;
}

export class Receiver {
  /** The first delivery of each message, in the order of arrival. */
  readonly deliveries = new Map<string, Delivery>();
  /** All deliveries, including repeated ones. */
  received = 0;
  dropped = 0;
  /** Messages with a wrong signature or format. */
  readonly refused: string[] = [];
  /** By the path of the webhook. */
  readonly secrets = new Map<string, string>();
  dropsSome = true;
  readonly #server = createServer((request, response) => void this.#receive(request, response));
  readonly #chance: Chance;
  readonly #seen = new Set<string>();

  constructor(chance: Chance) {
    this.#chance = chance;
  }

  /** Resolves with its host, in the format of EGRESS_ALLOW. */
  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part as Buffer);
      const isFirst = !this.#seen.has(idOf(request));
      this.#seen.add(idOf(request));
      if (isFirst && this.dropsSome && this.#chance.happens(0.03)) {
        this.dropped += 1;
        response.destroy();
        return;
      }
      this.#keep(request, Buffer.concat(parts).toString());
      response.writeHead(204).end();
    } catch (error) {
      // A sender that was killed during a delivery sends it again.
      if (!request.complete) return;
      this.refused.push(`${idOf(request)}: ${String(error)}`);
      response.writeHead(400).end();
    }
  }

  #keep(request: IncomingMessage, body: string): void {
    const webhook = new Webhook(this.secrets.get(request.url ?? '') ?? '');
    const headers = request.headers as Record<string, string>;
    const { type, data } = webhook.verify(body, headers) as { type: string; data: ExportJob };
    const messageId = idOf(request);
    this.received += 1;
    if (this.deliveries.has(messageId)) return;
    this.deliveries.set(messageId, { messageId, type, jobId: data.jobId, attempt: data.attempt });
  }
}

function idOf(request: IncomingMessage): string {
  return String(request.headers['webhook-id']);
}
