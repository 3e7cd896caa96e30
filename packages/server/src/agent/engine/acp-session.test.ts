import { describe, expect, test } from 'vitest';
import { answerPermission } from './acp-session.ts';

describe('a permission request', () => {
  const options = [
    { optionId: 'always', name: 'Always', kind: 'allow_always' as const },
    { optionId: 'once', name: 'Once', kind: 'allow_once' as const },
    { optionId: 'no', name: 'No', kind: 'reject_once' as const },
  ];
  test.each([
    ['edit', '/site/a.mdx', 'once'],
    ['read', 'a.mdx', 'once'],
    ['delete', '/site/a.mdx', 'once'],
    ['edit', '/site/../etc/passwd', 'no'],
    ['edit', '/sitemap', 'no'],
    ['execute', '/site', 'no'],
    ['fetch', '/site', 'no'],
    ['switch_mode', '/site', 'no'],
    ['other', '/site', 'no'],
  ] as const)('the permission to %s %s is answered with %s', (kind, path, optionId) => {
    const toolCall = { toolCallId: 'c', kind, locations: [{ path }] };
    expect(answerPermission({ toolCall, options })).toEqual({ outcome: { outcome: 'selected', optionId } });
  });

  test('a request without a reject option is canceled', () => {
    const toolCall = { toolCallId: 'c', kind: 'execute' as const };
    expect(answerPermission({ toolCall, options: options.slice(0, 2) })).toEqual({
      outcome: { outcome: 'cancelled' },
    });
  });
});
