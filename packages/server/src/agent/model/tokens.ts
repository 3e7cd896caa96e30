import type { Message } from '../contract.ts';

/** The average of common tokenizers for English prose and MDX. */
export const charactersPerToken = 4;

export function estimatedTokens(messages: readonly Message[]): number {
  const characters = messages.reduce((sum, message) => sum + lengthOf(message), 0);
  return Math.ceil(characters / charactersPerToken);
}

function lengthOf(message: Message): number {
  if (message.role !== 'assistant') return message.text.length;
  const calls = message.calls.reduce(
    (sum, { name, input }) => sum + name.length + (JSON.stringify(input) ?? '').length,
    0,
  );
  return message.text.length + (message.reasoning?.length ?? 0) + calls;
}
