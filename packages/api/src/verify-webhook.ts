/**
 * Checks that a message came from a Docyard service and is fresh, after the Standard Webhooks specification. It uses
 * Web Crypto alone, so it runs wherever the client does.
 */
import type { AgentJob, ExportJob, testEvent, WebhookEvent } from './schemas.ts';

interface Told<Type extends string, Data> {
  type: Type;
  /** When it happened. */
  timestamp: string;
  data: Data;
}

/** What a webhook is sent. A newer service may send types that this list does not have. */
export type WebhookMessage =
  | Told<Extract<WebhookEvent, `export.${string}`>, ExportJob>
  | Told<Extract<WebhookEvent, `agent.${string}`>, AgentJob>
  | Told<typeof testEvent, unknown>;

export interface SignedMessage {
  /** As it came: a body that was parsed and written again is not the one that was signed. */
  body: string | Uint8Array;
  headers: Headers | Record<string, string | readonly string[] | undefined>;
  /** Begins with `whsec_`. Several while one is being replaced. */
  secret: string | readonly string[];
  /** How far the clocks may be apart, and how long the way may take. Default 300. */
  toleranceSeconds?: number;
}

export class WebhookVerificationError extends Error {
  override name = 'WebhookVerificationError';
}

/** While a secret is being replaced there are two; more than a few are an attempt to keep us busy. */
const mostSignatures = 8;

/** Resolves with the message when one of the signatures is right, and rejects with a `WebhookVerificationError`. */
export async function verifyWebhook(message: SignedMessage): Promise<WebhookMessage> {
  const id = header(message, 'webhook-id');
  const timestamp = header(message, 'webhook-timestamp');
  const given = header(message, 'webhook-signature').split(' ').slice(0, mostSignatures);
  const ageSeconds = Date.now() / 1000 - Number(timestamp);
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(ageSeconds) > (message.toleranceSeconds ?? 300)) {
    throw new WebhookVerificationError('The message is too old or too new. Are both clocks right?');
  }
  const body = typeof message.body === 'string' ? new TextEncoder().encode(message.body) : message.body;
  const signed = joined(new TextEncoder().encode(`${id}.${timestamp}.`), body);
  const signatures = given.filter((text) => text.startsWith('v1,')).map((text) => bytesOf(text.slice(3)));
  for (const secret of [message.secret].flat()) {
    const key = await keyOf(secret);
    for (const signature of signatures) {
      // This comparison takes the same time wherever the first difference is.
      if (signature && (await crypto.subtle.verify('HMAC', key, signature, signed))) return parsed(body);
    }
  }
  throw new WebhookVerificationError('No signature fits. Is this the secret of the webhook?');
}

function header({ headers }: SignedMessage, name: string): string {
  const value = isHeaders(headers)
    ? headers.get(name)
    : Object.entries(headers).find(([each]) => each.toLowerCase() === name)?.[1];
  if (typeof value !== 'string' || value === '' || value.length > 4096) {
    throw new WebhookVerificationError(`The header ${name} is missing or not usable.`);
  }
  return value;
}

/** By what it can do: a framework may bring a class of its own. */
function isHeaders(headers: SignedMessage['headers']): headers is Headers {
  return typeof headers['get'] === 'function';
}

async function keyOf(secret: string): Promise<CryptoKey> {
  const bytes = bytesOf(secret.trim().replace(/^whsec_/, ''));
  if (bytes === undefined || bytes.length === 0) {
    throw new TypeError('This is no secret of a webhook. It begins with whsec_ and goes on in base64.');
  }
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}

function parsed(body: Uint8Array): WebhookMessage {
  try {
    return JSON.parse(new TextDecoder().decode(body)) as WebhookMessage;
  } catch {
    throw new WebhookVerificationError('The message is signed, but it is no JSON.');
  }
}
