import { describe, expect, test } from 'vitest';
import { composeForTest, createTenant } from '../../test/support/test-context.ts';
import { customCodeAt, minLevel } from './custom-code.ts';

describe('custom code', () => {
  const partial = { level: 2 as const, statement: 'Partial: system calls are not filtered.' };

  test('runs at the required level and above', () => {
    expect(customCodeAt(partial, 2)).toBe('run');
    expect(customCodeAt(partial, 0)).toBe('run');
  });

  test('is refused below the required level with the reason', () => {
    expect(customCodeAt(partial, 3)).toEqual({
      refused:
        'Isolation is at level 2, and RENDER_ISOLATION_MIN requires 3. Partial: system calls are not filtered.',
    });
  });
});

describe('without a setting', () => {
  test.skipIf(process.platform !== 'linux')(
    'limits do for one organization, several are kept apart',
    async () => {
      const context = await composeForTest();
      await createTenant(context);
      expect(await minLevel(context)).toBe(1);
      await createTenant(context, { name: 'Lighthouse' });
      expect(await minLevel(context)).toBe(3);
    },
  );

  test('the default depends on the organizations, and a setting overrides it', async () => {
    const context = await composeForTest({ RENDER_ISOLATION_MIN: '0' });
    await createTenant(context);
    await createTenant(context, { name: 'Lighthouse' });
    expect(await minLevel(context)).toBe(0);
  });
});
