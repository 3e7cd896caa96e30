import type { ProgramModule } from '../program/program.ts';
import type { Tree } from './tree.ts';

export interface CodeRequest {
  /** The document's module and the index of the piece in it. */
  module: string;
  piece: number;
  /** The snippet's properties. */
  props: Tree;
  /** The element's children are one slot instead of elements that code can inspect. */
  isWhole: boolean;
  /** Makes generated ids unique. */
  idSpace: number;
  /** Whether the value is shown between tags or is a property. */
  as: 'content' | 'value';
}

/** What code can learn about the page: the same for the same site on every machine. */
export interface PageFacts {
  seed: number;
  clockMs: number;
  address: string;
}

export interface ToWorker {
  /** Resets the realm first. */
  begin: (PageFacts & { standIns: boolean }) | undefined;
  modules: ProgramModule[];
  /** The factory's parameters, in order. */
  names: readonly string[];
  request: CodeRequest;
  ticks: number;
  milliseconds: number;
  /** The maximum length of the result's JSON. */
  resultLength: number;
}

/** In processor time, so that a busy machine does not shorten an author's limit. */
export interface Spent {
  ticks: number;
  milliseconds: number;
}

export type CodeAnswer =
  | { kind: 'result'; json: string }
  | { kind: 'timeout' | 'memory' | 'too_large' }
  | { kind: 'failed'; name: string; message: string; stack: string };

export type FromWorker =
  | { kind: 'ready' }
  | { kind: 'answer'; answer: CodeAnswer; spent: Spent }
  /** The thread's memory is corrupt. */
  | { kind: 'broken' };
