/**
 * Builds the conversation that a model sees from the opening and the journal. Pure, so a resumed run sends the
 * same request.
 */
import type { Message, Step } from '../contract.ts';

/** Older results are shortened from this message on. */
export const truncationNote =
  'The conversation became too long, so older tool results were truncated. Call a tool again if you need its result.';

const keptResults = 4;
const shortCharacters = 400;

export function conversationOf(opening: readonly Message[], steps: readonly Step[]): Message[] {
  return shorten([...opening, ...steps.flatMap((step, index) => messagesOf(step, steps, index))]);
}

export function canShorten(messages: readonly Message[]): boolean {
  return shortenableResults(messages).length > 0;
}

function messagesOf(step: Step, steps: readonly Step[], index: number): Message[] {
  switch (step.kind) {
    case 'message':
      return [step.message];
    case 'answer': {
      const { text, reasoning, calls } = step.answer;
      const rest = steps.slice(index + 1);
      const next = rest.findIndex(({ kind }) => kind === 'answer');
      const own = next === -1 ? rest : rest.slice(0, next);
      // Matched by position, because some endpoints repeat call ids.
      const results = own.filter((other) => other.kind === 'result');
      const toolMessages = calls.map(({ id: callId, name }, place): Message => {
        const { text, isError = false } = results[place]?.result ?? notRun;
        return { role: 'tool', callId, name, text, isError };
      });
      return [
        { role: 'assistant', text, calls, ...(reasoning === undefined ? {} : { reasoning }) },
        ...toolMessages,
      ];
    }
    default:
      return [];
  }
}

/** Endpoints reject a conversation in which a call has no result. */
const notRun = { text: 'This call was not run because the work had already ended.', isError: true };

function shorten(messages: readonly Message[]): Message[] {
  const note = messages.findLastIndex(
    (message) => message.role === 'user' && message.text === truncationNote,
  );
  if (note === -1) return [...messages];
  const long = new Set(shortenableResults(messages.slice(0, note)));
  return messages.map((message) =>
    message.role === 'tool' && long.has(message)
      ? {
          ...message,
          text: `${message.text.slice(0, shortCharacters)}\n[Truncated.]`,
        }
      : message,
  );
}

function shortenableResults(messages: readonly Message[]): Message[] {
  return messages
    .filter((message) => message.role === 'tool')
    .slice(0, -keptResults)
    .filter(({ text }) => text.length > 2 * shortCharacters);
}
