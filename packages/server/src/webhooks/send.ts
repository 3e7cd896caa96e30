/** Sends one message and returns the outcome. */
import type { Context } from '../context.ts';
import { EgressError } from '../egress/addresses.ts';
import { sendRequest } from '../egress/request.ts';
import { policyFor } from '../egress/rules.ts';
import { signatures } from './secrets.ts';

type SendContext = Pick<Context, 'database' | 'clock' | 'secrets' | 'config' | 'version'>;

export interface OutgoingMessage {
  id: string;
  url: string;
  body: string;
  organizationId: string;
  /** The owner of the secrets that sign it. */
  secretOwner: string;
}

export interface Sent {
  status: number | null;
  /** Null when it was delivered. */
  error: string | null;
  /** The start of the response body. */
  response: string;
  durationMs: number;
  /** From the Retry-After header. */
  retryAfterSeconds: number | null;
}

const limits = { bytes: 1024, seconds: 15 };

/** `offline` when outbound connections are disabled. Throws only the reason of the signal. */
export async function sendMessage(
  context: SendContext,
  message: OutgoingMessage,
  signal: AbortSignal,
): Promise<Sent | 'offline'> {
  const timestamp = Math.floor(context.clock.now().getTime() / 1000);
  const signed = { id: message.id, timestamp, body: message.body };
  const headers = {
    'content-type': 'application/json',
    'user-agent': `Docyard/${context.version}`,
    'webhook-id': message.id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': await signatures(context, message.secretOwner, signed),
  };
  const request = { url: new URL(message.url), method: 'POST', headers, body: message.body };
  const startedMs = performance.now();
  const durationMs = () => Math.round(performance.now() - startedMs);
  try {
    const tenant = { organizationId: message.organizationId, projectId: null };
    const policy = policyFor(context.config.egress, 'webhook', tenant);
    const answer = await sendRequest(request, policy, { signal, limits, cutBody: true });
    return {
      status: answer.status,
      error: complaintAbout(answer.status),
      response: readable(answer.body),
      durationMs: durationMs(),
      retryAfterSeconds: secondsIn(answer.headers.get('retry-after'), context.clock.now()),
    };
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    if (error.problem === 'offline') return 'offline';
    return {
      status: null,
      error: error.message,
      response: '',
      durationMs: durationMs(),
      retryAfterSeconds: null,
    };
  }
}

function complaintAbout(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400) return `Responded with status ${status}. Redirects are not followed.`;
  return `Responded with status ${status}.`;
}

/** PostgreSQL cannot store NUL, and control characters could garble a terminal. */
function readable(bytes: Uint8Array): string {
  const text = new TextDecoder().decode(bytes);
  // oxlint-disable-next-line no-control-regex
  return text.replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g, '\ufffd');
}

/** Seconds or an HTTP date. */
function secondsIn(header: string | undefined, now: Date): number | null {
  if (header === undefined) return null;
  if (/^\d{1,9}$/.test(header)) return Number(header);
  const at = Date.parse(header);
  return Number.isNaN(at) ? null : Math.max(0, (at - now.getTime()) / 1000);
}
