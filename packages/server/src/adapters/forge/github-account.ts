/** The account that writes comments on GitHub: the user of a token, or the bot of an App. */
import { z } from 'zod';
import type { ForgeAccount } from '../../ports/forge-review.ts';
import type { Api } from './api.ts';
import { encodedPath } from './repository.ts';

const User = z.object({ id: z.int(), login: z.string() });

/** `asApp` is null for a token. */
export function githubAccount(api: Api, asApp: Api | null): (signal: AbortSignal) => Promise<ForgeAccount> {
  let known: ForgeAccount | undefined;
  return async (signal) => {
    known ??= await read(api, asApp, signal);
    return known;
  };
}

async function read(api: Api, asApp: Api | null, signal: AbortSignal): Promise<ForgeAccount> {
  const path = asApp === null ? '/user' : `/users${encodedPath(`${await slugOf(asApp, signal)}[bot]`)}`;
  const { id, login } = await api.get({ path, answer: User, signal });
  return { id: String(id), login };
}

async function slugOf(asApp: Api, signal: AbortSignal): Promise<string> {
  return (await asApp.get({ path: '/app', answer: z.object({ slug: z.string() }), signal })).slug;
}
