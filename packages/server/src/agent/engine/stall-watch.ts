/** Stops an external agent that makes no progress: one that repeats itself is warned once, a silent one is ended. */
import type { Journal, Step } from '../contract.ts';
import { isComparable } from './external-call.ts';
import { findStall } from './stall.ts';

export interface StallWatch {
  /** Describes the stall, unless a warning is still to be delivered. */
  find(): string | undefined;
  /** Asks for a warning the first time, and for the end the second time. */
  report(stall: string): void;
  /** The warning, once. */
  takeWarning(): string | undefined;
}

export interface StallOptions {
  journal: Journal;
  /** Ends the current turn, so that the warning can be the next prompt. */
  onWarning(stall: string): void;
  onStalled(stall: string): void;
}

/** Only steps of this session count. */
export function openStallWatch({ journal, onWarning, onStalled }: StallOptions): StallWatch {
  const start = journal.steps.length;
  let since = 0;
  let isWarned = false;
  let warning: string | undefined;
  const comparable = (): Step[] =>
    journal.steps.slice(start).filter((step) => step.kind !== 'result' || isEvidence(step));
  return {
    find: () => (warning === undefined ? findStall(comparable(), since) : undefined),
    report(stall) {
      if (isWarned) return onStalled(stall);
      isWarned = true;
      warning = `You are not making progress: ${stall} Try another way, or end your turn with a short summary of what you changed.`;
      onWarning(stall);
    },
    takeWarning() {
      const text = warning;
      if (text !== undefined) since = comparable().length;
      warning = undefined;
      return text;
    },
  };
}

export interface SilenceWatch {
  /** Call for every message of the agent. */
  restart(): void;
  /** While the agent waits for the model or for a tool of Docyard, its silence does not count. */
  pause(): void;
  resume(): void;
  close(): void;
}

export function openSilenceWatch(maxSeconds: number, onSilent: () => void): SilenceWatch {
  let timer: NodeJS.Timeout | undefined;
  let waits = 0;
  let isClosed = false;
  function restart(): void {
    clearTimeout(timer);
    if (waits === 0 && !isClosed) timer = setTimeout(onSilent, maxSeconds * 1000);
  }
  restart();
  return {
    restart,
    pause() {
      waits += 1;
      clearTimeout(timer);
    },
    resume() {
      waits -= 1;
      restart();
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}

function isEvidence({ call, result }: Extract<Step, { kind: 'result' }>): boolean {
  return (result.changes ?? []).length > 0 || isComparable(call);
}
