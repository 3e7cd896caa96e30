import { Webhook as Signer } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { verifyWebhook, WebhookVerificationError } from './verify-webhook.ts';

const secret = `whsec_${btoa('a secret of thirty-two letters !')}`;
const other = `whsec_${btoa('another one of the same length !!')}`;
const message = { type: 'export.completed', timestamp: '2030-01-01T00:00:00Z', data: { jobId: 'se_1' } };
const body = JSON.stringify(message);

interface Signing {
  by?: string;
  at?: Date;
  text?: string;
  /** Overrides of the signed headers. */
  headers?: Record<string, string>;
}

function signed({ by = secret, at = new Date(), text = body, headers = {} }: Signing = {}) {
  return {
    secret,
    body: text,
    headers: {
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': signature(by, at, text),
      ...headers,
    },
  };
}

function signature(by = secret, at = new Date(), text = body): string {
  return new Signer(by).sign('msg_1', at, text);
}

const minutesFromNow = (minutes: number) => new Date(Date.now() + minutes * 60_000);

describe('verifyWebhook', () => {
  it('a valid message is returned', async () => {
    expect(await verifyWebhook(signed())).toEqual(message);
  });

  it('a Headers object and a body of bytes are accepted', async () => {
    const { headers } = signed();
    const bytes = new TextEncoder().encode(body);
    const { type } = await verifyWebhook({ secret, headers: new Headers(headers), body: bytes });
    expect(type).toBe('export.completed');
  });

  it('header names are case-insensitive', async () => {
    const { headers } = signed();
    const spelled = Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]);
    const received = { secret, body, headers: Object.fromEntries(spelled) as Record<string, string> };
    expect(await verifyWebhook(received)).toEqual(message);
  });

  it('a message may have two signatures and a receiver two secrets', async () => {
    const both = { 'webhook-signature': `${signature(other)} ${signature()}` };
    expect(await verifyWebhook(signed({ headers: both }))).toEqual(message);
    expect(await verifyWebhook({ ...signed({ by: other }), secret: [secret, other] })).toEqual(message);
  });

  it('a message within the tolerance is accepted', async () => {
    expect(await verifyWebhook(signed({ at: minutesFromNow(-4) }))).toEqual(message);
    const late = signed({ at: minutesFromNow(-9) });
    expect(await verifyWebhook({ ...late, toleranceSeconds: 600 })).toEqual(message);
  });

  it.each([
    ['another secret', signed({ by: other })],
    ['another body', { ...signed(), body: body.replace('completed', 'failed') }],
    ['another id', signed({ headers: { 'webhook-id': 'msg_2' } })],
    ['no signature', signed({ headers: { 'webhook-signature': '' } })],
    ['a signature that is none', signed({ headers: { 'webhook-signature': 'v1,!' } })],
    [
      'a signature of another kind',
      signed({ headers: { 'webhook-signature': `v1a${signature().slice(2)}` } }),
    ],
    ['no headers', { secret, body, headers: {} }],
    ['a time that is none', signed({ headers: { 'webhook-timestamp': 'NaN' } })],
    ['a time long gone', signed({ at: minutesFromNow(-6) })],
    ['a time to come', signed({ at: minutesFromNow(6) })],
    ['a body that is not JSON', signed({ text: 'hello' })],
  ])('refuses %s', async (_name, message) => {
    await expect(verifyWebhook(message)).rejects.toBeInstanceOf(WebhookVerificationError);
  });

  it.each(['docyard_key', ''])(
    'says that the secret %j is none, instead of refusing every message',
    async (text) => {
      await expect(verifyWebhook({ ...signed(), secret: text })).rejects.toBeInstanceOf(TypeError);
    },
  );
});
