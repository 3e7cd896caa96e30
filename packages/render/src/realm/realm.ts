/**
 * Customer code, run in QuickJS on a thread of its own (`worker.ts`). This side waits for the thread, ends it at the
 * deadline, and checks what comes back. One realm serves a process; each page begins with a clean one.
 */
import { MessageChannel, type MessagePort, Worker, receiveMessageOnPort } from 'node:worker_threads';
import { programGlobals } from '../program/globals.ts';
import type { ProgramModule } from '../program/program.ts';
import type { CodeAnswer, CodeRequest, FromWorker, PageFacts, ToWorker } from './messages.ts';
import { MalformedTree, type Tree, checkedTree } from './tree.ts';

export type RefusalReason = 'timeout' | 'memory' | 'failed' | 'too_large' | 'refused';

/** Customer code gave no result. `trace` names places in modules, for `failed`. */
export class CodeRefused extends Error {
  readonly reason: RefusalReason;
  readonly trace: string;

  constructor(reason: RefusalReason, message: string, trace = '') {
    super(message);
    this.name = 'CodeRefused';
    this.reason = reason;
    this.trace = trace;
  }
}

/** What runs code has not started yet, and nobody waits for it. */
export class CodeNotReady extends Error {}

/** What runs customer code for pages: QuickJS, or what a test puts in its place. */
export interface CodeRunner {
  beginPage(facts: PageFacts): void;
  run(modules: readonly ProgramModule[], request: CodeRequest): Tree;
}

/** For all code of a page together, so that many short loops are not worth more than one long one. */
const pageMilliseconds = 2000;
/**
 * The same in ticks of QuickJS (10,000 steps each), which do not depend on the machine: an ordinary loop ends at the same
 * point everywhere. An empty one reaches it in 0.6 s.
 */
const pageTicks = 10_000;
/** Characters of JSON that the code of a page may give. */
const pageResultLength = 5_000_000;
/** One piece of code that never ends must not take the time of all others. */
const pieceMilliseconds = pageMilliseconds / 2;
const pieceTicks = pageTicks / 2;
/** On a busy machine the processor time of a page takes longer; past this the thread is ended. */
const pageElapsedMs = 2 * pageMilliseconds;
/** The thread ends ordinary code at its deadline; one this far behind it is in a native loop of QuickJS. */
const overrunMs = 200;
/** How often the processor time of the thread is checked. */
const checkMs = 50;
const startTimeoutMs = 20_000;
/** Reading memory of a page that was ended is never needed; the thread itself must not grow. */
const threadLimits = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 };

export class Realm implements CodeRunner {
  #thread: Thread | undefined;
  #facts: PageFacts = { seed: 0, clockMs: 0, address: 'http://localhost/' };
  #leftMs = pageMilliseconds;
  #leftElapsedMs = pageElapsedMs;
  #leftTicks = pageTicks;
  #leftLength = pageResultLength;
  /** Modules that the realm holds; undefined when it must begin anew. */
  #defined: Set<string> | undefined;

  beginPage(facts: PageFacts): void {
    this.#facts = facts;
    this.#leftMs = pageMilliseconds;
    this.#leftElapsedMs = pageElapsedMs;
    this.#leftTicks = pageTicks;
    this.#leftLength = pageResultLength;
    this.#defined = undefined;
  }

  run(modules: readonly ProgramModule[], request: CodeRequest): Tree {
    const first = this.#attempt(modules, request, false);
    if (!(first instanceof CodeRefused)) return first;
    if (!needsBrowser(first)) throw first;
    const second = this.#attempt(modules, request, true);
    // The next piece of the page is asked without a browser again.
    this.#defined = undefined;
    if (second instanceof CodeRefused) throw second;
    return second;
  }

  /** Starts the thread beside this one, which takes it a quarter of a second; a request would wait for that. */
  begin(): void {
    this.#thread ??= new Thread();
  }

  get isReady(): boolean {
    return this.#thread?.isReady === true;
  }

  /** Ends the thread; the next request starts another. */
  close(): void {
    this.#thread?.end();
    this.#thread = undefined;
    this.#defined = undefined;
  }

