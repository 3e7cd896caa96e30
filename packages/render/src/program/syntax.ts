/**
 * Parses authors' JavaScript into syntax trees with the position of syntax errors. Nothing of an author's
 * text runs in this process.
 */
import type { Options } from 'acorn';
import type { Node, Program } from 'estree-jsx';
import { JsxParser, ScriptParser } from '../evaluate/script-parser.ts';

declare module 'estree' {
  /** The parser always sets positions. */
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

/** The newest version that QuickJS and current browsers run. */
const options: Options = {
  ecmaVersion: 2025,
  sourceType: 'module',
  allowAwaitOutsideFunction: false,
};
const maxDepth = 400;
/** Bounds the memory and time of the syntax tree, which are linear in the length. */
const maxLength = 256 * 1024;

export function parseScript(source: string): Program {
  if (source.length > maxLength)
    throw new CompileError(`the code is larger than ${maxLength / 1024} KB`, 1, 1);
  const program = readable(source, () => JsxParser.parse(source, options) as unknown as Program);
  refuseDepth(source, program);
  return program;
}

/** The result is a classic script, so it is parsed again as one: without JSX and modules. */
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
    const explanation = isAwait
      ? 'await is available in async functions only'
      : message.replace(/ \(\d+:\d+\)$/, '');
    throw new CompileError(explanation, loc.line, loc.column + 1);
  }
}

interface ParseFailure {
  pos: number;
  loc: { line: number; column: number };
}

/** Later steps may walk the tree recursively. */
function refuseDepth(source: string, program: Program): void {
  let open: Node[] = [program];
  for (let depth = 1; open.length; depth++) {
    const [first] = open;
    if (first && depth > maxDepth) throw errorAt(source, first, 'the code is nested too deeply');
    const next: Node[] = [];
    for (const node of open) forEachChild(node, (child) => next.push(child));
    open = next;
  }
}

export function errorAt(source: string, { start }: Node, message: string): CompileError {
  const before = source.slice(0, start).split('\n');
  return new CompileError(message, before.length, (before.at(-1)?.length ?? 0) + 1);
}

/** Calls `visit` for each direct child of a node. */
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

/** Parents first; skips the children of a node for which `visit` returns false. */
export function walk(node: Node, visit: (node: Node) => boolean | void): void {
  if (visit(node) === false) return;
  forEachChild(node, (child) => walk(child, visit));
}

export function isDocumentText(node: Node): boolean {
  return (
    node.type === 'CallExpression' &&
    node.callee.type === 'Identifier' &&
    (node.callee.name === '$$content' || node.callee.name === '$$words')
  );
}
