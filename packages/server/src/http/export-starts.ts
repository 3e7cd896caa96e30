/**
 * Starts exports for callers, those that come at the same time in one transaction: the limits are counted, the locks taken
 * and the disk waited for once for all of them.
 */
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
import { refuseExportStart, tellExportStarts } from './limits.ts';
import type { Reply, Web } from './request.ts';

/** An insert of so many rows stays far below the number of parameters that a statement may have. */
const maxTogether = 100;

export interface RequestedStart {
  prepared: PreparedExport;
  actor: Actor;
  /** What makes a repeat of the request harmless, if the caller has named a key. */
  record: KeyedRequest | undefined;
}

interface Answer {
  reply: Reply<ExportJob> | Problem;
  /** Undefined when the answer was kept from the first time. */
  recent?: RecentStarts;
}

export class ExportStarts {
  readonly findProject: FindByDomain;
  readonly #context: Context;
  readonly #idempotency: Idempotency;
  readonly #replyWith: (job: Job) => Reply<ExportJob>;
  readonly #group: GroupCommit<RequestedStart, Answer>;

  constructor(context: Context, idempotency: Idempotency, replyWith: (job: Job) => Reply<ExportJob>) {
    this.#context = context;
    this.findProject = batchedFindProject(context);
    this.#idempotency = idempotency;
    this.#replyWith = replyWith;
    const isShared = (error: unknown) => error instanceof Problem && error.code === 'storage_unavailable';
    this.#group = new GroupCommit((starts) => this.#commit(starts), { isShared, maxItems: maxTogether });
  }

  async start(
    web: Web,
    requested: RequestedStart,
    condition?: Pick<Condition, 'require'>,
  ): Promise<Reply<ExportJob>> {
    // Other starts of a group would change what the condition compares.
    const { reply, recent } =
      condition === undefined
        ? await this.#group.add(requested)
        : await this.#commitAlone(requested, condition);
    if (recent !== undefined) tellExportStarts(this.#context, web, recent);
    if (reply instanceof Problem) throw reply;
    return reply;
  }

  async #commitAlone(requested: RequestedStart, condition: Pick<Condition, 'require'>): Promise<Answer> {
    const [answer] = await this.#commit([requested], async (inside) => {
      await holdPlaces(inside.database, [requested.actor.organizationId]);
      await condition.require(inside);
    });
    return answer as Answer;
  }

  #commit(
    requested: readonly RequestedStart[],
    check?: (inside: Context) => Promise<void>,
  ): Promise<Answer[]> {
    return inTransaction(this.#context.database, async (database) => {
      const kept = await this.#idempotency.hold(
        database,
        requested.flatMap(({ record }) => (record === undefined ? [] : [record])),
      );
      const isFresh = ({ record }: RequestedStart) => record === undefined || !kept.has(record);
      const fresh = requested.filter(isFresh);
      const inside = { ...this.#context, database };
      if (fresh.length > 0) await check?.(inside);
      const made = await this.#startAll(inside, fresh);
      await this.#idempotency.keep(
        database,
        fresh.flatMap(({ record }, index) => {
          const reply = made[index]?.reply;
          return record === undefined || reply === undefined || reply instanceof Problem
            ? []
            : [{ record, reply }];
        }),
      );
      const answers = new Map(fresh.map((start, index) => [start, made[index] as Answer]));
      return requested.map(
        (start) =>
          answers.get(start) ?? { reply: kept.get(start.record as KeyedRequest) as Reply<ExportJob> },
      );
    });
  }

  async #startAll(context: Context, requested: readonly RequestedStart[]): Promise<Answer[]> {
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
