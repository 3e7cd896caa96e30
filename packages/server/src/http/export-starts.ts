/** Starts exports with group commit: concurrent requests share one transaction, its locks and its disk write. */
import type { ExportJob } from '@docyard/api';
import type { Actor, Context } from '../context.ts';
import { startExports, type PreparedExport, type RecentStarts } from '../exports/start.ts';
import { GroupCommit } from '../group-commit.ts';
import { holdPlaces } from '../jobs/queue-counts.ts';
import type { Job } from '../jobs/store.ts';
import { inTransaction } from '../ports/database.ts';
import { batchedFindProject, type FindByDomain } from '../projects/find-project.ts';
import { Problem } from '../problem.ts';
import type { Condition } from './conditional-write.ts';
import type { Idempotency, KeyedRequest } from './idempotency.ts';
import { refuseExportStart, writeExportStartHeaders } from './limits.ts';
import type { Reply, Web } from './request.ts';

/** Keeps an insert far below the maximum number of parameters of a statement. */
const maxGroupSize = 100;

export interface RequestedStart {
  prepared: PreparedExport;
  actor: Actor;
  /** Set when the request has an Idempotency-Key. */
  record: KeyedRequest | undefined;
}

interface StartOutcome {
  reply: Reply<ExportJob> | Problem;
  /** Undefined when the reply is a stored one. */
  recent?: RecentStarts;
}

export class ExportStarts {
  readonly findProject: FindByDomain;
  readonly #context: Context;
  readonly #idempotency: Idempotency;
  readonly #replyWith: (job: Job) => Reply<ExportJob>;
  readonly #group: GroupCommit<RequestedStart, StartOutcome>;

  constructor(context: Context, idempotency: Idempotency, replyWith: (job: Job) => Reply<ExportJob>) {
    this.#context = context;
    this.findProject = batchedFindProject(context);
    this.#idempotency = idempotency;
    this.#replyWith = replyWith;
    const isShared = (error: unknown) => error instanceof Problem && error.code === 'storage_unavailable';
    this.#group = new GroupCommit((starts) => this.#commit(starts), { isShared, maxItems: maxGroupSize });
  }

  async start(
    web: Web,
    requested: RequestedStart,
    condition?: Pick<Condition, 'require'>,
  ): Promise<Reply<ExportJob>> {
    // Other starts of the group would change the compared resource.
    const { reply, recent } =
      condition === undefined
        ? await this.#group.add(requested)
        : await this.#commitAlone(requested, condition);
    if (recent !== undefined) writeExportStartHeaders(this.#context, web, recent);
    if (reply instanceof Problem) throw reply;
    return reply;
  }

  async #commitAlone(
    requested: RequestedStart,
    condition: Pick<Condition, 'require'>,
  ): Promise<StartOutcome> {
    const [answer] = await this.#commit([requested], async (inside) => {
      await holdPlaces(inside.database, [requested.actor.organizationId]);
      await condition.require(inside);
    });
    return answer as StartOutcome;
  }

  #commit(
    requested: readonly RequestedStart[],
    check?: (inside: Context) => Promise<void>,
  ): Promise<StartOutcome[]> {
    return inTransaction(this.#context.database, async (database) => {
      const stored = await this.#idempotency.lock(
        database,
        requested.flatMap(({ record }) => (record === undefined ? [] : [record])),
      );
      const isFresh = ({ record }: RequestedStart) => record === undefined || !stored.has(record);
      const fresh = requested.filter(isFresh);
      const inside = { ...this.#context, database };
      if (fresh.length > 0) await check?.(inside);
      const started = await this.#startAll(inside, fresh);
      await this.#idempotency.store(
        database,
        fresh.flatMap(({ record }, index) => {
          const reply = started[index]?.reply;
          return record === undefined || reply === undefined || reply instanceof Problem
            ? []
            : [{ record, reply }];
        }),
      );
      const outcomes = new Map(fresh.map((start, index) => [start, started[index] as StartOutcome]));
      return requested.map(
        (start) =>
          outcomes.get(start) ?? { reply: stored.get(start.record as KeyedRequest) as Reply<ExportJob> },
      );
    });
  }

  async #startAll(context: Context, requested: readonly RequestedStart[]): Promise<StartOutcome[]> {
    if (requested.length === 0) return [];
    const refuse = (recent: RecentStarts) => refuseExportStart(context, recent);
    const starts = requested.map(({ prepared, actor }) => ({ prepared, actor, refuse }));
    const outcomes = await startExports(context, starts);
    return outcomes.map(({ started, recent }) => ({
      recent,
      reply: started instanceof Problem ? started : this.#replyWith(started),
    }));
  }
}
