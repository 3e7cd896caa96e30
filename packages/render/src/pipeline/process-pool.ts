/**
 * Renders pages in child processes and survives their crashes. When a process crashes, its batch is retried
 * one page at a time; a page that crashes alone is retried with the slow parser, and becomes an error panel
 * when that fails too. A page that exceeds the time limit alone becomes an error panel at once.
 */
import type { ChildProcess } from 'node:child_process';
import type { ParserName } from '../document/parser.ts';
import { crashedPage, timedOutPage } from '../page/failure.ts';
import { withPageFacts } from '../page/finished-page.ts';
import { recycleRenderProcess, hasLoaded, startRenderProcess } from './start-process.ts';
import type { PageResult, PageTask, UnreadPage } from '../model/page.ts';
import type { FromProcess, ToProcess } from './process-messages.ts';
import type { SitePlan } from '../model/site-plan.ts';

export interface PoolOptions {
  plan: SitePlan;
  /** Busy processes including this one. */
  concurrency: number;
  signal?: AbortSignal | undefined;
  /** How long one page may take before its process is killed. */
  pageTimeoutMs?: number;
  /** Called at the end: whether a warm process should be kept because more pages follow soon. */
  keepsProcess?: (() => boolean) | undefined;
  /** Tests replace the program. */
  processFile?: string;
}

const batchSize = 16;
/** Large sites use larger batches, because every message costs the sender too. */
const largeBatchSize = 64;
const minLargeSitePages = 2000;
/**
 * The next batch is sent before the previous one is finished, so that a process is never idle. Some missing
 * results are already in transit.
 */
const minHeldPages = 24;
const maxBuffered = 256;
/**
 * The layout engine for diagrams is slow to load and warm up in each process. So one process draws them all,
 * unless this many are left when the others are idle.
 */
const minSharedDiagrams = 60;
const defaultPageTimeoutMs = 30_000;
/** After this many processes in a row that end before taking a page, no process can be started. */
const maxFailedStarts = 3;

export async function* renderPages(
  tasks: readonly PageTask[],
  options: PoolOptions,
): AsyncGenerator<PageResult> {
  const pool = new Pool(tasks, options);
  try {
    yield* pool.results();
  } finally {
    pool.close();
  }
}

interface Assignment {
  task: PageTask;
  parser: ParserName;
  alone: boolean;
}

interface Worker {
  child: ChildProcess;
  held: Map<number, Assignment>;
  draws: boolean;
  timer: NodeJS.Timeout | undefined;
  /** Killed because a page took too long. */
  isLate: boolean;
}

class Pool {
  readonly #options: PoolOptions;
  readonly #pending: PageTask[];
  readonly #diagrams: PageTask[];
  /** Pages of a crashed process. */
  readonly #suspects: Assignment[] = [];
  readonly #workers = new Set<Worker>();
  readonly #ready: PageResult[] = [];
  readonly #batchSize: number;
  readonly #processCount: number;
  #unfinished: number;
  #wake: (() => void) | undefined;
  #failure: Error | undefined;
  #failedStarts = 0;
  #closed = false;

  constructor(tasks: readonly PageTask[], options: PoolOptions) {
    this.#options = options;
    this.#pending = tasks.filter(({ hasDiagram }) => !hasDiagram);
    this.#diagrams = tasks.filter(({ hasDiagram }) => hasDiagram);
    this.#unfinished = tasks.length;
    this.#batchSize = tasks.length < minLargeSitePages ? batchSize : largeBatchSize;
    this.#processCount = processCountFor(tasks, options.concurrency);
  }

