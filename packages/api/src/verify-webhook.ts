/** Verifies the signature and age of a webhook message, as specified by Standard Webhooks. Uses only Web Crypto. */
import type { testEvent, WebhookEvent } from './constants.ts';
import type { AgentJob, ExportJob } from './schemas.ts';

interface WebhookEnvelope<Type extends string, Data> {
  type: Type;
  timestamp: string;
  data: Data;
}

/** A newer service may send other types. */
export type WebhookMessage =
  | WebhookEnvelope<Extract<WebhookEvent, `export.${string}`>, ExportJob>
  | WebhookEnvelope<Extract<WebhookEvent, `agent.${string}`>, AgentJob>
  | WebhookEnvelope<typeof testEvent, unknown>;

export interface SignedMessage {
  /** The raw body. A body that was parsed and serialized again does not match the signature. */
  body: string | Uint8Array;
  headers: Headers | Record<string, string | readonly string[] | undefined>;
  /** Begins with `whsec_`. Pass several while a secret is being replaced. */
  secret: string | readonly string[];
  /** Maximum age, and maximum clock difference. Default 300. */
  toleranceSeconds?: number;
}

export class WebhookVerificationError extends Error {
  override name = 'WebhookVerificationError';
}

/** Limits the work that one message can cause. A message has two signatures while a secret is being replaced. */
const maxSignatures = 8;

/** Resolves with the message when one signature is valid; rejects with a `WebhookVerificationError` otherwise. */
export async function verifyWebhook(message: SignedMessage): Promise<WebhookMessage> {
  const id = header(message, 'webhook-id');
  const timestamp = header(message, 'webhook-timestamp');
  const given = header(message, 'webhook-signature').split(' ').slice(0, maxSignatures);
  const ageSeconds = Date.now() / 1000 - Number(timestamp);
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(ageSeconds) > (message.toleranceSeconds ?? 300)) {
    throw new WebhookVerificationError(
      'The timestamp of the message is outside the tolerance. Check the clocks of both machines.',
    );
  }
  const body = typeof message.body === 'string' ? new TextEncoder().encode(message.body) : message.body;
  const signed = joined(new TextEncoder().encode(`${id}.${timestamp}.`), body);
  const signatures = given.filter((text) => text.startsWith('v1,')).map((text) => bytesOf(text.slice(3)));
  for (const secret of [message.secret].flat()) {
    const key = await keyOf(secret);
    for (const signature of signatures) {
      // `verify` compares in constant time.
      if (signature && (await crypto.subtle.verify('HMAC', key, signature, signed))) return parsed(body);
    }
  }
  throw new WebhookVerificationError('No signature matches. Check the secret of the webhook.');
}

function header({ headers }: SignedMessage, name: string): string {
  const value = isHeaders(headers)
    ? headers.get(name)
    : Object.entries(headers).find(([each]) => each.toLowerCase() === name)?.[1];
  if (typeof value !== 'string' || value === '' || value.length > 4096) {
    throw new WebhookVerificationError(`The header ${name} is missing or invalid.`);
  }
  return value;
}

/** Not `instanceof`: a framework may have its own Headers class. */
function isHeaders(headers: SignedMessage['headers']): headers is Headers {
  return typeof headers['get'] === 'function';
}

async function keyOf(secret: string): Promise<CryptoKey> {
  const bytes = bytesOf(secret.trim().replace(/^whsec_/, ''));
  if (bytes === undefined || bytes.length === 0) {
    throw new TypeError('This is not a webhook secret. A secret is whsec_ followed by base64.');
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
    throw new WebhookVerificationError('The signature is valid, but the body is not JSON.');
  }
}
