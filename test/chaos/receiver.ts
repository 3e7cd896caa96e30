/**
 * Receives the webhooks of all organizations, verifies each with an independent library, and now and then drops the
 * first message of an id without an answer.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ExportJob } from '@docyard/api';
import { Webhook } from 'standardwebhooks';
import type { Chance } from '../torture/chance.ts';

export interface Told {
  messageId: string;
  type: string;
  jobId: string;
  attempt: number;
}

export class Receiver {
  /** The first of each message, in the order of arrival. */
  readonly told = new Map<string, Told>();
  /** Of all that came, again and again too. */
  received = 0;
  dropped = 0;
  /** Messages with a wrong signature or of the wrong form. */
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

  /** Resolves with its host, as EGRESS_ALLOW wants it. */
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
      // A sender that was killed in the middle of its message sends it again.
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
    if (this.told.has(messageId)) return;
    this.told.set(messageId, { messageId, type, jobId: data.jobId, attempt: data.attempt });
  }
}

function idOf(request: IncomingMessage): string {
  return String(request.headers['webhook-id']);
}
