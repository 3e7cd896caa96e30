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
  locations: true,
  allowAwaitOutsideFunction: false,
};
const maximumDepth = 400;

export function parseScript(source: string): Program {
  const program = readable(source, () => JsxParser.parse(source, options) as unknown as Program);
  refuseDepth(program);
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
function refuseDepth(program: Program): void {
  const open: [Node, number][] = [[program, 1]];
  for (let entry = open.pop(); entry; entry = open.pop()) {
    const [node, depth] = entry;
    if (depth > maximumDepth) throw errorAt(node, 'the code is nested too deeply');
    for (const child of childrenOf(node)) open.push([child, depth + 1]);
  }
}

export function errorAt(node: Node, message: string): CompileError {
  return new CompileError(message, node.loc?.start.line ?? 1, (node.loc?.start.column ?? 0) + 1);
}

/** The nodes directly below a node, whatever its type. */
export function childrenOf(node: Node): Node[] {
  const children: Node[] = [];
  for (const value of Object.values(node) as unknown[]) {
    if (Array.isArray(value)) {
      for (const item of value as unknown[]) if (isNode(item)) children.push(item);
    } else if (isNode(value)) children.push(value);
  }
  return children;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

/** Calls `visit` for a node and everything below it, parents first. */
export function walk(node: Node, visit: (node: Node) => void): void {
  visit(node);
  for (const child of childrenOf(node)) walk(child, visit);
}
