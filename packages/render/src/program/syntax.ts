/**
 * Reads the JavaScript of authors into syntax trees, with the place of what cannot be read. It only reads: nothing of an
 * author's text runs in this process.
 */
import type { Options } from 'acorn';
import type { Node, Program } from 'estree-jsx';
import { JsxParser, ScriptParser } from '../evaluate/script-parser.ts';

declare module 'estree' {
  /** The parser always tells them. */
  interface BaseNodeWithoutComments {
    start: number;
    end: number;
  }
}

export class CompileError extends Error {
  override readonly name = 'CompileError';
  readonly line: number;
  readonly column: number;

  constructor(message: string, line: number, column: number) {
    super(message);
    this.line = line;
    this.column = column;
  }
}

/** 2025 is what QuickJS and every browser of the last years run; newer syntax would be read here and refused there. */
const options: Options = {
  ecmaVersion: 2025,
  sourceType: 'module',
  allowAwaitOutsideFunction: false,
};
const maximumDepth = 400;
/** Time and memory are linear: 1 MB of the worst code was 1.2 GB of syntax trees, and 20 s on a busy machine. */
const maximumLength = 256 * 1024;

export function parseScript(source: string): Program {
  if (source.length > maximumLength)
    throw new CompileError(`the code is larger than ${maximumLength / 1024} KB`, 1, 1);
  const program = readable(source, () => JsxParser.parse(source, options) as unknown as Program);
  refuseDepth(source, program);
  return program;
}

/** What is given out at the end is a classic script, so it is read again as one: without JSX, without modules. */
export function parseClassicScript(source: string): Program {
  return readable(
    source,
    () => ScriptParser.parse(source, { ecmaVersion: 2025, sourceType: 'script' }) as unknown as Program,
  );
}

function readable(source: string, parse: () => Program): Program {
  try {
    return parse();
  } catch (error) {
    const { message, loc, pos } = error as SyntaxError & Partial<ParseFailure>;
    if (!loc || message.startsWith('Not enough stack'))
      throw new CompileError('the code is nested too deeply', 1, 1);
    const isAwait = /\bawait\s+$/.test(source.slice(Math.max(0, (pos ?? 0) - 20), pos));
    const told = isAwait
      ? 'await is available in async functions only'
      : message.replace(/ \(\d+:\d+\)$/, '');
    throw new CompileError(told, loc.line, loc.column + 1);
  }
}

interface ParseFailure {
  pos: number;
  loc: { line: number; column: number };
}

/** Everything after this may walk the tree by recursion. */
function refuseDepth(source: string, program: Program): void {
  let open: Node[] = [program];
  for (let depth = 1; open.length; depth++) {
    const [first] = open;
    if (first && depth > maximumDepth) throw errorAt(source, first, 'the code is nested too deeply');
    const next: Node[] = [];
    for (const node of open) forEachChild(node, (child) => next.push(child));
    open = next;
  }
}

export function errorAt(source: string, { start }: Node, message: string): CompileError {
  const before = source.slice(0, start).split('\n');
  return new CompileError(message, before.length, (before.at(-1)?.length ?? 0) + 1);
}

/** Calls `visit` for each node directly below a node, whatever its type. */
export function forEachChild(node: Node, visit: (child: Node) => void): void {
  const fields = node as unknown as Record<string, unknown>;
  for (const name of Object.keys(fields)) {
    const value = fields[name];
    if (typeof value !== 'object' || value === null) continue;
    if (Array.isArray(value)) {
      for (const item of value as unknown[]) if (isNode(item)) visit(item);
    } else if (isNode(value)) visit(value);
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

/** Calls `visit` for a node and everything below it, parents first; nothing below a node for which it answers false. */
export function walk(node: Node, visit: (node: Node) => boolean | void): void {
  if (visit(node) === false) return;
  forEachChild(node, (child) => walk(child, visit));
}

/** Words and content of a document among its code: the host has seen them, and they are no code's. */
export function isDocumentText(node: Node): boolean {
  return (
    node.type === 'CallExpression' &&
    node.callee.type === 'Identifier' &&
    (node.callee.name === '$$content' || node.callee.name === '$$words')
  );
}
