/** What goes between a page's process and its thread for customer code. Types only. */
import type { ProgramModule } from '../program/program.ts';
import type { Tree } from './tree.ts';

/** What a piece of a document's code is asked for. */
export interface CodeRequest {
  /** The document's own module and the number of the piece in it. */
  module: string;
  piece: number;
  /** Properties of the document, when it is a snippet. */
  props: Tree;
  /** What stands between the tags is one slot, and not elements that code can look at. */
  isWhole: boolean;
  /** Ids that the code asks for are different for each. */
  idSpace: number;
  /** Whether the value is shown between tags or is the value of a property. */
  as: 'content' | 'value';
}

/** What code can learn of the page: the same for the same site, wherever it is rendered. */
export interface PageFacts {
  seed: number;
  clockMs: number;
  address: string;
}

export interface ToWorker {
  /** Begins with a clean realm. */
  begin: (PageFacts & { standIns: boolean }) | undefined;
  modules: ProgramModule[];
  /** What factories take, in this order. */
  names: readonly string[];
  request: CodeRequest;
  ticks: number;
  milliseconds: number;
  /** Characters of JSON that the result may have. */
  resultLength: number;
}

/** What it took, as time of the processor: a busy machine takes nothing away from an author. */
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
  /** What is in the thread's memory cannot be relied on any more. */
  | { kind: 'broken' };
