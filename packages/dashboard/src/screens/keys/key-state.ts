import type { ApiKey } from '@docyard/api';
import type { Tone } from '../../parts/note.tsx';
import { relative } from '../../parts/time.tsx';

export interface KeyState {
  works: boolean;
  words: string;
  tone: Tone;
}

const dayMs = 86_400_000;
const soonDays = 14;

export function keyState({ revokedAt, expiresAt }: ApiKey, nowMs: number): KeyState {
  if (revokedAt !== null) return { works: false, words: 'revoked', tone: 'bad' };
  if (expiresAt === null) return { works: true, words: 'does not expire', tone: 'quiet' };
  const leftMs = Date.parse(expiresAt) - nowMs;
  if (leftMs <= 0) return { works: false, words: 'expired', tone: 'bad' };
  const days = Math.floor(leftMs / dayMs);
  const words = days > 1 ? `expires in ${days} days` : `expires ${relative(leftMs)}`;
  return { works: true, words, tone: leftMs < soonDays * dayMs ? 'warn' : 'good' };
}

export function isInUse({ lastUsedAt }: ApiKey, nowMs: number): boolean {
  return lastUsedAt !== null && nowMs - Date.parse(lastUsedAt) < dayMs;
}
