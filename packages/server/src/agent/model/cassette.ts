/**
 * Records the requests and answers of a model as JSON lines and replays them offline. A recording is as
 * confidential as the conversation; it never contains a key.
 */
import { createHash } from 'node:crypto';
import { appendFile, readFile } from 'node:fs/promises';
import { z } from 'zod';
import { ModelError, type Model, type ModelAnswer, type ModelRequest } from '../contract.ts';

interface Recorded {
  fingerprint: string;
  messages: ModelRequest['messages'];
  tools: string[];
  answer?: ModelAnswer;
  failure?: { reason: ModelError['reason']; message: string };
}

export function recordTo(file: string, model: Model): Model {
  const write = (request: ModelRequest, outcome: Pick<Recorded, 'answer' | 'failure'>) => {
    const { messages } = request;
    const tools = request.tools.map(({ name }) => name);
    const line: Recorded = { fingerprint: fingerprintOf(request), messages, tools, ...outcome };
    return appendFile(file, `${JSON.stringify(line)}\n`, { mode: 0o600 });
  };
  return {
    name: model.name,
    contextTokens: model.contextTokens,
    maxOutputTokens: model.maxOutputTokens,
    async answer(request) {
      try {
        const answer = await model.answer(request);
        await write(request, { answer });
        return answer;
      } catch (error) {
        if (error instanceof ModelError) {
          await write(request, { failure: { reason: error.reason, message: error.message } });
        }
        throw error;
      }
    },
  };
}

/** Equal requests get their answers in the recorded order. */
export async function playFrom(file: string, name: string): Promise<Model> {
  const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '');
  const left = lines.map((line) => JSON.parse(line) as Recorded);
  return {
    name,
    contextTokens: null,
    maxOutputTokens: null,
    async answer(request) {
      request.signal.throwIfAborted();
      const fingerprint = fingerprintOf(request);
      const place = left.findIndex((recorded) => recorded.fingerprint === fingerprint);
      const [found] = place === -1 ? [] : left.splice(place, 1);
      if (!found) throw new ModelError('model_unavailable', difference(request, left[0]));
      if (found.answer) {
        request.onText?.(found.answer.text);
        return found.answer;
      }
      throw new ModelError(found.failure?.reason ?? 'model_unavailable', found.failure?.message ?? '');
    },
  };
}

/** The output limit is left out: it depends on the budget, not on the conversation. */
function fingerprintOf({ messages, tools }: ModelRequest): string {
  const described = tools.map(({ name, description, input }) => [name, description, z.toJSONSchema(input)]);
  return createHash('sha256')
    .update(JSON.stringify([messages, described]))
    .digest('hex');
}

function difference({ messages, tools }: ModelRequest, next: Recorded | undefined): string {
  if (!next) return 'The recording has no more answers.';
  const names = tools.map(({ name }) => name);
  const place = messages.findIndex(
    (message, index) => JSON.stringify(message) !== JSON.stringify(next.messages[index]),
  );
  if (place === -1 && messages.length === next.messages.length) {
    return JSON.stringify(names) === JSON.stringify(next.tools)
      ? 'This was not recorded: the tools are described differently.'
      : `This was not recorded: the tools were ${next.tools.join(', ')}.`;
  }
  const number = (place === -1 ? messages.length : place) + 1;
  return `This was not recorded: the conversation differs from message ${number} on.`;
}
