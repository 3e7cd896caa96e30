import { describe, expect, test } from 'vitest';
import { parseAutomations } from './file.ts';

const whole = `version: 1
automations:
  - name: api-docs
    on:
      merged:
        repository: acme/api
        branch: main
        paths: [src/**, openapi.yaml]
    instructions: |
      Document {{pullRequest.title}}.
    budget: { maxRunsPerDay: 5, maxTokensPerDay: 2000000 }
    group: false
    reviewers: codeowners
    scope: { paths: [api] }
    draft: true
  - name: weekly
    on: { schedule: { cron: "0 6 * * MON", timezone: Europe/Berlin } }
    instructions: Check the tutorials of {{scheduledAt}}.
    reviewers: [ada, "@acme/docs"]
  - name: fix
    on: { failedCheck: { minNewErrors: 2 } }
    instructions: Fix {{findings}}.
  - name: unhelpful
    on: { feedback: { minNegative: 5, days: 14, paths: [guides/**] } }
    instructions: Improve {{pages}}. {{comments}}
  - name: by-hand
    on: { manual: true }
    instructions: Check spelling.
`;

const one = (lines: string) => `version: 1
automations:
  - name: first
    on: { manual: true }
    instructions: Check.
${lines}`;

describe('a valid file', () => {
  test('may have every trigger and setting', () => {
    const { automations, problems } = parseAutomations(whole);
    expect(problems).toEqual([]);
    expect(automations.map(({ name }) => name)).toEqual([
      'api-docs',
      'weekly',
      'fix',
      'unhelpful',
      'by-hand',
    ]);
    expect(automations[0]).toMatchObject({ scope: { paths: ['api'] }, group: false, draft: true });
  });

  test('may have no automations', () => {
    expect(parseAutomations('version: 1\nautomations: []')).toEqual({ automations: [], problems: [] });
  });
});

describe('a problem names its setting and line', () => {
  test.each([
    ['an unknown setting', one('    instruction: x'), 'automations[0].instruction', 6],
    ['a setting of another place', `version: 1\nautomation: []\nautomations: []`, 'automation', 2],
    ['another version', 'version: 2\nautomations: []', 'version', 1],
    [
      'two triggers',
      whole.replace('on: { manual: true }', 'on: { manual: true, failedCheck: {} }'),
      'automations[4].on',
      27,
    ],
    ['no trigger', whole.replace('on: { manual: true }', 'on: {}'), 'automations[4].on', 27],
    ['a name twice', whole.replace('name: by-hand', 'name: fix'), 'automations[4].name', 26],
    ['an odd name', whole.replace('name: fix', 'name: Fix It'), 'automations[2].name', 20],
    ['an unknown placeholder', whole.replace('{{findings}}', '{{diff}}'), 'automations[2].instructions', 22],
    ['an odd schedule', whole.replace('0 6 * * MON', '99 6 * * MON'), 'automations[1].on.schedule.cron', 17],
    [
      'a day without a date',
      whole.replace('0 6 * * MON', '0 6 31 2 *'),
      'automations[1].on.schedule.cron',
      17,
    ],
    [
      'seconds in a schedule',
      whole.replace('0 6 * * MON', '* 0 6 * * MON'),
      'automations[1].on.schedule.cron',
      17,
    ],
    [
      'an unknown time zone',
      whole.replace('Europe/Berlin', 'Mars/Crater'),
      'automations[1].on.schedule.timezone',
      17,
    ],
    ['a scope outside', whole.replace('[api]', '[../api]'), 'automations[0].scope.paths[0]', 14],
    ['an absolute scope', whole.replace('[api]', '[/etc]'), 'automations[0].scope.paths[0]', 14],
    ['a pattern outside', whole.replace('src/**', '../**'), 'automations[0].on.merged.paths[0]', 8],
    [
      'a local repository',
      whole.replace('acme/api', '/etc/passwd'),
      'automations[0].on.merged.repository',
      6,
    ],
    [
      'a repository of git',
      whole.replace('acme/api', 'ext::sh -c x'),
      'automations[0].on.merged.repository',
      6,
    ],
    [
      'a credential',
      whole.replace('acme/api', 'https://a:b@c.de/x'),
      'automations[0].on.merged.repository',
      6,
    ],
  ])('%s', (_what, source, path, line) => {
    const { automations, problems } = parseAutomations(source);
    expect(problems.map((each) => [each.path, each.line])).toEqual([[path, line]]);
    expect(automations).toEqual([]);
  });

  test('of the YAML itself', () => {
    const { problems } = parseAutomations('version: 1\nautomations:\n  - name: [');
    expect(problems).toMatchObject([{ path: '', line: expect.any(Number) }]);
    expect(problems[0]?.message).toContain('The file is not YAML');
  });
});

describe('a hostile file is refused within a second', () => {
  const bomb = `a: &a [x, x, x, x, x, x, x, x, x]\n${['b', 'c', 'd', 'e', 'f', 'g', 'h', 'i']
    .map((name, index) => {
      const before = String.fromCodePoint(97 + index);
      return `${name}: &${name} [${Array.from({ length: 9 }, () => `*${before}`).join(', ')}]`;
    })
    .join('\n')}\n`;

  test.each([
    ['expanding aliases', bomb],
    ['many levels', `version: ${'['.repeat(30_000)}`],
    ['many levels of a map', 'a: {'.repeat(12_000)],
    ['many keys', Array.from({ length: 9000 }, (_, index) => `k${index}:`).join('\n')],
    ['a setting twice', 'version: 1\nversion: 1\nautomations: []'],
    ['many questions', '? '.repeat(30_000)],
    ['many errors', '- }\n'.repeat(15_000)],
    ['many anchors', `[${Array.from({ length: 5000 }, (_, index) => `&a${index} 1, *a${index}`).join(',')}]`],
    ['an alias of itself', 'version: &a [*a]\nautomations: []'],
    ['a prototype', 'version: 1\n__proto__: { automations: [] }'],
    ['a size above the limit', `version: 1\nautomations: []\n#${'x'.repeat(64_000)}`],
    ['a tag', 'version: !!js/function "x"\nautomations: []'],
    ['nothing', ''],
    ['a list', '- 1'],
    ['bytes', '\u0000\u0001\ufffd'],
  ])('with %s', (_what, source) => {
    const began = performance.now();
    const { automations, problems } = parseAutomations(source);
    expect(performance.now() - began).toBeLessThan(1000);
    expect(automations).toEqual([]);
    expect(problems.length).toBeGreaterThan(0);
    expect(({} as { automations?: unknown }).automations).toBeUndefined();
  });
});
