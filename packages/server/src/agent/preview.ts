/**
 * The export that shows a branch before anybody merges it. Exports are another feature: this names what is needed, and
 * `compose` puts it in.
 */
import type { Job, StoreContext } from '../jobs/store.ts';

/**
 * Makes the job in the transaction of `context`; the caller announces it afterwards. Undefined when the plan of the organization
 * lacks exports.
 */
export type StartPreview = (
  context: StoreContext,
  given: {
    ofJob: Job;
    source: { repository: string; ref: string; directory: string | null; allowLocal: boolean };
  },
) => Promise<Job | undefined>;

/** Where the export can be had; null while nobody knows the address of this installation. */
export function previewLink(
  { publicUrl }: { publicUrl: string | null },
  exportId: string | null,
): string | null {
  if (publicUrl === null || exportId === null) return null;
  return `${publicUrl}/v1/static-export/jobs/${exportId}/bundle`;
}
