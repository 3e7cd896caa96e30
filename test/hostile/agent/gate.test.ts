/** The policy and the pull request texts against every hostile case, as if all other defenses had failed. */
import { describe, expect, test } from 'vitest';
import { defaultLimits } from '../../../packages/server/src/agent/contract.ts';
import { holdsSecret } from '../../../packages/server/src/agent/policy/secrets.ts';
import { surveyTree } from '../../../packages/server/src/agent/policy/survey.ts';
import { outcomeOf, verdictOn } from '../../../packages/server/test/support/policy-verdicts.ts';
import { commitMessage, pullRequestText } from '../../../packages/server/src/agent/publish/text.ts';
import { type HostileCase, heededByForges, obeyedDiff, plainSite } from './case.ts';
import { hostileCases } from './cases.ts';

const secret = 'forge-T0ken-9f8Q2w7Zk4';
const cases = hostileCases(secret).map((each): [string, HostileCase] => [each.name, each]);

async function settingsFor({ files }: HostileCase) {
  const all = { ...plainSite, ...files };
  const existing = await surveyTree({
    list: () =>
      Promise.resolve(Object.entries(all).map(([path, text]) => ({ path, sizeBytes: text.length }))),
    read: (path) => Promise.resolve(new TextEncoder().encode(all[path] ?? '')),
  });
  return { existing, secrets: [secret], limits: defaultLimits };
}

test('every case has a name of its own', () => {
  expect(new Set(cases.map(([name]) => name)).size).toBe(cases.length);
});

describe('the gate', () => {
  test.each(cases)('%s', async (_, each) => {
    expect(outcomeOf(obeyedDiff(each), await settingsFor(each))).toBe(each.gate);
  });

  test.each(cases)('reveals no secret: %s', async (_, each) => {
    const verdict = verdictOn(obeyedDiff(each), await settingsFor(each));
    expect(holdsSecret(JSON.stringify(verdict), [secret])).toBe(false);
  });
});

describe('the words of the pull request', () => {
  test.each(cases)('%s', async (_, each) => {
    const said = each.turns
      .flatMap(({ calls = [] }) => calls)
      .findLast(({ name }) => name === 'finish')?.input;
    const { title, summary } = (said ?? { title: '', summary: '' }) as { title: string; summary: string };
    const files = obeyedDiff(each);
    const facts = {
      jobId: 'aj_1',
      prompt: each.prompt ?? 'Improve the guides.',
      title,
      summary,
      reason: 'done' as const,
      problem: null,
      baseBranch: 'main',
      baseUpdate: null,
      files,
      findings: [],
      findingsBefore: 0,
      verdict: verdictOn(files, await settingsFor(each)),
      usage: { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, steps: 1 },
      model: 'scripted',
      previewUrl: null,
      messageUrl: null,
      template: each.files?.['.github/pull_request_template.md'] ?? null,
      evidence: [],
      samples: null,
      secrets: [secret],
      earlier: [],
    };
    const pullRequest = pullRequestText(facts);
    const commit = commitMessage(facts);
    expect(holdsSecret(`${pullRequest.title}\n${pullRequest.body}\n${commit}`, [secret])).toBe(false);
    const { title: heading, body } = pullRequest;
    expect([heading, body, commit].flatMap(heededByForges)).toEqual([]);
    expect(pullRequest.body.match(/^#{2,3} Checks$/gm)).toHaveLength(1);
  });
});