  #attempt(modules: readonly ProgramModule[], request: CodeRequest, standIns: boolean): Tree | CodeRefused {
    if (this.#leftMs <= 0 || this.#leftElapsedMs <= 0 || this.#leftTicks <= 0)
      return new CodeRefused('timeout', 'other code of the page has used up its 2 seconds');
    this.#thread ??= new Thread();
    const isFresh = standIns || this.#defined === undefined;
    const defined = isFresh ? new Set<string>() : (this.#defined ?? new Set());
    const missing = modules.filter(({ id }) => !defined.has(id));
    const ticks = Math.min(this.#leftTicks, pieceTicks);
    const milliseconds = Math.min(this.#leftMs, pieceMilliseconds);
    const begin = isFresh ? { ...this.#facts, standIns } : undefined;
    const given = missing.map(({ id, factory }) => ({ id, factory }));
    const { reply, elapsedMs, processorMs } = this.#thread.ask(
      {
        begin,
        modules: given,
        names: programGlobals,
        request,
        ticks,
        milliseconds,
        resultLength: this.#leftLength,
      },
      { processorMs: milliseconds + overrunMs, elapsedMs: this.#leftElapsedMs },
    );
    this.#leftElapsedMs -= elapsedMs;
    if (reply?.kind !== 'answer') {
      this.close();
      this.#leftMs -= Math.max(processorMs, milliseconds);
      return reply ? new CodeRefused('failed', 'the code broke its interpreter') : timeout();
    }
    this.#leftTicks -= reply.spent.ticks;
    this.#leftMs -= reply.spent.milliseconds;
    if (reply.answer.kind === 'result') this.#leftLength -= reply.answer.json.length;
    for (const { id } of missing) defined.add(id);
    // After an interruption modules may be half loaded.
    this.#defined = reply.answer.kind === 'result' ? defined : undefined;
    // Memory that has grown stays large, and a clean start would be slow from then on.
    if (reply.answer.kind === 'memory') this.close();
    return resultOf(reply.answer);
  }
}

function timeout(): CodeRefused {
  return new CodeRefused('timeout', 'the code does not end, or takes more than a second');
}

function resultOf(answer: CodeAnswer): Tree | CodeRefused {
  switch (answer.kind) {
    case 'timeout':
      return timeout();
    case 'memory':
      return new CodeRefused('memory', 'the code needs more than 64 MB of memory');
    case 'too_large':
      return new CodeRefused('too_large', 'the code of the page gives more than 5 MB');
    case 'failed':
      return thrown(answer.name, answer.message, answer.stack);
    case 'result':
      return treeOf(answer.json);
  }
}

/** What the text of ours inside says of a request. */
export function treeOf(json: string): Tree | CodeRefused {
  try {
    const { tree, failure } = JSON.parse(json) as { tree?: unknown; failure?: Record<string, unknown> };
    if (failure) return thrown(text(failure['name']), text(failure['message']), text(failure['stack']));
    return checkedTree(tree);
  } catch (error) {
    if (error instanceof MalformedTree) return new CodeRefused('too_large', error.message);
    return new CodeRefused('failed', 'the code gave no result');
  }
}

const maximumMessage = 500;

function thrown(name: string, message: string, stack: string): CodeRefused {
  if (name === 'InternalError' && message === 'out of memory')
    return new CodeRefused('memory', 'the code needs more than 64 MB of memory');
  const text = message || 'something was thrown that says nothing';
  const what = name === 'Error' || name === '' ? text : `${name}: ${text}`;
  return new CodeRefused('failed', what.slice(0, maximumMessage), stack.slice(0, 4000));
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Names of a browser that components touch while they render, as `inside/browser.js` stands in for them. */
const browserNames =
  /^ReferenceError: '?(?:window|document|location|navigator|localStorage|sessionStorage|history|screen|self|top|parent|frames|fetch|matchMedia|getComputedStyle|getSelection|inner(?:Width|Height)|devicePixelRatio|scroll(?:X|Y|To|By)|page[XY]Offset|requestAnimationFrame|cancelAnimationFrame|requestIdleCallback|cancelIdleCallback|addEventListener|removeEventListener|dispatchEvent|open|alert|confirm|prompt|postMessage|(?:Custom|Keyboard|Mouse)?Event|HTMLElement|Element|Node|(?:Mutation|Resize|Intersection)Observer)'? is not defined$/;

function needsBrowser({ reason, message }: CodeRefused): boolean {
  return reason === 'failed' && browserNames.test(message);
}

/** The thread, spoken to as if it were a function: this side sleeps until it answers. */
class Thread {
  readonly #worker: Worker;
  readonly #port: MessagePort;
  /** Whether an answer is there. */
  readonly #signal = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  /** Its first answer, which it gives unasked, was heard. */
  #hasStarted = false;

  constructor() {
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    this.#worker = new Worker(new URL('./worker.ts', import.meta.url), {
      workerData: { port: port2, signal: this.#signal },
      transferList: [port2],
      env: {},
      execArgv: [],
      resourceLimits: threadLimits,
    });
    // Its end is noticed by the missing answer.
    this.#worker.on('error', () => undefined);
    this.#worker.unref();
    this.#port.unref();
  }

  get isReady(): boolean {
    return this.#hasStarted || Atomics.load(this.#signal, 0) === 1;
  }

  /** The reply is undefined when the thread exceeds a limit. The time that it takes to start is not counted. */
  ask(message: ToWorker, limits: Limits): { reply: FromWorker | undefined } & Limits {
    if (!this.#hasStarted) this.#answer({ processorMs: Infinity, elapsedMs: startTimeoutMs });
    this.#hasStarted = true;
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port has no origin
    this.#port.postMessage(message);
    return this.#answer(limits);
  }

  end(): void {
    this.#port.close();
    void this.#worker.terminate();
  }

  /** This thread sleeps meanwhile, so the processor time of the process is that of the code. */
  #answer(limits: Limits): { reply: FromWorker | undefined } & Limits {
    const began = performance.now();
    const before = process.cpuUsage();
    const spent = (): Limits => {
      const { user, system } = process.cpuUsage(before);
      return { processorMs: (user + system) / 1000, elapsedMs: performance.now() - began };
    };
    while (Atomics.wait(this.#signal, 0, 0, checkMs) === 'timed-out') {
      const { processorMs, elapsedMs } = spent();
      if (processorMs > limits.processorMs || elapsedMs > limits.elapsedMs)
        return { reply: undefined, processorMs, elapsedMs };
    }
    Atomics.store(this.#signal, 0, 0);
    const received: { message: FromWorker } | undefined = receiveMessageOnPort(this.#port);
    return { reply: received?.message, ...spent() };
  }
}

interface Limits {
  processorMs: number;
  elapsedMs: number;
}
