/** What the wire formats of the scripted model share. */
import type { Message } from '../../packages/server/src/agent/contract.ts';
import type { ScriptedAnswer, ScriptedCall } from './model-server.ts';

export interface Wire {
  path: string;
  events(answer: ScriptedAnswer, request: Record<string, unknown>): string[];
  /** The answer to a request that asks for no stream; without it every answer is a stream. */
  whole?(answer: ScriptedAnswer, request: Record<string, unknown>, url: string): unknown;
  error(message: string): unknown;
  errorEvent(message: string): string;
  conversation(request: Record<string, unknown>): { messages: Message[]; tools: string[] };
}

export type Json = Record<string, unknown>;

export function usageOf(answer: ScriptedAnswer): Required<NonNullable<ScriptedAnswer['usage']>> {
  return { inputTokens: 100, outputTokens: 10, cacheReadTokens: 0, ...answer.usage };
}

export function argumentsOf(call: ScriptedCall): string {
  return call.arguments ?? JSON.stringify(call.input ?? {});
}

/** Chunks of about the same length, none of them empty. */
export function split(text: string, pieces: number): string[] {
  const length = Math.max(1, Math.ceil(text.length / pieces));
  return Array.from({ length: Math.ceil(text.length / length) }, (_, index) =>
    text.slice(index * length, (index + 1) * length),
  );
}

export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return (content as Json[]).flatMap(({ text }) => (typeof text === 'string' ? [text] : [])).join('\n');
}
