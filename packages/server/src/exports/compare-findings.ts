/** Compares the findings of two exports. */
import type { Diagnostic, FindingsComparison } from '@docyard/api';
import type { Context } from '../context.ts';
import type { Job } from '../jobs/store.ts';
import type { AccessScope } from '../access-scope.ts';
import { findBase } from './compare.ts';
import { readReport } from './read.ts';

const maxListed = 500;

export async function compareFindings(
  context: Pick<Context, 'blobs' | 'database'>,
  { job, older, reach }: { job: Job; older: string | undefined; reach: AccessScope },
): Promise<FindingsComparison> {
  const after = await readReport(context, job);
  const base = await findBase(context, job, { older, reach });
  const before = await readReport(context, base);
  const added = without(after.diagnostics, before.diagnostics);
  const fixed = without(before.diagnostics, after.diagnostics);
  return {
    from: base.id,
    to: job.id,
    new: added.slice(0, maxListed),
    fixed: fixed.slice(0, maxListed),
    remaining: after.diagnostics.length - added.length,
    truncated: before.truncated || after.truncated || added.length > maxListed || fixed.length > maxListed,
  };
}

/** Findings without a counterpart in the other list. Each counterpart matches once. */
function without(findings: readonly Diagnostic[], others: readonly Diagnostic[]): Diagnostic[] {
  const left = new Map<string, number>();
  for (const other of others) left.set(identityOf(other), (left.get(identityOf(other)) ?? 0) + 1);
  return findings.filter((finding) => {
    const count = left.get(identityOf(finding)) ?? 0;
    left.set(identityOf(finding), count - 1);
    return count <= 0;
  });
}

/** Without the line number, because edits above a finding move it. */
function identityOf({ severity, code, message, file, target }: Diagnostic): string {
  return JSON.stringify([severity, code, message, file, target]);
}
