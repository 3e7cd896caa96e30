/**
 * Merges findings with one cause: the same message in many places, many messages about one place, or many
 * missing files of one folder or host. The first place represents the others.
 */
import { posix } from 'node:path';
import type { DiagnosticCode } from '../model/finding-codes.ts';
import { type Diagnostic, type FindingExample, compareDiagnostics } from '../model/diagnostic.ts';

/** Further places are only counted. */
const maxExamples = 100;

interface Cause {
  /** Findings with the same key have the same cause; undefined when the rule does not apply. */
  keyOf: (finding: Diagnostic) => string | undefined;
  /** Up to this many findings stay separate. */
  maxListed: number;
  /** One message for all; by default that of the first finding. */
  message?: (key: string, findings: readonly Diagnostic[]) => string;
}

const missingFiles: ReadonlySet<DiagnosticCode> = new Set(['image_missing']);
const remoteFiles: ReadonlySet<DiagnosticCode> = new Set(['remote_image', 'remote_embed', 'remote_asset']);

const causes: Cause[] = [
  { keyOf: ({ code, message }) => JSON.stringify([code, message]), maxListed: 2 },
  {
    keyOf: ({ code, file, line, column }) =>
      line === undefined ? undefined : JSON.stringify([code, file, line, column]),
    maxListed: 2,
  },
  {
    keyOf: ({ code, target }) =>
      missingFiles.has(code) && target !== undefined
        ? posix.dirname(target.split(/[?#]/, 1)[0] ?? '')
        : undefined,
    maxListed: 9,
    message: (folder, findings) =>
      `${findings.length} images of "${folder}" are not files of the site; readers see their descriptions instead`,
  },
  {
    keyOf: ({ code, target }) =>
      remoteFiles.has(code) ? JSON.stringify([code, URL.parse(target ?? '')?.host ?? '']) : undefined,
    maxListed: 9,
    message: (key, findings) => {
      const [, host] = JSON.parse(key) as [string, string];
      return `${findings.length} files of ${host || 'other hosts'} are not part of the site; readers see links to them`;
    },
  },
  { keyOf: ({ code, file }) => JSON.stringify([code, file]), maxListed: 19 },
];

export function aggregated(findings: readonly Diagnostic[]): Diagnostic[] {
  let left = [...findings];
  const done: Diagnostic[] = [];
  for (const cause of causes) {
    const groups = Map.groupBy(left, (finding) => {
      const key = finding.count === undefined ? cause.keyOf(finding) : undefined;
      return key === undefined ? undefined : `${finding.severity} ${key}`;
    });
    left = [];
    for (const [key, group] of groups) {
      if (key === undefined || group.length <= cause.maxListed) left.push(...group);
      else done.push(one(group, cause.message?.(key.slice(key.indexOf(' ') + 1), group)));
    }
  }
  return [...done, ...left];
}

function one(findings: readonly Diagnostic[], message: string | undefined): Diagnostic {
  const sorted = findings.toSorted(compareDiagnostics);
  const first = sorted[0] as Diagnostic;
  return {
    ...first,
    ...(message === undefined ? {} : { message }),
    count: findings.length,
    examples: sorted.slice(0, maxExamples).map(exampleOf),
  };
}

function exampleOf({ file, line, column, target }: Diagnostic): FindingExample {
  return {
    file,
    ...(line === undefined ? {} : { line }),
    ...(column === undefined ? {} : { column }),
    ...(target === undefined ? {} : { target }),
  };
}

export function placesOf(finding: Diagnostic): Diagnostic[] {
  const { count: _count, examples, ...plain } = finding;
  if (examples === undefined) return [finding];
  return examples.map(
    (example) => ({ ...plain, line: undefined, column: undefined, ...example }) as Diagnostic,
  );
}

export function occurrencesOf({ count = 1 }: Pick<Diagnostic, 'count'>): number {
  return count;
}

const maxNamed = 3;

/** A sentence about the further places; undefined when there is only one. */
export function otherPlaces({ count, examples }: Pick<Diagnostic, 'count' | 'examples'>): string | undefined {
  if (count === undefined || count < 2) return undefined;
  const named = (examples ?? [])
    .slice(1, 1 + maxNamed)
    .map(({ file, line }) => (line === undefined ? file : `${file}:${line}`));
  const more = count - 1 - named.length > 0 ? ', …' : '';
  return `${count} times, also in ${named.join(', ')}${more}`;
}
