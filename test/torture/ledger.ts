/**
 * Records what the service has acknowledged and reports contradictions. A request without a response may have succeeded or not.
 */
import type { ApiKey, CreatedKey, ExportJob, Project, StartExport } from '@docyard/api';

/** A request may have succeeded although its response was lost. */
export type Wish = 'none' | 'asked' | 'acknowledged';

export interface KnownJob {
  latest: ExportJob;
  /** The logical time of the last observation. */
  seenAt: number;
  startAcknowledged: boolean;
  cancel: Wish;
  deletion: Wish;
  missed: boolean;
}

export interface StartRequest {
  /** Part of the metadata, so that every job can be traced to its request. */
  tag: string;
  body: StartExport;
  idempotencyKey: string | undefined;
  jobId: string | undefined;
}

interface KnownKey {
  name: string;
  text: string;
  revocation: Wish;
}

interface KnownProject {
  possibleNames: Set<string>;
  deletion: Wish;
  deletable: boolean;
  busy: boolean;
}

export interface Complaints {
  lost: number;
  torn: number;
  duplicated: number;
  resurrected: number;
  secondJobs: number;
  other: number;
}

export class Ledger {
  readonly jobs = new Map<string, KnownJob>();
  readonly requests: StartRequest[] = [];
  readonly keys = new Map<string, KnownKey>();
  readonly projects = new Map<string, KnownProject>();
  readonly counts: Complaints = {
    lost: 0,
    torn: 0,
    duplicated: 0,
    resurrected: 0,
    secondJobs: 0,
    other: 0,
  };
  readonly problems: string[] = [];
  readonly #hashes = new Map<string, string>();
  readonly #doubledTags = new Set<string>();
  #moments = 0;

  complain(kind: keyof Complaints, text: string): void {
    this.counts[kind] += 1;
    this.problems.push(`${kind}: ${text}`);
  }

  /** Taken before a request is sent; a response can contradict only what was known by then. */
  moment(): number {
    this.#moments += 1;
    return this.#moments;
  }

  acknowledgeStart(request: StartRequest, job: ExportJob, askedAt: number): void {
    if (request.jobId !== undefined && request.jobId !== job.jobId) {
      this.complain('secondJobs', `${request.tag} made ${request.jobId}, and when repeated ${job.jobId}`);
    }
    request.jobId = job.jobId;
    const known = this.jobs.get(job.jobId);
    // A repeated request gets the first response, which is current only for a new job.
    if (known === undefined) this.observe(job, askedAt);
    (this.jobs.get(job.jobId) as KnownJob).startAcknowledged = true;
  }

  observe(job: ExportJob, askedAt: number): void {
    const known = this.jobs.get(job.jobId);
    if (known === undefined) {
      const fresh = { startAcknowledged: false, cancel: 'none', deletion: 'none', missed: false } as const;
      this.jobs.set(job.jobId, { latest: job, seenAt: this.moment(), ...fresh });
    } else if (known.seenAt <= askedAt) {
      this.#compare(known, job);
      known.latest = job;
      known.seenAt = this.moment();
    }
    this.#compareBundle(job);
    if (job.status === 'completed' && known?.cancel === 'acknowledged') {
      this.complain('resurrected', `${job.jobId} was canceled and completed (attempt ${job.attempt})`);
      known.cancel = 'none';
    }
  }

  acknowledgeCancel(jobId: string): void {
    const known = this.jobs.get(jobId);
    if (known !== undefined) known.cancel = 'acknowledged';
  }

  acknowledgeKey(created: CreatedKey): void {
    const twin = [...this.keys].find(([id, { name }]) => name === created.name && id !== created.id);
    if (twin !== undefined) this.complain('secondJobs', `the key ${created.name} was made twice`);
    this.keys.set(created.id, { name: created.name, text: created.key, revocation: 'none' });
  }

  acknowledgeProject(project: Project, { deletable }: { deletable: boolean }): void {
    this.projects.set(project.id, {
      possibleNames: new Set([project.name]),
      deletion: 'none',
      deletable,
      busy: false,
    });
  }

