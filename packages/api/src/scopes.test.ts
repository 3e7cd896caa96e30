/**
 * Which scope opens which door. The whole matrix is spelled out by rule, so that no grant slips in unseen.
 */
import { describe, expect, it } from 'vitest';
import { Scope, scopes, scopesGrant } from './scopes.ts';

const narrow = scopes.filter((scope) => scope.includes(':'));

describe('scopesGrant', () => {
  it.each(scopes)('lets %s do what it says', (scope) => {
    expect(scopesGrant([scope], scope)).toBe(true);
  });

  it('lets write do everything', () => {
    expect(scopes.filter((wanted) => !scopesGrant(['write'], wanted))).toEqual([]);
  });

  it('lets read do all reading and no writing', () => {
    expect(scopes.filter((wanted) => scopesGrant(['read'], wanted))).toEqual(
      scopes.filter((scope) => scope === 'read' || scope.endsWith(':read')),
    );
  });

  it.each(narrow.filter((scope) => scope.endsWith(':write')))(
    'lets %s read its own area and nothing else',
    (scope) => {
      const own = scope.replace(':write', ':read');
      expect(scopes.filter((wanted) => scopesGrant([scope], wanted)).toSorted()).toEqual(
        [own, scope].toSorted(),
      );
    },
  );

  it.each(narrow.filter((scope) => scope.endsWith(':read')))('lets %s do nothing else', (scope) => {
    expect(scopes.filter((wanted) => scopesGrant([scope], wanted))).toEqual([scope]);
  });

  it('adds up several scopes and invents nothing from them', () => {
    expect(scopes.filter((wanted) => scopesGrant(['exports:read', 'keys:write'], wanted))).toEqual([
      'exports:read',
      'keys:read',
      'keys:write',
    ]);
  });

  it('grants nothing to a key without scopes', () => {
    expect(scopes.filter((wanted) => scopesGrant([], wanted))).toEqual([]);
  });

  it('does not make wide scopes out of all the narrow ones', () => {
    expect(scopesGrant(narrow, 'read')).toBe(false);
    expect(scopesGrant(narrow, 'write')).toBe(false);
  });
});

describe('Scope', () => {
  it('refuses what is not in the list', () => {
    expect(Scope.safeParse('admin').success).toBe(false);
    expect(Scope.safeParse('exports:*').success).toBe(false);
  });
});
