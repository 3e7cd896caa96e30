import { z } from 'zod';
import { ForgeError, type Forge, type ForgePr, type NewPr } from '../../ports/forge.ts';
import { maxPauseSeconds, maxTries, type Connection } from './api.ts';

interface PrCalls {
  listOpen(head: string, signal: AbortSignal): Promise<ForgePr[]>;
  create(wanted: NewPr, signal: AbortSignal): Promise<ForgePr>;
}

/** A failed create request may have taken effect, so the branch is looked up before a retry. */
export function findOrCreate(
  calls: PrCalls,
  { pause }: Connection,
  options: { checkFirst?: boolean } = {},
): Pick<Forge, 'findPr' | 'createPr'> {
  const findExisting = async (wanted: NewPr, signal: AbortSignal) =>
    (await calls.listOpen(wanted.head, signal)).find(({ base }) => base === wanted.base);
  return {
    findPr: async (head, signal) => (await calls.listOpen(head, signal))[0],
    createPr: async (wanted, signal) => {
      if (options.checkFirst === true) {
        const found = await findExisting(wanted, signal);
        if (found !== undefined) return found;
      }
      for (let attempt = 1; ; attempt++) {
        try {
          return await calls.create(wanted, signal);
        } catch (error) {
          if (!(error instanceof ForgeError)) throw error;
          if (error.problem !== 'already_exists' && error.problem !== 'unavailable') throw error;
          const found = await findExisting(wanted, signal);
          if (found !== undefined) return found;
          if (error.problem === 'already_exists' || attempt === maxTries) throw error;
          await pause(Math.min(error.retryAfterSeconds ?? attempt, maxPauseSeconds), signal);
        }
      }
    },
  };
}

interface PrPart {
  /** Such as `the reviewer ada`. */
  name: string;
  add(): Promise<unknown>;
}

/** Resolves with a note for each part that the forge refused. */
export async function addParts(parts: readonly PrPart[]): Promise<string[]> {
  const notes: string[] = [];
  for (const { name, add } of parts) {
    try {
      await add();
    } catch (error) {
      if (!(error instanceof ForgeError)) throw error;
      notes.push(`Cannot add ${name}: ${error.message}`);
    }
  }
  return notes;
}

const draftPrefix = /^\s*(?:\[draft\]|\(draft\)|draft:|wip:|\[wip\])\s*/i;

export function hasDraftPrefix(title: string): boolean {
  return draftPrefix.test(title);
}

/** On forges that mark drafts in the title, the given title must not decide. */
export function titleWithDraftMark(title: string, draft: boolean, prefix: string): string {
  let plain = title;
  while (draftPrefix.test(plain)) plain = plain.replace(draftPrefix, '');
  return draft ? `${prefix} ${plain}` : plain;
}

/** A text that is too long must not fail the pull request of a pushed branch. */
export function truncateBody(body: string, maxCharacters: number): string {
  if (body.length <= maxCharacters) return body;
  const ending = '\n\n…';
  const truncated = body.slice(0, maxCharacters - ending.length);
  const lastLine = truncated.lastIndexOf('\n');
  return `${(lastLine > 0 ? truncated.slice(0, lastLine) : truncated).trimEnd()}${ending}`;
}

/** Accepted by Bitbucket Cloud and Data Center. */
export const maxBitbucketCharacters = 32_768;

/** A link that people will click. */
export const pageUrl = z.url({ protocol: /^https?$/ });
export const prNumber = z.int().positive();
