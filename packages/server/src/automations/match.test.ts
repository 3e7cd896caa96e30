import type { AutomationDefinition } from '@docyard/api';
import { describe, expect, test } from 'vitest';
import { decide, exceedingPages, narrowPatch } from './match.ts';
import { nextTime } from './schedule.ts';

const docs = 'https://git.example.com/acme/docs.git';

function automation(on: AutomationDefinition['on']): AutomationDefinition {
  return { name: 'one', on, instructions: 'Do it.' };
}

const merge = (given: object = {}) => ({
  kind: 'merged' as const,
  details: {
    values: {},
    change: {
      repositoryUrls: ['https://git.example.com/acme/api.git'],
      branch: 'main',
      commit: 'a'.repeat(40),
      author: 'ada',
      changedPaths: ['src/a.ts'],
      ...given,
    },
  },
});

describe('a merged pull request', () => {
  test.each([
    ['by its URL', { repository: 'https://git.example.com/acme/api' }],
    ['by its path', { repository: 'acme/api' }],
    ['and its branch', { repository: 'acme/api', branch: 'main' }],
    ['and its paths', { repository: 'acme/api', paths: ['docs/**', 'src/*.ts'] }],
  ])('starts an automation that names it %s', (_what, merged) => {
    expect(decide(automation({ merged }), merge(), docs)).toBe('run');
  });

  test('starts an automation with paths when its paths are unknown', () => {
    const merged = { repository: 'acme/api', paths: ['src/**'] };
    expect(decide(automation({ merged }), merge({ changedPaths: null }), docs)).toBe('run');
  });

  test('of another repository is unrelated', () => {
    for (const repository of ['acme/other', 'other/api', 'https://git.example.org/acme/api']) {
      expect(decide(automation({ merged: { repository } }), merge(), docs)).toBe('unrelated');
    }
  });

  test('of another branch or with other paths is skipped, with the reason', () => {
    const decision = (merged: object) =>
      decide(automation({ merged: { repository: 'acme/api', ...merged } }), merge(), docs);
    expect(decision({ branch: 'next' })).toEqual({
      skippedBecause: 'The pull request was merged into main, not next.',
    });
    expect(decision({ paths: ['lib/**'] })).toEqual({
      skippedBecause: 'The pull request changed nothing in lib/**.',
    });
  });

  test('does not start other automations', () => {
    expect(decide(automation({ manual: true }), merge(), docs)).toBe('unrelated');
  });
});

test('an export with fewer new errors than required is skipped', () => {
  const event = { kind: 'failedCheck' as const, details: { values: {}, newErrors: 1 } };
  expect(decide(automation({ failedCheck: {} }), event, docs)).toBe('run');
  expect(decide(automation({ failedCheck: { minNewErrors: 2 } }), event, docs)).toEqual({
    skippedBecause: 'The export has 1 new errors, fewer than 2.',
  });
});

test('pages count when they have enough negative votes and are named', () => {
  const counts = [
    ['/guides/a', 5],
    ['/guides/b', 4],
    ['/other', 9],
  ] as const;
  expect(exceedingPages({ minNegative: 5, paths: ['guides/**'] }, counts)).toEqual(['/guides/a']);
  expect(exceedingPages({ minNegative: 5 }, counts)).toEqual(['/guides/a', '/other']);
});

test('a diff is narrowed to the named files', () => {
  const part = (path: string) =>
    `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-a\n+b\n`;
  const patch = part('src/a.ts') + part('lib/b.ts');
  expect(narrowPatch(patch, ['lib/**'])).toBe(part('lib/b.ts'));
  expect(narrowPatch(patch, undefined)).toBe(patch);
});

test('the time of a schedule follows its time zone', () => {
  const at = new Date('2026-03-28T12:00:00Z');
  const time = (timezone?: string) =>
    nextTime({ cron: '30 6 * * *', ...(timezone === undefined ? {} : { timezone }) }, at)?.toISOString();
  expect(time()).toBe('2026-03-29T06:30:00.000Z');
  // Summer time begins in that night.
  expect(time('Europe/Berlin')).toBe('2026-03-29T04:30:00.000Z');
});