  /** The whole list of jobs, read while only the worker changes them. */
  checkJobs(listed: readonly ExportJob[], askedAt: number): void {
    const ids = new Set(listed.map(({ jobId }) => jobId));
    if (ids.size !== listed.length) this.complain('duplicated', 'a job is listed twice');
    for (const job of listed) this.observe(job, askedAt);
    for (const [jobId, known] of this.jobs) {
      const there = ids.has(jobId);
      if (there && known.deletion === 'acknowledged') {
        this.complain('other', `${jobId} was deleted and is back`);
      } else if (!there && known.deletion === 'asked') {
        known.deletion = 'acknowledged';
      } else if (!there && known.deletion === 'none' && !known.missed) {
        known.missed = true;
        this.complain('lost', `${jobId} was ${known.latest.status} and is not listed any more`);
      }
    }
    this.#checkTags();
  }

  checkKeys(listed: readonly ApiKey[]): void {
    const byId = new Map(listed.map((key) => [key.id, key]));
    for (const [id, known] of this.keys) {
      const key = byId.get(id);
      if (key === undefined) this.complain('lost', `the key ${id} is not listed`);
      else if (known.revocation === 'acknowledged' && key.revokedAt === null) {
        this.complain('other', `the key ${id} was revoked and lives`);
      } else if (known.revocation === 'none' && key.revokedAt !== null) {
        this.complain('other', `the key ${id} was not revoked and is dead`);
      } else if (known.revocation === 'asked') {
        known.revocation = key.revokedAt === null ? 'none' : 'acknowledged';
      }
    }
  }

  checkProjects(listed: readonly Project[]): void {
    const byId = new Map(listed.map((project) => [project.id, project]));
    for (const [id, known] of this.projects) {
      const project = byId.get(id);
      known.busy = false;
      if (project === undefined) {
        if (known.deletion === 'none') this.complain('lost', `the project ${id} is not listed`);
        known.deletion = 'acknowledged';
      } else if (known.deletion === 'acknowledged') {
        this.complain('other', `the project ${id} was deleted and is back`);
      } else if (!known.possibleNames.has(project.name)) {
        this.complain('lost', `the new name of the project ${id}`);
      } else {
        known.possibleNames = new Set([project.name]);
        known.deletion = 'none';
      }
    }
  }

  #compare({ latest: before, cancel }: KnownJob, now: ExportJob): void {
    const wrong = (what: string) => this.complain('other', `${now.jobId}: ${what}`);
    const wasFinal = before.status === 'completed' || before.status === 'failed';
    if (wasFinal && now.status !== before.status) wrong(`was ${before.status}, is ${now.status}`);
    if (now.progress < before.progress) wrong(`progress fell from ${before.progress} to ${now.progress}`);
    if (now.pageCount < before.pageCount) wrong(`pages fell from ${before.pageCount} to ${now.pageCount}`);
    if (now.attempt < before.attempt) wrong(`attempt fell from ${before.attempt} to ${now.attempt}`);
    if (before.source.commit !== null && now.source.commit !== before.source.commit) wrong('another commit');
    if (before.bundle !== null && now.bundle?.sha256 !== before.bundle.sha256) wrong('another bundle');
    if (cancel === 'acknowledged' && now.status === 'failed' && now.failure?.code !== 'canceled') {
      wrong(`was canceled, ended as ${now.failure?.code}`);
    }
  }

  /** The same commit with the same options must give the same bytes in every attempt. */
  #compareBundle(job: ExportJob): void {
    if (job.bundle === null || job.source.commit === null) return;
    const key = JSON.stringify([job.domain, job.source.commit, job.options]);
    const expected = this.#hashes.get(key) ?? job.bundle.sha256;
    this.#hashes.set(key, expected);
    if (expected === job.bundle.sha256) return;
    this.complain('duplicated', `${job.jobId} has other bytes than an equal export`);
    this.#hashes.set(key, job.bundle.sha256);
  }

  #checkTags(): void {
    const jobOf = new Map<string, string>();
    for (const [jobId, { latest }] of this.jobs) {
      const tag = latest.metadata['tag'] ?? '';
      const other = jobOf.get(tag);
      if (other !== undefined && !this.#doubledTags.has(tag)) {
        this.#doubledTags.add(tag);
        this.complain('secondJobs', `the request ${tag} made ${other} and ${jobId}`);
      }
      jobOf.set(tag, jobId);
    }
  }
}
