import type { Job, StoreContext } from '../jobs/store.ts';

/**
 * Creates the export job in the transaction of `context`; the caller announces it afterwards. Resolves with
 * undefined if the plan of the organization lacks exports.
 */
export type StartPreview = (
  context: StoreContext,
  given: {
    ofJob: Job;
    source: { repository: string; ref: string; directory: string | null; allowLocal: boolean };
  },
) => Promise<Job | undefined>;

/** Null if the public address of this installation is not configured. */
export function previewLink(
  { publicUrl }: { publicUrl: string | null },
  exportId: string | null,
): string | null {
  if (publicUrl === null || exportId === null) return null;
  return `${publicUrl}/v1/static-export/jobs/${exportId}/bundle`;
}
