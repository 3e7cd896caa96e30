/**
 * Renders pages in child processes and survives their death. Pages are sent in batches. When a process dies, the pages it held
 * are retried one at a time; a page that ends its process alone is retried with the slow parser, and becomes an error panel when
 * that fails too. A page that exceeds the time limit alone becomes an error panel at once.
 */
import type { ChildProcess } from 'node:child_process';
import type { ParserName } from '../document/parser.ts';
import { crashedPage, latePage } from '../page/failure.ts';
import { readPage } from '../page/finished-page.ts';
import { giveBackRenderProcess, hasLoaded, startRenderProcess } from './start-process.ts';
import type { PageResult, PageTask, UnreadPage } from '../model/page.ts';
import type { FromProcess, ToProcess } from './process-messages.ts';
import type { SitePlan } from '../model/site-plan.ts';

export interface PoolOptions {
  plan: SitePlan;
  /** Processes at work, with this one. */
  concurrency: number;
  signal?: AbortSignal | undefined;
  /** How long one page may take before its process is ended. */
  pageTimeoutMs?: number;
  /** Asked at the end: whether other pages are to be rendered soon, by a process that is fast by then. */
  keepsProcess?: (() => boolean) | undefined;
  /** The program to run; tests put a fragile one here. */
  processFile?: string;
}

const batchSize = 16;
/** On a large site a message wakes a process for more: each waking costs the sender, too. */
const largeBatchSize = 64;
const pagesOfLargeSite = 2000;
/**
 * A new batch is sent while the last pages of the one before are still being rendered. Some that are not here yet
 * are done and on their way: with 4, a process often had nothing to do, and 1,000 pages took 1.5 % longer.
 */
const refillBelow = 24;
const maximumBuffered = 256;
/**
 * The engine that lays out diagrams takes half a second to load and another to become fast, in each process that meets one.
 * So one process draws them all, unless so many are left when the others have nothing else to do.
 */
const diagramsForAnother = 60;
const defaultPageTimeoutMs = 30_000;
/** So many processes in a row that end before they could take a page mean that none can be started here. */
const mostFailedStarts = 3;

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
  /** It was ended because a page took too long. */
  isLate: boolean;
}

class Pool {
  readonly #options: PoolOptions;
  readonly #pending: PageTask[];
  readonly #diagrams: PageTask[];
  /** Pages that were in a process when it died. */
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
    this.#batchSize = tasks.length < pagesOfLargeSite ? batchSize : largeBatchSize;
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
      if (worker === kept) giveBackRenderProcess(worker.child);
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

  /** A process that has just died refuses messages; its exit is dealt with elsewhere. */
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
    this.#finish(readPage(task, page));
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
    if (!busyAlone && worker.held.size < refillBelow && this.#ready.length < maximumBuffered) {
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
    if (this.#pending.length === 0 && this.#diagrams.length > diagramsForAnother) worker.draws = true;
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

  /** Each finished page restarts the clock; a page that never finishes ends the process. */
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
    if (!hasLoaded(worker.child) && ++this.#failedStarts === mostFailedStarts)
      return this.#fail(new Error(`No process that renders pages can be started here (${end}).`));
    for (const assignment of worker.held.values()) {
      if (worker.isLate && assignment.alone) this.#finish(latePage(assignment.task));
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
 * One less than there may be at work: whoever composes, checks and packs the pages has as much to do as a process that renders them. On
 * two cores a second one makes 10,000 pages take 32.6 instead of 31 s, 57 instead of 52 s of processor time, since each has to become
 * fast by itself, and 130 MB more.
 */
function processCountFor(tasks: readonly PageTask[], concurrency: number): number {
  return Math.min(Math.max(1, concurrency - 1), Math.ceil(tasks.length / batchSize));
}
