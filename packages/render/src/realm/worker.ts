/**
 * The thread that runs QuickJS. The waiting thread (`realm.ts`) can terminate it at any moment, because
 * native loops of QuickJS ignore the interrupt handler.
 */
import { type MessagePort, workerData } from 'node:worker_threads';
import releaseVariant from '@jitl/quickjs-wasmfile-release-sync';
import {
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSSyncVariant,
  newQuickJSWASMModuleFromVariant,
  newVariant,
} from 'quickjs-emscripten-core';
import { answer } from './answers.ts';
import { insideSource } from './inside.ts';
import type { CodeAnswer, FromWorker, Spent, ToWorker } from './messages.ts';

/** The only effective memory limit, in WebAssembly pages: QuickJS's own limit miscounts in this build. */
const memoryPages = { initial: 256, maximum: 1024 };
const memoryPageBytes = 64 * 1024;
/** With a larger value the thread's stack overflows first and leaves QuickJS corrupt. */
const stackBytes = 128 * 1024;
/** The cost of a host call, in ticks of QuickJS's interrupt counter. */
const questionTicks = 0.1;

interface Budget {
  ticks: number;
  deadlineMs: number;
  isOver: boolean;
}

const { port, signal } = workerData as { port: MessagePort; signal: Int32Array };
const engine = await startEngine();

port.on('message', (message: ToWorker) => {
  let reply: FromWorker;
  try {
    reply = { kind: 'answer', ...engine.run(message) };
  } catch {
    // A WebAssembly trap.
    reply = { kind: 'broken' };
  }
  send(reply);
});
send({ kind: 'ready' });

function send(message: FromWorker): void {
  port.postMessage(message);
  Atomics.store(signal, 0, 1);
  Atomics.notify(signal, 0);
}

async function startEngine(): Promise<{ run(message: ToWorker): { answer: CodeAnswer; spent: Spent } }> {
  const memory = new WebAssembly.Memory(memoryPages);
  // The package describes its CommonJS form; the import is the variant itself.
  const variant = releaseVariant as unknown as QuickJSSyncVariant;
  const quickJs = await newQuickJSWASMModuleFromVariant(newVariant(variant, { wasmMemory: memory }));
  const runtime = quickJs.newRuntime();
  runtime.setMaxStackSize(stackBytes);
  const budget: Budget = { ticks: Infinity, deadlineMs: Infinity, isOver: false };
  runtime.setInterruptHandler(() => {
    budget.ticks -= 1;
    budget.isOver = budget.ticks < 0 || processorMs() > budget.deadlineMs;
    return budget.isOver;
  });
  const context = runtime.newContext();
  const inside = loadInside(context, budget);
  // The library creates these lazily; they must be part of the snapshot.
  void [context.global, context.undefined, context.null, context.true, context.false];
  warmUp(context, inside);
  const kept = new Uint8Array(memory.buffer).slice(0, usedBytes(memory));
  const reset = (): void => {
    const bytes = new Uint8Array(memory.buffer);
    bytes.set(kept);
    bytes.fill(0, kept.length);
  };
  return {
    run: (message) => {
      const beganMs = processorMs();
      budget.ticks = message.ticks;
      budget.deadlineMs = beganMs + message.milliseconds;
      budget.isOver = false;
      const answer = answerTo(message, { context, inside, budget, reset });
      return {
        answer,
        spent: { ticks: message.ticks - budget.ticks, milliseconds: processorMs() - beganMs },
      };
    },
  };
}

