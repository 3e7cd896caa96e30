/** When code of authors may run: what is asked for, and what is said where it is not there. */
import { describe, expect, test } from 'vitest';
import { composeForTest, createTenant } from '../../test/support/test-context.ts';
import { customCodeAt, leastLevel } from './custom-code.ts';

describe('code of authors', () => {
  const partial = { level: 2 as const, statement: 'Partial: system calls are not filtered.' };

  test('runs at the level that is asked for, and above it', () => {
    expect(customCodeAt(partial, 2)).toBe('run');
    expect(customCodeAt(partial, 0)).toBe('run');
  });

  test('is refused below it, with what is missing', () => {
    expect(customCodeAt(partial, 3)).toEqual({
      refused:
        'Isolation is at level 2, and RENDER_ISOLATION_MIN asks for 3. Partial: system calls are not filtered.',
    });
  });
});

describe('without a setting', () => {
  test.skipIf(process.platform !== 'linux')(
    'limits do for one organization, several are kept apart',
    async () => {
      const context = await composeForTest();
      await createTenant(context);
      expect(await leastLevel(context)).toBe(1);
      await createTenant(context, { name: 'Lighthouse' });
      expect(await leastLevel(context)).toBe(3);
    },
  );

  test('and with one, that counts', async () => {
    const context = await composeForTest({ RENDER_ISOLATION_MIN: '0' });
    await createTenant(context);
    await createTenant(context, { name: 'Lighthouse' });
    expect(await leastLevel(context)).toBe(0);
  });
});
