/** Records what clients saw: acknowledged starts, records and events. It reports contradictions. */
import type { ExportJob } from '@docyard/api';

interface Known {
  tag: string;
  organization: string;
  /** The final record, and when it was first seen. */
  final?: { job: ExportJob; seenAt: number };
  /** Event ids in the order of arrival. */
  events: string[];
}

/** How old a cached status of another process may be. */
const freshWithinMs = 1000;

export class Ledger {
  readonly problems: string[] = [];
  readonly jobs = new Map<string, Known>();
  readonly #tags = new Map<string, string>();
  readonly retries = { unanswered: 0, refused: 0 };
  downloads = 0;

  complain(problem: string): void {
    this.problems.push(problem);
  }

  countRetry(status: number | undefined): void {
    this.retries[status === undefined ? 'unanswered' : 'refused'] += 1;
  }

  acknowledge(tag: string, job: ExportJob): void {
    const before = this.#tags.get(tag);
    if (before !== undefined && before !== job.jobId) {
      this.complain(`${tag} was acknowledged as ${before} and as ${job.jobId}`);
    }
    this.#tags.set(tag, job.jobId);
    this.jobs.set(job.jobId, { tag, organization: tag.split('-')[0] ?? '', events: [] });
  }

  /** `askedAt` is when the request was sent, for requests without waiting. */
  observe(job: ExportJob, askedAt?: number): void {
    const known = this.jobs.get(job.jobId);
    if (known === undefined) return this.complain(`${job.jobId} was never acknowledged`);
    const { final } = known;
    if (final === undefined) {
      if (isFinal(job)) known.final = { job, seenAt: performance.now() };
    } else if (isFinal(job) || (askedAt ?? 0) > final.seenAt + freshWithinMs) {
      this.#compareFinal(final.job, job);
    }
  }

  lastEventOf(jobId: string): string {
    return this.jobs.get(jobId)?.events.at(-1) ?? '';
  }

  observeEvent(id: string, job: ExportJob): void {
    const known = this.jobs.get(job.jobId);
    if (known === undefined) return this.complain(`${job.jobId} was never acknowledged`);
    known.events.push(id);
    if (isFinal(job)) this.observe(job);
  }

  compareDownload(job: ExportJob, got: { sha256: string; sizeBytes: number }): void {
    this.downloads += 1;
    if (job.bundle?.sha256 === got.sha256 && job.bundle.sizeBytes === got.sizeBytes) return;
    this.complain(`${job.jobId}: the link and the record name different bundles`);
  }

  unfinished(): string[] {
    return [...this.jobs].flatMap(([jobId, { final }]) => (final === undefined ? [jobId] : []));
  }

  #compareFinal(first: ExportJob, now: ExportJob): void {
    const parts = ({ status, attempt, finishedAt, bundle, failure }: ExportJob) =>
      JSON.stringify([status, attempt, finishedAt, bundle?.sha256, failure?.code]);
    if (parts(first) !== parts(now)) {
      this.complain(`${now.jobId} ended as ${parts(first)} and then was ${parts(now)}`);
    }
  }
}

export function isFinal({ status }: Pick<ExportJob, 'status'>): boolean {
  return status === 'completed' || status === 'failed';
}
