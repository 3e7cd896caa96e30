import type { ApiKey } from '@docyard/api';
import { expect, test } from 'vitest';
import { isInUse, keyState } from './key-state.ts';

const nowMs = Date.parse('2026-03-01T12:00:00Z');
const key: ApiKey = {
  id: 'key_1',
  name: 'ci',
  prefix: 'docyard_ab',
  last4: 'wxyz',
  scopes: ['read'],
  allowedAddresses: [],
  projectId: null,
  createdAt: '2026-01-01T00:00:00Z',
  expiresAt: null,
  lastUsedAt: null,
  revokedAt: null,
  rolledFrom: null,
};

test.each([
  [{}, true, 'does not expire', 'quiet'],
  [{ expiresAt: '2026-05-30T12:00:00Z' }, true, 'expires in 90 days', 'good'],
  [{ expiresAt: '2026-03-07T13:00:00Z' }, true, 'expires in 6 days', 'warn'],
  [{ expiresAt: '2026-03-01T13:00:00Z' }, true, 'expires in 1 hour', 'warn'],
  [{ expiresAt: '2026-03-01T12:00:05Z' }, true, 'expires now', 'warn'],
  [{ expiresAt: '2026-03-01T12:00:00Z' }, false, 'expired', 'bad'],
  [{ revokedAt: '2026-02-01T00:00:00Z', expiresAt: '2026-05-30T12:00:00Z' }, false, 'revoked', 'bad'],
])('%o: %s, %s', (change, works, words, tone) => {
  expect(keyState({ ...key, ...change }, nowMs)).toEqual({ works, words, tone });
});

test('a key that was used within a day is in use', () => {
  expect(isInUse({ ...key, lastUsedAt: '2026-03-01T09:00:00Z' }, nowMs)).toBe(true);
  expect(isInUse({ ...key, lastUsedAt: '2026-02-20T09:00:00Z' }, nowMs)).toBe(false);
  expect(isInUse(key, nowMs)).toBe(false);
});
