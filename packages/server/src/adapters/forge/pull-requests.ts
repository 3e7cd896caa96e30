/** What opening a pull request has in common on every forge: at most one, however often it is tried, and its draft mark. */
import { z } from 'zod';
import { ForgeError, type Forge, type ForgePr, type NewPr } from '../../ports/forge.ts';
import { longestPauseSeconds, maxTries, type Connection } from './api.ts';

interface PrCalls {
  /** All open ones of this branch, newest first. */
  listOpen(head: string, signal: AbortSignal): Promise<ForgePr[]>;
  create(wanted: NewPr, signal: AbortSignal): Promise<ForgePr>;
}

/**
 * When a forge fails after it was asked to create, nobody knows whether it did. So the answer is looked up by the
 * branch before it is asked again.
 */
export function findOrCreate(
  calls: PrCalls,
  { pause }: Connection,
  options: { lookFirst?: boolean } = {},
): Pick<Forge, 'findPr' | 'createPr'> {
  const existing = async (wanted: NewPr, signal: AbortSignal) =>
    (await calls.listOpen(wanted.head, signal)).find(({ base }) => base === wanted.base);
  return {
    findPr: async (head, signal) => (await calls.listOpen(head, signal))[0],
    createPr: async (wanted, signal) => {
      if (options.lookFirst === true) {
        const found = await existing(wanted, signal);
        if (found !== undefined) return found;
      }
      for (let attempt = 1; ; attempt++) {
        try {
          return await calls.create(wanted, signal);
        } catch (error) {
          if (!(error instanceof ForgeError)) throw error;
          if (error.problem !== 'already_exists' && error.problem !== 'unavailable') throw error;
          const found = await existing(wanted, signal);
          if (found !== undefined) return found;
          if (error.problem === 'already_exists' || attempt === maxTries) throw error;
          await pause(Math.min(error.retryAfterSeconds ?? attempt, longestPauseSeconds), signal);
        }
      }
    },
  };
}

const draftPrefix = /^\s*(?:\[draft\]|\(draft\)|draft:|wip:|\[wip\])\s*/i;

export function hasDraftPrefix(title: string): boolean {
  return draftPrefix.test(title);
}

/** Where the title is what makes a draft, the text of a title must not decide it. */
export function markedTitle(title: string, draft: boolean, prefix: string): string {
  let plain = title;
  while (draftPrefix.test(plain)) plain = plain.replace(draftPrefix, '');
  return draft ? `${prefix} ${plain}` : plain;
}

/** The branch is pushed by then, so a text that is too long must not cost the pull request. */
export function cutBody(body: string, mostCharacters: number): string {
  if (body.length <= mostCharacters) return body;
  const ending = '\n\n…';
  const kept = body.slice(0, mostCharacters - ending.length);
  const lastLine = kept.lastIndexOf('\n');
  return `${(lastLine > 0 ? kept.slice(0, lastLine) : kept).trimEnd()}${ending}`;
}

/** What both kinds of Bitbucket are known to take. */
export const mostBitbucketCharacters = 32_768;

/** A link that people will click. */
export const pageUrl = z.url({ protocol: /^https?$/ });
export const prNumber = z.int().positive();
