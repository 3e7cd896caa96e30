import { afterEach, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { CookieSigner } from './signed-cookies.ts';

const Value = z.object({ name: z.string() });
const cookies = new CookieSigner(Buffer.alloc(32, 'key'), 'docs');

afterEach(() => void vi.useRealTimers());

test('a cookie ends although it was valid before', () => {
  vi.useFakeTimers({ now: 0 });
  const text = cookies.sign('session', { name: 'Ada' }, 60);
  expect(cookies.verify('session', [text], Value)).toEqual({ name: 'Ada' });
  vi.setSystemTime(59_000);
  expect(cookies.verify('session', [text], Value)).toEqual({ name: 'Ada' });
  vi.setSystemTime(60_000);
  expect(cookies.verify('session', [text], Value)).toBeUndefined();
});

test('a cookie that was verified for one purpose is not valid for another, nor with other text', () => {
  const text = cookies.sign('session', { name: 'Ada' }, 60);
  expect(cookies.verify('session', [text], Value)).toEqual({ name: 'Ada' });
  expect(cookies.verify('pending', [text], Value)).toBeUndefined();
  expect(cookies.verify('session', [`${text}A`, `${text}.`, ` ${text}`], Value)).toBeUndefined();
  expect(cookies.verify('session', [text], z.object({ other: z.string() }))).toBeUndefined();
});
