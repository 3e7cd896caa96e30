/**
 * Parses pages in a child process without secrets, environment or network. Pages on which the fast parser
 * crashes are tried with the slow one; pages still missing could not be read.
 */
import { fileURLToPath } from 'node:url';
import type { PageCode } from '@docyard/render/source-rules';
import { z } from 'zod';
import { ChannelError, ProcessDiedError, runSandboxed } from '../../sandbox/sandbox.ts';

export interface PageOrder {
  texts: readonly string[];
  parser: 'fast' | 'slow';
}

const program = fileURLToPath(new URL('page-child.ts', import.meta.url));
const memoryMegabytes = 512;
const maxSeconds = 60;

const Words = z.array(z.string());
const Answer = z.union([
  z.object({
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

/** Rejects only when the caller aborts. */
export async function readPagesApart(
  texts: readonly string[],
  signal: AbortSignal,
): Promise<Map<string, PageCode>> {
  const found = new Map<string, PageCode>();
  let unread: readonly string[] = texts;
  for (const parser of ['fast', 'slow'] as const) {
    if (unread.length === 0) break;
    const read = await readWith({ texts: unread, parser }, found, signal);
    unread = unread.filter((_, index) => !read.has(index));
  }
  return found;
}

async function readWith(
  order: PageOrder,
  found: Map<string, PageCode>,
  signal: AbortSignal,
): Promise<ReadonlySet<number>> {
  const read = new Set<number>();
  try {
    await runSandboxed({
      program,
      order,
      memoryMegabytes,
      signal: AbortSignal.any([signal, AbortSignal.timeout(maxSeconds * 1000)]),
      onMessage: (raw) => {
        const answer = Answer.parse(raw);
        if ('done' in answer) return { answer: undefined };
        const text = order.texts[answer.index];
        read.add(answer.index);
        if (text !== undefined && answer.code !== null) found.set(text, answer.code);
        return undefined;
      },
    });
  } catch (error) {
    signal.throwIfAborted();
    const isExpected = [ProcessDiedError, ChannelError, z.ZodError].some((kind) => error instanceof kind);
    if (!isExpected) throw error;
  }
  return read;
}
