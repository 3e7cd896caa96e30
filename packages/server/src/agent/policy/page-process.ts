/**
 * Has pages read by a process that knows nothing else: no secret, no environment, no network. A page on which the fast
 * parser ends the process is tried once more with the slow one; what is still missing then could not be read.
 */
import { fileURLToPath } from 'node:url';
import type { PageCode } from '@docyard/render/source-rules';
import { z } from 'zod';
import { ChannelAbused, ProcessDied, converse } from '../../rendering/sandbox.ts';

export interface PageOrder {
  texts: readonly string[];
  parser: 'fast' | 'slow';
}

const program = fileURLToPath(new URL('page-child.ts', import.meta.url));
const memoryMegabytes = 512;
const mostSeconds = 60;

const Words = z.array(z.string());
const Answer = z.union([
  z.object({
    /** Which of the texts. */
    index: z.int().nonnegative(),
    code: z
      .object({
        frontMatter: z.string(),
        modules: Words,
        actions: z.array(z.object({ name: z.string(), text: z.string() })),
        elements: Words,
        attributes: z.array(
          z.object({ element: z.string(), name: z.string(), value: z.string(), isCode: z.boolean() }),
        ),
        addresses: z.array(z.object({ url: z.string(), use: z.enum(['link', 'load']) })),
        comments: Words,
      })
      .nullable(),
  }),
  z.object({ done: z.literal(true) }),
]);
export type PageAnswer = z.infer<typeof Answer>;

/** Rejects only when the caller's signal says so. */
export async function readPagesApart(
  texts: readonly string[],
  signal: AbortSignal,
): Promise<Map<string, PageCode>> {
  const found = new Map<string, PageCode>();
  let unheard: readonly string[] = texts;
  for (const parser of ['fast', 'slow'] as const) {
    if (unheard.length === 0) break;
    const heard = await readWith({ texts: unheard, parser }, found, signal);
    unheard = unheard.filter((_, index) => !heard.has(index));
  }
  return found;
}

async function readWith(
  order: PageOrder,
  found: Map<string, PageCode>,
  signal: AbortSignal,
): Promise<ReadonlySet<number>> {
  const heard = new Set<number>();
  try {
    await converse({
      program,
      order,
      memoryMegabytes,
      signal: AbortSignal.any([signal, AbortSignal.timeout(mostSeconds * 1000)]),
      hear: (raw) => {
        const answer = Answer.parse(raw);
        if ('done' in answer) return { answer: undefined };
        const text = order.texts[answer.index];
        heard.add(answer.index);
        if (text !== undefined && answer.code !== null) found.set(text, answer.code);
        return undefined;
      },
    });
  } catch (error) {
    signal.throwIfAborted();
    const isExpected = [ProcessDied, ChannelAbused, z.ZodError].some((kind) => error instanceof kind);
    if (!isExpected) throw error;
  }
  return heard;
}
