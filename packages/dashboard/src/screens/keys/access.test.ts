import { operation, operationIds } from '@docyard/api';
import { expect, test } from 'vitest';
import { accessOf, areasFor, bodyOf, draftOf, levelsOf, scopesOf, wordsOf } from './access.ts';

const nothing = accessOf([]).access;

test('a preset grants wide scopes and custom access grants one scope per area', () => {
  expect(scopesOf('read', nothing)).toEqual(['read']);
  expect(scopesOf('write', nothing)).toEqual(['read', 'write']);
  expect(scopesOf('custom', { ...nothing, exports: 'write', audit: 'read' })).toEqual([
    'exports:write',
    'audit:read',
  ]);
});

test('scopes convert to access levels and back', () => {
  for (const scopes of [['read'], ['read', 'write'], ['exports:write', 'keys:read']] as const) {
    const { preset, access } = accessOf(scopes);
    expect(scopesOf(preset, access)).toEqual(scopes);
  }
});

test('a wide scope beside a narrow one is shown per area', () => {
  const { preset, access } = accessOf(['read', 'exports:write']);
  expect(preset).toBe('custom');
  expect(access).toMatchObject({ exports: 'write', webhooks: 'read', audit: 'read' });
});

test('an area offers only the levels that it has', () => {
  expect(levelsOf('audit')).toEqual(['none', 'read']);
  expect(levelsOf('exports')).toEqual(['none', 'read', 'write']);
});

test('permissions have short labels', () => {
  expect(wordsOf(['read', 'write'])).toEqual(['Everything']);
  expect(wordsOf(['read'])).toEqual(['Read everything']);
  expect(wordsOf(['agent:read', 'exports:write'])).toEqual(['Exports: write', 'Agent jobs: read']);
});

test('a link fills in the form', () => {
  const draft = draftOf(
    new URLSearchParams('new=1&name=ci&scopes=exports:write&expires=30&addresses=10.0.0.0/8'),
  );
  expect(bodyOf(draft)).toEqual({
    name: 'ci',
    scopes: ['exports:write'],
    expiresInDays: 30,
    allowedAddresses: ['10.0.0.0/8'],
  });
});

test('a key of one project gets no organization-wide scope', () => {
  const used = operationIds.map(operation).filter(({ organizationWide }) => !organizationWide);
  const isUsed = (area: string) => used.some(({ scope }) => scope?.startsWith(`${area}:`));
  expect(areasFor('pr_1')).toEqual(areasFor('').filter(isUsed));
  const draft = draftOf(
    new URLSearchParams('new=1&name=ci&project=pr_1&scopes=exports:write,webhooks:write'),
  );
  expect(bodyOf(draft)).toMatchObject({ projectId: 'pr_1', scopes: ['exports:write'] });
});

test('invalid values of a link are ignored', () => {
  const draft = draftOf(new URLSearchParams('new=1&scopes=everything&expires=31'));
  expect(bodyOf(draft)).toEqual({ name: '', scopes: [], expiresInDays: 90 });
});

test('a new key starts without scopes', () => {
  const draft = draftOf(new URLSearchParams('new=1'));
  expect(draft.preset).toBeUndefined();
  expect(bodyOf(draft).scopes).toEqual([]);
});

test('addresses are separated by lines or commas', () => {
  const draft = {
    ...draftOf(new URLSearchParams()),
    expires: 'none',
    addresses: ' 203.0.113.7\n10.0.0.0/8, ::1 ',
  };
  expect(bodyOf(draft)).toMatchObject({
    expiresInDays: null,
    allowedAddresses: ['203.0.113.7', '10.0.0.0/8', '::1'],
  });
});
