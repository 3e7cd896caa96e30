/** Compares results of the static evaluator with those of QuickJS and V8. */
import { Evaluator } from '../../packages/render/src/evaluate/evaluator.ts';
import { parseExpression } from '../../packages/render/src/evaluate/parse.ts';
import { CodeRefusedError, type CodeRunner } from '../../packages/render/src/realm/realm.ts';
import { type Tree, treeOfValue } from '../../packages/render/src/realm/tree.ts';
import { Scope, UnsupportedError } from '../../packages/render/src/evaluate/values.ts';
import { compileFile } from '../../packages/render/src/program/file.ts';
import type { ProgramModule } from '../../packages/render/src/program/program.ts';

export interface Difference {
  source: string;
  engine: string;
  expected: string;
  given: string;
}

export interface Compared {
  generated: number;
  /** Expressions that the static evaluator accepted. */
  taken: number;
  differences: Difference[];
}

/** Batched, because running a module costs more than running an expression. */
const perModule = 250;

export function compareExpressions(
  sources: readonly string[],
  engines: Readonly<Record<string, CodeRunner>>,
): Compared {
  const compared: Compared = { generated: sources.length, taken: 0, differences: [] };
  const taken = sources.flatMap((source) => {
    const value = statically(source);
    return value === undefined ? [] : [{ source, expected: JSON.stringify(value.tree) }];
  });
  compared.taken = taken.length;
  for (let at = 0; at < taken.length; at += perModule) {
    const part = taken.slice(at, at + perModule);
    for (const [engine, runner] of Object.entries(engines)) {
      const given = running(
        part.map(({ source }) => source),
        runner,
      );
      part.forEach(({ source, expected }, index) => {
        const value = JSON.stringify(given[index]);
        if (value !== expected) compared.differences.push({ source, engine, expected, given: value });
      });
    }
  }
  return compared;
}

/** Undefined when the evaluator refuses, or when only it can represent the value. */
function statically(source: string): { tree: Tree } | undefined {
  const evaluator = new Evaluator();
  try {
    const value = evaluator.evaluate(parseExpression(source), new Scope(evaluator.standard));
    return { tree: shown(treeOfValue([value], [])) };
  } catch (error) {
    if (error instanceof UnsupportedError || error instanceof NothingToShow) return undefined;
    throw error;
  }
}

function running(sources: readonly string[], runner: CodeRunner): Tree[] {
  const pieces = sources.map(
    (source) => `() => { try { return [(${source}\n)]; } catch (error) { return 'threw ' + error; } }`,
  );
  const text = `export const pieces = [${pieces.join(',\n')}];`;
  const { factory } = compileFile('generated.jsx', text, () => undefined);
  const modules = [{ id: 'generated.jsx', factory }, page];
  runner.beginPage({ seed: 1, clockMs: 0, address: 'http://localhost/' });
  return sources.map((_, piece) => {
    try {
      const props = { object: [] };
      const request = { module: page.id, piece, props, isWhole: false, as: 'value' as const, idSpace: 0 };
      return shown(runner.run(modules, request));
    } catch (error) {
      if (error instanceof CodeRefusedError) return `refused: ${error.message}`;
      throw error;
    }
  });
}

/** A source cannot use names that a compiled page reserves. */
const page: ProgramModule = {
  id: 'page',
  factory: `(() => (require, exports) => { exports.$pieces = require('generated.jsx').pieces; })`,
};

/** The observable part of a value, without the grouping of children, keys and the sign of zero. */
function shown(tree: Tree): Tree {
  if (Array.isArray(tree)) return tree.map(shown);
  if (tree === 0) return 0;
  if (typeof tree !== 'object' || tree === null) return tree;
  if ('object' in tree) return { object: tree.object.map(([name, value]) => [name, shown(value)]) };
  if (!('type' in tree)) return tree;
  return {
    type: tree.type,
    props: tree.props.filter(([name]) => name !== 'key').map(([name, value]) => [name, shown(value)]),
    children: content(tree.children),
  };
}

function content(children: readonly Tree[]): Tree[] {
  const parts = children.flatMap((child): Tree[] => {
    if (child === null || typeof child === 'boolean' || child === '') return [];
    if (typeof child === 'number') return [String(child)];
    if (Array.isArray(child)) return content(child);
    if (typeof child === 'object' && 'type' in child && child.type === null) return content(child.children);
    if (typeof child === 'object' && ('object' in child || 'function' in child)) throw new NothingToShow();
    return [shown(child)];
  });
  return parts.reduce<Tree[]>((joined, part) => {
    const last = joined.at(-1);
    if (typeof last !== 'string' || typeof part !== 'string') return [...joined, part];
    return [...joined.slice(0, -1), last + part];
  }, []);
}

/** Rendering refuses an object between tags, after evaluation. */
class NothingToShow extends Error {}
