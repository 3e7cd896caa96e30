/**
 * Names of branches and divisions, as addresses (`?nav=v2_guides`) and file names have them. They follow from the labels on
 * the way, so that an address stays the same while other parts of the navigation change.
 */
import { trimmedText } from './plain-route.ts';
import type { Division, Section } from './tree.ts';

/** Stands between the steps of a name, and in no step. */
const stepSeparator = '_';
const maximumStepLength = 40;
const maximumLength = 160;

/** The branch that consists of the root of the navigation alone. */
export const rootName = 'root';

/** A name for each division below a section, with the name of the section before it. */
export function nameDivisions(section: Section, parent: string, names: Map<Division, string>): void {
  const taken = new Set<string>(parent === '' ? [rootName] : []);
  for (const { divisions } of section.switchers) {
    divisions.forEach((division, position) => {
      const step = uniqueStep(stepOf(division, position), taken);
      const name = parent === '' ? step : parent + stepSeparator + step;
      names.set(division, name.length > maximumLength ? shortened(name, names.size) : name);
    });
  }
}

function stepOf({ label, kind }: Division, position: number): string {
  const plain = label
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9.]+/g, '-')
    .slice(0, maximumStepLength);
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
  return `${name.slice(0, maximumLength - 10)}-${number}`;
}

/** Whether a branch lies in a division. */
export function liesIn(branch: string, division: string): boolean {
  return branch === division || branch.startsWith(division + stepSeparator);
}

/** The branch that keeps most of what a reader has chosen, where an earlier choice counts more than all later ones. */
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
