/**
 * Runs customer code in QuickJS on a separate thread (`worker.ts`). This side waits for the thread,
 * terminates it at the deadline, and validates its results. A process has one realm, which is reset for each
 * page.
 */
import { MessageChannel, type MessagePort, Worker, receiveMessageOnPort } from 'node:worker_threads';
import { programGlobals } from '../program/globals.ts';
import type { ProgramModule } from '../program/program.ts';
import type { CodeAnswer, CodeRequest, FromWorker, PageFacts, ToWorker } from './messages.ts';
import { MalformedTreeError, type Tree, checkedTree } from './tree.ts';

export type RefusalReason = 'timeout' | 'memory' | 'failed' | 'too_large' | 'refused';

/** Customer code gave no result. `trace` is the stack trace of a `failed` one. */
export class CodeRefusedError extends Error {
  readonly reason: RefusalReason;
  readonly trace: string;

  constructor(reason: RefusalReason, message: string, trace = '') {
    super(message);
    this.name = 'CodeRefusedError';
    this.reason = reason;
    this.trace = trace;
  }
}

/** The thread has not started yet, and the caller does not wait for it. */
export class CodeNotReadyError extends Error {}

export interface CodeRunner {
  beginPage(facts: PageFacts): void;
  run(modules: readonly ProgramModule[], request: CodeRequest): Tree;
}

/** For all code of a page together, so that many short loops get no more than one long one. */
const pageMilliseconds = 2000;
/**
 * The same limit in QuickJS interrupt ticks, which do not depend on the machine: an ordinary loop ends at the
 * same point everywhere.
 */
const pageTicks = 10_000;
/** Characters of JSON that the code of a page may return. */
const pageResultLength = 5_000_000;
/** One endless piece must not use the time of all others. */
const pieceMilliseconds = pageMilliseconds / 2;
const pieceTicks = pageTicks / 2;
/** A busy machine stretches processor time; past this elapsed time the thread is terminated. */
const pageElapsedMs = 2 * pageMilliseconds;
/**
 * The thread interrupts ordinary code at its deadline; code that runs this much longer is in a native loop of
 * QuickJS.
 */
const overrunMs = 200;
const checkMs = 50;
const startTimeoutMs = 20_000;
/** The thread itself must not grow. */
const threadLimits = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 };

export class Realm implements CodeRunner {
  #thread: Thread | undefined;
  #facts: PageFacts = { seed: 0, clockMs: 0, address: 'http://localhost/' };
  #leftMs = pageMilliseconds;
  #leftElapsedMs = pageElapsedMs;
  #leftTicks = pageTicks;
  #leftLength = pageResultLength;
  /** Modules that the realm holds; undefined when it must be reset. */
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
    if (!(first instanceof CodeRefusedError)) return first;
    if (!needsBrowser(first)) throw first;
    const second = this.#attempt(modules, request, true);
    // The next piece of the page runs without browser stubs again.
    this.#defined = undefined;
    if (second instanceof CodeRefusedError) throw second;
    return second;
  }

  /** Starts the thread without waiting for it. */
  start(): void {
    this.#thread ??= new Thread();
  }

  get isReady(): boolean {
    return this.#thread?.isReady === true;
  }

  /** Terminates the thread; the next request starts another. */
  close(): void {
    this.#thread?.end();
    this.#thread = undefined;
    this.#defined = undefined;
  }

  #attempt(
    modules: readonly ProgramModule[],
    request: CodeRequest,
    standIns: boolean,
  ): Tree | CodeRefusedError {
    if (this.#leftMs <= 0 || this.#leftElapsedMs <= 0 || this.#leftTicks <= 0)
      return new CodeRefusedError('timeout', 'other code of the page has used up its 2 seconds');
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
      return reply ? new CodeRefusedError('failed', 'the code crashed its interpreter') : timeout();
    }
    this.#leftTicks -= reply.spent.ticks;
    this.#leftMs -= reply.spent.milliseconds;
    if (reply.answer.kind === 'result') this.#leftLength -= reply.answer.json.length;
    for (const { id } of missing) defined.add(id);
    // After an interruption modules may be partially loaded.
    this.#defined = reply.answer.kind === 'result' ? defined : undefined;
    // WebAssembly memory never shrinks, which would slow down every reset.
    if (reply.answer.kind === 'memory') this.close();
    return resultOf(reply.answer);
  }
}

function timeout(): CodeRefusedError {
  return new CodeRefusedError('timeout', 'the code does not end, or takes more than a second');
}

function resultOf(answer: CodeAnswer): Tree | CodeRefusedError {
  switch (answer.kind) {
    case 'timeout':
      return timeout();
    case 'memory':
      return new CodeRefusedError('memory', 'the code needs more than 64 MB of memory');
    case 'too_large':
      return new CodeRefusedError('too_large', 'the code of the page returns more than 5 MB');
    case 'failed':
      return failureOf(answer.name, answer.message, answer.stack);
    case 'result':
      return treeOf(answer.json);
  }
}

export function treeOf(json: string): Tree | CodeRefusedError {
  try {
    const { tree, failure } = JSON.parse(json) as { tree?: unknown; failure?: Record<string, unknown> };
    if (failure) return failureOf(text(failure['name']), text(failure['message']), text(failure['stack']));
    return checkedTree(tree);
  } catch (error) {
    if (error instanceof MalformedTreeError) return new CodeRefusedError('too_large', error.message);
    return new CodeRefusedError('failed', 'the code gave no result');
  }
}

const maxMessage = 500;

function failureOf(name: string, message: string, stack: string): CodeRefusedError {
  if (name === 'InternalError' && message === 'out of memory')
    return new CodeRefusedError('memory', 'the code needs more than 64 MB of memory');
  const text = message || 'an error without a message was thrown';
  const what = name === 'Error' || name === '' ? text : `${name}: ${text}`;
  return new CodeRefusedError('failed', what.slice(0, maxMessage), stack.slice(0, 4000));
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Globals that `inside/browser.js` stubs. */
const browserNames =
  /^ReferenceError: '?(?:window|document|location|navigator|localStorage|sessionStorage|history|screen|self|top|parent|frames|fetch|matchMedia|getComputedStyle|getSelection|inner(?:Width|Height)|devicePixelRatio|scroll(?:X|Y|To|By)|page[XY]Offset|requestAnimationFrame|cancelAnimationFrame|requestIdleCallback|cancelIdleCallback|addEventListener|removeEventListener|dispatchEvent|open|alert|confirm|prompt|postMessage|(?:Custom|Keyboard|Mouse)?Event|HTMLElement|Element|Node|(?:Mutation|Resize|Intersection)Observer)'? is not defined$/;

function needsBrowser({ reason, message }: CodeRefusedError): boolean {
  return reason === 'failed' && browserNames.test(message);
}

/** Synchronous requests to the thread: this side sleeps until the reply arrives. */
class Thread {
  readonly #worker: Worker;
  readonly #port: MessagePort;
  /** Set when a reply is available. */
  readonly #signal = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  /** The first reply, sent without a request, has arrived. */
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
    // The missing reply reveals its end.
    this.#worker.on('error', () => undefined);
    this.#worker.unref();
    this.#port.unref();
  }

  get isReady(): boolean {
    return this.#hasStarted || Atomics.load(this.#signal, 0) === 1;
  }

  /** The reply is undefined when the thread exceeds a limit. Its start does not count. */
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
