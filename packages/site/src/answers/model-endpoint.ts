/** Requests to the model endpoints that an operator configures. Errors contain no text of a question. */
import type { z } from 'zod';
import { peerFetch } from '../network/peers.ts';

export class ModelError extends Error {
  override readonly name = 'ModelError';
}

interface ModelRequest {
  headers: Record<string, string>;
  body: object;
  signal: AbortSignal;
  offline: boolean;
  /** Named in errors. */
  settings: { key: string; request: string };
}

const maxResponseBytes = 4 * 1024 * 1024;

export async function postJson(
  url: string,
  { headers, body, signal, offline, settings }: ModelRequest,
): Promise<Response> {
  const response = await peerFetch({ offline })(url, {
    method: 'POST',
    // A redirect would send the key to another host.
    redirect: 'error',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    signal,
  });
  if (response.ok) return response;
  // The body of an error is not logged, because it may repeat the question.
  await response.body?.cancel();
  const { status } = response;
  const setting = [401, 403].includes(status) ? settings.key : settings.request;
  const hint = [400, 401, 403, 404].includes(status) ? `. Check ${setting}` : '';
  throw new ModelError(`it responded with ${status}${hint}`);
}

export function bearer(key: string | null): Record<string, string> {
  return key === null ? {} : { authorization: `Bearer ${key}` };
}

export function checkedData<T>(schema: z.ZodType<T>, data: unknown): T {
  const result = schema.safeParse(data);
  if (result.success) return result.data;
  throw new ModelError('its response has an unknown form');
}

export function dataIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ModelError('its response is not JSON');
  }
}

export async function* textPieces(response: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let bytes = 0;
  for await (const piece of response.body ?? []) {
    bytes += piece.length;
    if (bytes > maxResponseBytes)
      throw new ModelError(`its response has more than ${maxResponseBytes} bytes`);
    yield decoder.decode(piece, { stream: true });
  }
}

export async function textOf(response: Response): Promise<string> {
  let text = '';
  for await (const piece of textPieces(response)) text += piece;
  return text;
}

export function isTimeout(signal: AbortSignal): boolean {
  return signal.reason instanceof DOMException && signal.reason.name === 'TimeoutError';
}

/** For operators. */
export function reasonOf(error: unknown, signal: AbortSignal): string {
  if (isTimeout(signal)) return 'it took too long. Raise assistant.timeoutSeconds or use a faster model';
  const { message, cause } = error as Error;
  return cause instanceof Error ? `${message} (${cause.message})` : message;
}
