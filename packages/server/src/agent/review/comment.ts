import type { ForgeAccount } from '../../ports/forge-review.ts';

/** A comment or review on the pull request of an agent job. Everything in it is untrusted. */
export interface ReviewComment {
  kind: 'comment' | 'line' | 'review';
  id: string;
  threadId: string | null;
  author: ForgeAccount;
  body: string;
  url: string | null;
  path: string | null;
  line: number | null;
  asksForChanges: boolean;
}
