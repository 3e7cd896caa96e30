/**
 * Names of branches and divisions in addresses (`?nav=v2_guides`) and file names. They derive from labels, so
 * that they survive changes in other parts of the navigation.
 */
import { trimmedText } from './plain-route.ts';
import type { Division, Section } from './tree.ts';

/** Occurs in no segment. */
const stepSeparator = '_';
const maxStepLength = 40;
const maxLength = 160;

/** The name of the branch of an undivided navigation. */
export const rootName = 'root';

export function nameDivisions(section: Section, parent: string, names: Map<Division, string>): void {
  const taken = new Set<string>(parent === '' ? [rootName] : []);
  for (const { divisions } of section.switchers) {
    divisions.forEach((division, position) => {
      const step = uniqueStep(stepOf(division, position), taken);
      const name = parent === '' ? step : parent + stepSeparator + step;
      names.set(division, name.length > maxLength ? shortened(name, names.size) : name);
    });
  }
}

function stepOf({ label, kind }: Division, position: number): string {
  const plain = label
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9.]+/g, '-')
    .slice(0, maxStepLength);
  const trimmed = trimmedText(plain, '-.');
  return trimmed === '' ? `${kind}-${position + 1}` : trimmed;
}

function uniqueStep(step: string, taken: Set<string>): string {
  let name = step;
  for (let number = 2; taken.has(name); number++) name = `${step}-${number}`;
  taken.add(name);
  return name;
}

function shortened(name: string, number: number): string {
  return `${name.slice(0, maxLength - 10)}-${number}`;
}

export function isWithinDivision(branch: string, division: string): boolean {
  return branch === division || branch.startsWith(division + stepSeparator);
}

/** Earlier choices outweigh all later ones. */
export function nearestName(candidates: readonly string[], reader: string): string | undefined {
  const wanted = reader.split(stepSeparator);
  const score = (name: string): string => {
    const steps = new Set(name.split(stepSeparator));
    return wanted.map((step) => (steps.has(step) ? '1' : '0')).join('');
  };
  let best: { name: string; score: string } | undefined;
  for (const name of candidates) {
    const own = score(name);
    if (best === undefined || own > best.score) best = { name, score: own };
  }
  return best?.name;
}