/** The processor time of this thread; older versions of Node know only elapsed time. */
function processorMs(): number {
  if (typeof process.threadCpuUsage !== 'function') return performance.now();
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** WebAssembly is slow at first, which must not count against the first page. */
function warmUp(context: QuickJSContext, inside: Inside): void {
  const factory = '(function () { return function (require, exports) { exports.$pieces = [() => "x"]; }; })';
  const made = context.unwrapResult(context.evalCode(factory, 'warm-up', { type: 'global' }));
  const request = {
    module: 'warm-up',
    piece: 0,
    props: { object: [] },
    isWhole: false,
    as: 'content',
    idSpace: 0,
  };
  const text = (value: unknown): QuickJSHandle => context.newString(JSON.stringify(value));
  const call = (fn: QuickJSHandle, ...args: QuickJSHandle[]): unknown =>
    context.unwrapResult(context.callFunction(fn, context.undefined, ...args));
  call(inside.define, context.newString('warm-up'), made, text([]));
  for (let count = 0; count < 50; count++) call(inside.run, text(request));
}

/** Everything after is zero. Comparing whole pages is much faster than comparing words. */
function usedBytes({ buffer }: WebAssembly.Memory): number {
  const zeros = new Uint8Array(memoryPageBytes);
  let end = buffer.byteLength;
  while (
    end > 0 &&
    Buffer.compare(new Uint8Array(buffer, end - memoryPageBytes, memoryPageBytes), zeros) === 0
  )
    end -= memoryPageBytes;
  return end;
}

type Inside = Record<'begin' | 'standIn' | 'define' | 'run', QuickJSHandle>;

function loadInside(context: QuickJSContext, budget: Budget): Inside {
  const ask = context.newFunction('ask', (name, args) => {
    budget.ticks -= questionTicks;
    try {
      return context.newString(answer(context.getString(name), context.getString(args)));
    } catch (error) {
      return { error: context.newError(error as Error) };
    }
  });
  const start = context.unwrapResult(context.evalCode(insideSource(), 'docyard', { type: 'global' }));
  const functions = context.unwrapResult(context.callFunction(start, context.undefined, ask));
  const get = (name: string): QuickJSHandle => context.getProp(functions, name);
  return { begin: get('begin'), standIn: get('standIn'), define: get('define'), run: get('run') };
}

interface Engine {
  context: QuickJSContext;
  inside: Inside;
  budget: Budget;
  reset(): void;
}

function answerTo(message: ToWorker, { context, inside, budget, reset }: Engine): CodeAnswer {
  if (message.begin) reset();
  const call = (fn: QuickJSHandle, ...args: (string | QuickJSHandle)[]): QuickJSHandle => {
    const handles = args.map((item) => (typeof item === 'string' ? context.newString(item) : item));
    const result = context.callFunction(fn, context.undefined, ...handles);
    for (const handle of handles) handle.dispose();
    return unwrap(context, result);
  };
  try {
    if (message.begin) {
      call(inside.begin, JSON.stringify(message.begin));
      if (message.begin.standIns) call(inside.standIn);
    }
    const names = JSON.stringify(message.names);
    for (const { id, factory } of message.modules) {
      const made = unwrap(context, context.evalCode(factory, id, { type: 'global' }));
      call(inside.define, id, made, names);
    }
    const result = call(inside.run, JSON.stringify(message.request));
    const isTooLarge = context.getNumber(context.getProp(result, 'length')) > message.resultLength;
    const json = isTooLarge ? '' : context.getString(result);
    result.dispose();
    return isTooLarge ? { kind: 'too_large' } : { kind: 'result', json };
  } catch (error) {
    if (!(error instanceof InsideError)) throw error;
    if (budget.isOver) return { kind: 'timeout' };
    if (error.message === 'out of memory') return { kind: 'memory' };
    return { kind: 'failed', name: error.insideName, message: error.message, stack: error.insideStack };
  }
}

class InsideError extends Error {
  readonly insideName: string;
  readonly insideStack: string;

  constructor(name: string, message: string, stack: string) {
    super(message);
    this.insideName = name;
    this.insideStack = stack;
  }
}

/**
 * Returns the value of a call or the thrown value, without running more of the author's code than getters.
 */
function unwrap(
  context: QuickJSContext,
  result: { error: QuickJSHandle; value?: undefined } | { value: QuickJSHandle; error?: undefined },
): QuickJSHandle {
  if (result.error === undefined) return result.value;
  const text = (name: string): string => context.getString(context.getProp(result.error, name));
  try {
    throw new InsideError(text('name'), text('message'), text('stack'));
  } catch (error) {
    if (error instanceof InsideError) throw error;
    throw new InsideError('Error', 'the thrown value is not an error', '');
  }
}
