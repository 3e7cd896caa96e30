import { describe, expect, it } from 'vitest';
import { isWithinDivision, nameDivisions, nearestName } from './branch-names.ts';
import type { Division, Section } from './tree.ts';

function section(...labels: string[]): Section {
  const divisions = labels.map((label): Division => ({
    kind: 'tab',
    label,
    isDefault: false,
    section: { entries: [], switchers: [], globals: [] },
  }));
  return { entries: [], switchers: [{ kind: 'tab', divisions }], globals: [] };
}

function namesOf(parent: string, ...labels: string[]): string[] {
  const names = new Map<Division, string>();
  nameDivisions(section(...labels), parent, names);
  return [...names.values()];
}

describe('the name of a division', () => {
  it('is its label as a slug, prefixed with the name of its parent', () => {
    expect(namesOf('', 'v1.10', 'API Reference', 'Éléments & Co')).toEqual([
      'v1.10',
      'api-reference',
      'elements-co',
    ]);
    expect(namesOf('v2', 'Guides')).toEqual(['v2_guides']);
  });

  it('is unique, and a number when the label has no usable letters', () => {
    expect(namesOf('', '指南', 'Guides', 'guides', 'Root')).toEqual([
      'tab-1',
      'guides',
      'guides-2',
      'root-2',
    ]);
  });
});

describe('a branch', () => {
  it('is inside of a division whose name is a prefix of its own', () => {
    expect(isWithinDivision('v1_guides', 'v1')).toBe(true);
    expect(isWithinDivision('v1.2_guides', 'v1')).toBe(false);
  });

  it('is nearest to the one with the same first steps', () => {
    expect(nearestName(['v5_guides', 'v6_api'], 'v6_guides')).toBe('v6_api');
    expect(nearestName(['v5_guides', 'v6_api', 'v6_guides'], 'v6_guides')).toBe('v6_guides');
    expect(nearestName(['v5_guides', 'v6_guides'], '')).toBe('v5_guides');
    expect(nearestName([], 'v6')).toBeUndefined();
  });
});
