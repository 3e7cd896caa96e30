/**
 * A long-lived render process for previews. Pages are rendered one at a time and in order, so that a crash
 * belongs to a known page.
 */
import type { ChildProcess } from 'node:child_process';
import { crashedPage } from '../page/failure.ts';
import { withPageFacts } from '../page/finished-page.ts';
import type { ParserName } from '../document/parser.ts';
import { startRenderProcess } from './start-process.ts';
import type { PageResult, PageTask, UnreadPage } from '../model/page.ts';
import type { FromProcess, ToProcess } from './process-messages.ts';
import type { SitePlan } from '../model/site-plan.ts';

export interface LiveProcessOptions {
  pageTimeoutMs?: number;
  /** Tests replace the program. */
  processFile?: string;
}

interface Order {
  task: PageTask;
  done: (result: PageResult) => void;
  /** How often the page has crashed its process. */
  deaths: number;
}

/** Shorter than in an export: a reader waits, and a page that hangs is tried three times. */
const defaultPageTimeoutMs = 10_000;
/** An idle process is replaced after this many pages, which bounds leaks. */
const maxPagesOfOneProcess = 2000;
/** Bounds the restart rate of a process that crashes before it receives a page. */
const maxPauseMs = 5000;
/**
 * An old process may crash because of earlier pages, so the first retry uses the same parser in a new
 * process.
 */
const parsersByDeaths: ParserName[] = ['fast', 'fast', 'slow'];

export class LiveProcess {
  readonly #options: LiveProcessOptions;
  readonly #waiting: Order[] = [];
  #plan: SitePlan | undefined;
  #child: ChildProcess | undefined;
  #current: Order | undefined;
  #timer: NodeJS.Timeout | undefined;
  #rendered = 0;
  /** Consecutive crashes of idle processes. */
  #idleDeaths = 0;
  #closed = false;

  /** Starts loading the renderer; the plan may follow later. */
  constructor(options: LiveProcessOptions = {}) {
    this.#options = options;
    this.#start();
  }

  usePlan(plan: SitePlan): void {
    this.#plan = plan;
    this.#send({ type: 'site', plan });
  }

  invalidate(files: string[]): void {
    this.#send({ type: 'changed', files });
  }

  render(task: PageTask): Promise<PageResult> {
    return new Promise((done) => {
      this.#waiting.push({ task, done, deaths: 0 });
      this.#next();
    });
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#child?.kill('SIGKILL');
  }

  #start(): void {
    const child = startRenderProcess(this.#options.processFile);
    this.#child = child;
    this.#rendered = 0;
    child.on('message', (message: FromProcess) => {
      if (message.type === 'page') this.#receive(message.result);
    });
    child.once('exit', () => this.#lost(child));
    /** Reported as an exit as well, unless the process never started. */
    child.once('error', () => child.pid === undefined && this.#lost(child));
    if (this.#plan) this.#send({ type: 'site', plan: this.#plan });
  }

  #send(message: ToProcess): void {
    if (this.#child?.connected) this.#child.send(message, () => undefined);
  }

  #next(): void {
    // Messages without a process wait for the next one.
    if (this.#current || this.#closed || this.#child?.connected !== true) return;
    const order = this.#waiting.shift();
    if (!order) return this.#replaceWhenOld();
    const parser = parsersByDeaths[order.deaths];
    if (parser === undefined) {
      order.done(crashedPage(order.task));
      return this.#next();
    }
    this.#current = order;
    this.#timer = setTimeout(
      () => this.#child?.kill('SIGKILL'),
      this.#options.pageTimeoutMs ?? defaultPageTimeoutMs,
    );
    this.#send({ type: 'pages', tasks: [order.task], parser });
  }

  #receive(page: UnreadPage | PageResult): void {
    const order = this.#current;
    if (!order || order.task.id !== page.id) return;
    clearTimeout(this.#timer);
    this.#current = undefined;
    this.#idleDeaths = 0;
    this.#rendered += 1;
    order.done(withPageFacts(order.task, page));
    this.#next();
  }

  #replaceWhenOld(): void {
    if (this.#rendered < maxPagesOfOneProcess) return;
    const old = this.#child;
    this.#start();
    old?.kill('SIGKILL');
  }

  #lost(child: ChildProcess): void {
    if (this.#closed || child !== this.#child) return;
    clearTimeout(this.#timer);
    const order = this.#current;
    this.#current = undefined;
    if (order) this.#waiting.unshift({ ...order, deaths: order.deaths + 1 });
    else this.#idleDeaths += 1;
    if (order || this.#idleDeaths === 1) return this.#restart();
    this.#timer = setTimeout(() => this.#restart(), Math.min(2 ** this.#idleDeaths * 50, maxPauseMs));
  }

  #restart(): void {
    this.#start();
    this.#next();
  }
}
