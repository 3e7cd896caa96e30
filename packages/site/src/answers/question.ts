/** What readers ask and what they get: the bodies and the events of `/_docyard/ask`. */
import { z } from 'zod';
import type { Passage } from '../search/site-search.ts';

const maxTurns = 6;

export const Question = z.strictObject({
  question: z.string().trim().min(1).max(1000),
  /** Earlier questions of the conversation, oldest first. */
  history: z
    .array(z.strictObject({ question: z.string().max(1000), answer: z.string().max(8000) }))
    .max(maxTurns)
    .default([]),
  /** Index of a language and version of the site; all without it. */
  scope: z.int().min(0).max(10_000).optional(),
});
export type Question = z.infer<typeof Question>;

/** A passage as readers see it. */
export interface Source extends Pick<Passage, 'title' | 'heading' | 'url'> {
  /** The number that citations name. */
  number: number;
  /** The passage itself, if no model answers. */
  text?: string;
}

export interface TokenUsage {
  inputTokens: number;
  outputTokens: number;
}

export type AnswerEvent =
  | { type: 'passages'; passages: Source[] }
  | { type: 'text'; text: string }
  | {
      type: 'done';
      /** `not_found`: these documents do not answer the question. */
      reason: 'answered' | 'not_found' | 'passages';
      /** Numbers of passages. */
      citations: number[];
      usage: TokenUsage | null;
    }
  | { type: 'error'; code: 'model_unavailable' | 'search_unavailable'; message: string };
