/** Rewrites the answers of servers, streamed or whole, into the events that the AI library expects. */
import { EventSourceParserStream, type EventSourceMessage } from 'eventsource-parser/stream';
import { createMessageNormalizer } from './anthropic-events.ts';
import { ProviderError, type ModelSettings } from './endpoint.ts';
import { objectOf, parsedJson, type Json } from './json-fields.ts';
import { createChunkNormalizer } from './openai-chunks.ts';

export interface EventNormalizer {
  /** Returns the standard events for one event of the server. */
  read(event: Json): Json[];
  readWhole(answer: Json): Json[];
  /** Returns what is missing when the stream has ended without an error. */
  end(): Json[];
}

export async function normalResponse(
  provider: Exclude<ModelSettings['provider'], 'gemini'>,
  response: Response,
): Promise<Response> {
  const normalizer = provider === 'anthropic' ? createMessageNormalizer() : createChunkNormalizer();
  const type = response.headers.get('content-type') ?? '';
  if (type.startsWith('text/event-stream') && response.body) return eventStream(response.body, normalizer);
  // Servers that cannot stream ignore the request for it.
  const text = await response.text();
  const whole = objectOf(parsedJson(text));
  if (whole) return eventResponse([...normalizer.readWhole(whole), ...normalizer.end()].map(line).join(''));
  const { body } = new Response(text);
  if (body && text.includes('data:')) return eventStream(body, normalizer);
  throw new ProviderError('The answer is not JSON. Check the URL of the endpoint.', response.status);
}

function eventStream(body: ReadableStream<Uint8Array>, normalizer: EventNormalizer): Response {
  let errorField: string | undefined;
  const parser = new EventSourceParserStream({
    // llama.cpp sends errors in a field of this name.
    onError: (error) => {
      if ('field' in error && error.field === 'error' && 'value' in error) errorField = String(error.value);
    },
  });
  return eventResponse(
    body
      .pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>)
      .pipeThrough(parser)
      .pipeThrough(normalized(normalizer, () => errorField))
      .pipeThrough(new TextEncoderStream()),
  );
}

function normalized(
  normalizer: EventNormalizer,
  errorField: () => string | undefined,
): TransformStream<EventSourceMessage, string> {
  let hasFailed = false;
  const finish = (): string => {
    const error = errorField();
    if (error !== undefined) {
      const event = { type: 'error', error: parsedJson(error) ?? error };
      return normalizer.read(event).map(line).join('');
    }
    return hasFailed ? '' : normalizer.end().map(line).join('');
  };
  return new TransformStream({
    transform({ event, data }, controller) {
      const value = objectOf(parsedJson(data));
      if (value) {
        const isError = event === 'error' && value['error'] === undefined;
        const events = normalizer.read(isError ? { type: 'error', error: value } : value);
        controller.enqueue(events.map(line).join(''));
      } else if (data.trim() === '[DONE]') {
        // Some servers keep the connection open after the last event.
        controller.enqueue(finish());
        controller.terminate();
      } else if (data.trim() !== '' && (event === undefined || event === 'error')) {
        hasFailed = true;
        controller.enqueue(`data: ${data.replaceAll('\n', ' ')}\n\n`);
      }
    },
    flush(controller) {
      controller.enqueue(finish());
    },
  });
}

function line(event: Json): string {
  return `data: ${JSON.stringify(event)}\n\n`;
}

function eventResponse(body: BodyInit): Response {
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}
