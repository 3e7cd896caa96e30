/**
 * What a model is shown: the beginning of the conversation and what the journal adds to it. Pure, so that a run that
 * goes on after a crash asks exactly what it would have asked.
 */
import type { Message, Step } from '../contract.ts';

/** Sent when the conversation no longer fits; results before it are then shown in short. */
export const roomNote =
  'The conversation became too long, so older tool results were left out. Call a tool again if you need one of them.';

const keptResults = 4;
const shortCharacters = 400;

export function conversationOf(opening: readonly Message[], steps: readonly Step[]): Message[] {
  return shortened([...opening, ...steps.flatMap((step, index) => messagesOf(step, steps, index))]);
}

/** Whether leaving out would free anything that is not left out already. */
export function canMakeRoom(messages: readonly Message[]): boolean {
  return longResults(messages).length > 0;
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
      // By their order, because some endpoints give two calls the same id.
      const results = own.filter((other) => other.kind === 'result');
      const told = calls.map(({ id: callId, name }, place): Message => {
        const { text, isError = false } = results[place]?.result ?? notRun;
        return { role: 'tool', callId, name, text, isError };
      });
      return [{ role: 'assistant', text, calls, ...(reasoning === undefined ? {} : { reasoning }) }, ...told];
    }
    default:
      return [];
  }
}

/** An endpoint refuses a conversation in which a call has no result. */
const notRun = { text: 'This call was not run: the work had already ended.', isError: true };

function shortened(messages: readonly Message[]): Message[] {
  const note = messages.findLastIndex((message) => message.role === 'user' && message.text === roomNote);
  if (note === -1) return [...messages];
  const long = new Set(longResults(messages.slice(0, note)));
  return messages.map((message) =>
    message.role === 'tool' && long.has(message)
      ? {
          ...message,
          text: `${message.text.slice(0, shortCharacters)}\n[The rest was left out to make room.]`,
        }
      : message,
  );
}

function longResults(messages: readonly Message[]): Message[] {
  return messages
    .filter((message) => message.role === 'tool')
    .slice(0, -keptResults)
    .filter(({ text }) => text.length > 2 * shortCharacters);
}
