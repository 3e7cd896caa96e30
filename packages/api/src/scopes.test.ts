import { describe, expect, it } from 'vitest';
import { Scope } from './scope-schema.ts';
import { currentScope, scopes, scopesGrant } from './scopes.ts';

const narrow = scopes.filter((scope) => scope.includes(':'));

describe('scopesGrant', () => {
  it.each(scopes)('the scope %s grants itself', (scope) => {
    expect(scopesGrant([scope], scope)).toBe(true);
  });

  it('the scope write grants every scope', () => {
    expect(scopes.filter((wanted) => !scopesGrant(['write'], wanted))).toEqual([]);
  });

  it('the scope read grants every read scope and no write scope', () => {
    expect(scopes.filter((wanted) => scopesGrant(['read'], wanted))).toEqual(
      scopes.filter((scope) => scope === 'read' || scope.endsWith(':read')),
    );
  });

  it.each(narrow.filter((scope) => scope.endsWith(':write')))(
    'the scope %s also grants reading of its area and nothing else',
    (scope) => {
      const own = scope.replace(':write', ':read');
      expect(scopes.filter((wanted) => scopesGrant([scope], wanted)).toSorted()).toEqual(
        [own, scope].toSorted(),
      );
    },
  );

  it.each(narrow.filter((scope) => scope.endsWith(':read')))('the scope %s grants nothing else', (scope) => {
    expect(scopes.filter((wanted) => scopesGrant([scope], wanted))).toEqual([scope]);
  });

  it('several scopes grant the union of what each grants', () => {
    expect(scopes.filter((wanted) => scopesGrant(['exports:read', 'keys:write'], wanted))).toEqual([
      'exports:read',
      'keys:read',
      'keys:write',
    ]);
  });

  it('an empty list of scopes grants nothing', () => {
    expect(scopes.filter((wanted) => scopesGrant([], wanted))).toEqual([]);
  });

  it('all narrow scopes together do not grant a wide scope', () => {
    expect(scopesGrant(narrow, 'read')).toBe(false);
    expect(scopesGrant(narrow, 'write')).toBe(false);
  });
});

describe('Scope', () => {
  it('a deprecated scope is replaced by the current one', () => {
    expect(Scope.parse('people:read')).toBe('users:read');
    expect(currentScope('people:write')).toBe('users:write');
    expect(scopes.map(currentScope)).toEqual(scopes);
  });

  it('an unknown scope is refused', () => {
    expect(Scope.safeParse('admin').success).toBe(false);
    expect(Scope.safeParse('exports:*').success).toBe(false);
  });
});
