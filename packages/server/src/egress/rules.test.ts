import { describe, expect, test } from 'vitest';
import { addressesFor } from './addresses.ts';
import { adviceAbout, alsoAllowing, egressPurposes, parseEgressRules, policyFor } from './rules.ts';

const tenant = { organizationId: 'org_1', projectId: 'pr_1' };
const rulesOf = (text: string) => ({ rules: parseEgressRules(text), offline: false });

async function isReached(
  entry: string,
  purpose: (typeof egressPurposes)[number],
  of = tenant,
): Promise<boolean> {
  const policy = { ...policyFor(rulesOf(entry), purpose, of), lookup: () => Promise.resolve(['10.0.0.1']) };
  return addressesFor(new URL('http://inside.test:8080/'), policy).then(
    () => true,
    () => false,
  );
}

describe('an entry for one purpose allows that purpose alone', () => {
  test.each(egressPurposes.flatMap((allowed) => egressPurposes.map((purpose) => ({ allowed, purpose }))))(
    'an entry for $allowed is checked for $purpose',
    async ({ allowed, purpose }) => {
      expect(await isReached(`${allowed}:inside.test:8080`, purpose)).toBe(allowed === purpose);
      expect(await isReached(`${allowed}:inside.test`, purpose)).toBe(allowed === purpose);
    },
  );
});

test('an entry with several purposes allows each of them and no other', async () => {
  const reached = await Promise.all(
    egressPurposes.map((purpose) => isReached('source+forge:inside.test', purpose)),
  );
  expect(egressPurposes.filter((_, index) => reached[index])).toEqual(['source', 'forge']);
});

test.each([
  ['source:inside.test@org_1', true],
  ['source:inside.test@pr_1', true],
  ['source:inside.test@org_2', false],
  ['source:inside.test@pr_2', false],
])('%s applies only to the organization or project it names', async (entry, expected) => {
  expect(await isReached(entry, 'source')).toBe(expected);
  expect(policyFor(rulesOf(entry), 'source').allowedHosts).toEqual([]);
});

test('an entry without a purpose allows every purpose and yields a recommendation', async () => {
  for (const purpose of egressPurposes) expect(await isReached('inside.test', purpose)).toBe(true);
  expect(adviceAbout(rulesOf('git.internal:3000,model:gpu.internal'))).toContain(
    'source+forge:git.internal:3000',
  );
  expect(adviceAbout(rulesOf('source:git.internal'))).toBeUndefined();
});

test('the host of another setting is allowed in addition', () => {
  const policy = alsoAllowing(
    policyFor(rulesOf('source:git.internal'), 'model'),
    'http://gpu.internal:8000/v1',
  );
  expect(policy.allowedHosts).toEqual(['gpu.internal:8000']);
});

test('a refusal names the entry that would allow the host', async () => {
  const policy = policyFor(rulesOf(''), 'webhook', tenant);
  await expect(addressesFor(new URL('https://10.0.0.1:8443/'), policy)).rejects.toMatchObject({
    hint: 'If this is intended, the operator can add webhook:10.0.0.1:8443 to EGRESS_ALLOW.',
  });
});

test.each([
  ['model:8080', { host: 'model:8080', purposes: null, owner: null }],
  ['Source:Git.Internal', { host: 'git.internal', purposes: ['source'], owner: null }],
  ['::1', { host: '::1', purposes: null, owner: null }],
  ['model:[::1]:8000', { host: '[::1]:8000', purposes: ['model'], owner: null }],
  ['model:::1', { host: '::1', purposes: ['model'], owner: null }],
])('%s is parsed as a rule', (entry, rule) => {
  expect(parseEgressRules(entry)).toEqual([rule]);
});

test.each([
  ['modle:gpu.internal', 'modle is not a purpose'],
  ['source+web:git.internal', 'web is not a purpose'],
  ['source:git.internal@team', 'the id of an organization or a project'],
  ['source:https://git.internal', 'is not a host name'],
  ['*.internal', 'is not a host name'],
])('%s is refused: %s', (entry, reason) => {
  expect(() => parseEgressRules(entry)).toThrow(reason);
});
