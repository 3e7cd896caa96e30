import { describe, expect, it } from 'vitest';
import { dashboardPath } from './dashboard-path.ts';

describe('the dashboard path after signing in', () => {
  it.each([
    ['/', '/'],
    ['/exports?status=failed&days=7', '/exports?status=failed&days=7'],
    ['/projects/pr_1?tab=settings', '/projects/pr_1?tab=settings'],
    ['/a/../exports', '/exports'],
    ['/exp\tor\nts', '/exports'],
  ])('the address %j leads to %s', (to, place) => {
    expect(dashboardPath(to)).toBe(place);
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
  ])('the address %j leads to the start page', (to) => {
    expect(dashboardPath(to)).toBe('/');
  });
});