  async *results(): AsyncGenerator<PageResult> {
    const { signal } = this.#options;
    const stop = (): void => this.#wake?.();
    signal?.addEventListener('abort', stop);
    for (let index = 0; index < this.#processCount; index++) this.#start();
    try {
      while (this.#unfinished > 0 || this.#ready.length > 0) {
        signal?.throwIfAborted();
        if (this.#failure) throw this.#failure;
        const result = this.#ready.shift();
        if (result) {
          yield result;
          this.#refillAll();
        } else await new Promise<void>((resolve) => (this.#wake = resolve));
      }
    } finally {
      signal?.removeEventListener('abort', stop);
    }
  }

  close(): void {
    this.#closed = true;
    const idle = [...this.#workers].find(({ held }) => held.size === 0);
    const kept = this.#unfinished === 0 && this.#options.keepsProcess?.() === true ? idle : undefined;
    for (const worker of this.#workers) {
      clearTimeout(worker.timer);
      if (worker === kept) recycleRenderProcess(worker.child);
      else worker.child.kill('SIGKILL');
    }
    this.#workers.clear();
  }

  #start(): void {
    const child = startRenderProcess(this.#options.processFile);
    const draws = ![...this.#workers].some((worker) => worker.draws);
    const worker: Worker = { child, held: new Map(), draws, timer: undefined, isLate: false };
    this.#workers.add(worker);
    child.on('message', (message: FromProcess) => this.#hear(worker, message));
    child.once('exit', (code, signal) => this.#lost(worker, signal ?? `code ${code}`));
    child.once('error', (error) => this.#fail(error));
    this.#send(worker, { type: 'site', plan: this.#options.plan, isOneOfMany: this.#processCount > 1 });
    this.#refill(worker);
  }

  /** A process that has just crashed rejects messages; the exit handler takes care of it. */
  #send(worker: Worker, message: ToProcess): void {
    if (worker.child.connected) worker.child.send(message, () => undefined);
  }

  #hear(worker: Worker, message: FromProcess): void {
    this.#failedStarts = 0;
    if (message.type === 'page') this.#receive(worker, message.result);
  }

  #receive(worker: Worker, page: UnreadPage | PageResult): void {
    const { task } = worker.held.get(page.id) ?? {};
    if (!task) return;
    worker.held.delete(page.id);
    this.#finish(withPageFacts(task, page));
    this.#refill(worker);
  }

  #finish(result: PageResult): void {
    this.#unfinished--;
    this.#ready.push(result);
    this.#wake?.();
  }

  #refillAll(): void {
    for (const worker of this.#workers) this.#refill(worker);
  }

  #refill(worker: Worker): void {
    const busyAlone = [...worker.held.values()].some((assignment) => assignment.alone);
    if (!busyAlone && worker.held.size < minHeldPages && this.#ready.length < maxBuffered) {
      const suspect = worker.held.size === 0 ? this.#suspects.shift() : undefined;
      const tasks = suspect ? [] : this.#nextTasks(worker);
      if (suspect) this.#assign(worker, [suspect]);
      else if (tasks.length > 0)
        this.#assign(
          worker,
          tasks.map((task) => ({ task, parser: 'fast', alone: tasks.length === 1 })),
        );
    }
    this.#watch(worker);
  }

  #nextTasks(worker: Worker): PageTask[] {
    if (this.#pending.length === 0 && this.#diagrams.length > minSharedDiagrams) worker.draws = true;
    const queue = worker.draws && this.#diagrams.length > 0 ? this.#diagrams : this.#pending;
    return queue.splice(0, this.#batchSize);
  }

  #assign(worker: Worker, assignments: Assignment[]): void {
    for (const assignment of assignments) worker.held.set(assignment.task.id, assignment);
    this.#send(worker, {
      type: 'pages',
      tasks: assignments.map(({ task }) => task),
      parser: assignments[0]?.parser ?? 'fast',
    });
  }

  #watch(worker: Worker): void {
    clearTimeout(worker.timer);
    if (worker.held.size === 0) return;
    worker.timer = setTimeout(
      () => this.#endLate(worker),
      this.#options.pageTimeoutMs ?? defaultPageTimeoutMs,
    );
  }

  #endLate(worker: Worker): void {
    worker.isLate = true;
    worker.child.kill('SIGKILL');
  }

  #lost(worker: Worker, end: string): void {
    clearTimeout(worker.timer);
    if (!this.#workers.delete(worker) || this.#closed) return;
    if (!hasLoaded(worker.child) && ++this.#failedStarts === maxFailedStarts)
      return this.#fail(new Error(`Cannot start a render process (${end}).`));
    for (const assignment of worker.held.values()) {
      if (worker.isLate && assignment.alone) this.#finish(timedOutPage(assignment.task));
      else this.#suspect(assignment);
    }
    if (this.#unfinished > 0) this.#start();
  }

  #suspect({ task, parser, alone }: Assignment): void {
    if (!alone) this.#suspects.push({ task, parser, alone: true });
    else if (parser === 'fast') this.#suspects.push({ task, parser: 'slow', alone: true });
    else this.#finish(crashedPage(task));
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    this.#wake?.();
  }
}

/**
 * One less than the concurrency: composing, checking and packing the pages takes as much time in this process
 * as rendering them in another.
 */
function processCountFor(tasks: readonly PageTask[], concurrency: number): number {
  return Math.min(Math.max(1, concurrency - 1), Math.ceil(tasks.length / batchSize));
}
