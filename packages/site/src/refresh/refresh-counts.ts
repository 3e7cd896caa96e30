/** What came of the looks for something newer, for those who watch a deployment. */
import type { Refusal } from '@docyard/bundle';
import type { SiteStatus } from '../serving/status-response.ts';

export class RefreshCounts {
  readonly #outcomes: Record<string, number> = {};
  readonly #refusals: Record<string, number> = {};
  #last: SiteStatus['lastRefresh'] = null;

  ended(outcome: string, detail?: string): void {
    this.#outcomes[outcome] = (this.#outcomes[outcome] ?? 0) + 1;
    this.#last = { at: new Date().toISOString(), outcome, ...(detail === undefined ? {} : { detail }) };
  }

  refused(refusal: Refusal): void {
    this.#refusals[refusal] = (this.#refusals[refusal] ?? 0) + 1;
  }

  status(): Pick<SiteStatus, 'lastRefresh' | 'refreshes' | 'refusals'> {
    return { lastRefresh: this.#last, refreshes: this.#outcomes, refusals: this.#refusals };
  }
}
