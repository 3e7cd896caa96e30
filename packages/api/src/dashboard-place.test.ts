import { describe, expect, it } from 'vitest';
import { placeInDashboard } from './dashboard-place.ts';

describe('the place after signing in', () => {
  it.each([
    ['/', '/'],
    ['/exports?status=failed&days=7', '/exports?status=failed&days=7'],
    ['/projects/pr_1?tab=settings', '/projects/pr_1?tab=settings'],
    ['/a/../exports', '/exports'],
    ['/exp\tor\nts', '/exports'],
  ])('%j leads to %s', (to, place) => {
    expect(placeInDashboard(to)).toBe(place);
  });

  it.each([
    null,
    undefined,
    '',
    'exports',
    'https://evil.example/',
    '//evil.example',
    '///evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/\t/evil.example',
    '/\n\\evil.example',
    '/%2f%2fevil.example',
    '/%5cevil.example',
    '/%252f%252fevil.example',
    '/%09/evil.example',
    '/..//evil.example',
    '/.//evil.example',
    '//user:pass@evil.example/',
    'javascript:alert(1)',
    `/${'a'.repeat(500)}`,
  ])('%j leads to the start', (to) => {
    expect(placeInDashboard(to)).toBe('/');
  });
});
