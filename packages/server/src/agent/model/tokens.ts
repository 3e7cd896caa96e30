import type { Message } from '../contract.ts';

/** The average of common tokenizers for English prose and MDX. */
export const charactersPerToken = 4;

/** Counts bytes instead of characters, because Chinese and Japanese have more tokens per character. */
export function estimatedTokensOf(...texts: readonly string[]): number {
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  return Math.ceil(bytes / charactersPerToken);
}

export function estimatedTokens(messages: readonly Message[]): number {
  return estimatedTokensOf(...messages.flatMap(textsOf));
}

function textsOf(message: Message): string[] {
  if (message.role !== 'assistant') return [message.text];
  const calls = message.calls.flatMap(({ name, input }) => [name, JSON.stringify(input) ?? '']);
  return [message.text, message.reasoning ?? '', ...calls];
}
