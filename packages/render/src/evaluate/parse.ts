/** Parses an author's expressions and `import` and `export` lines into syntax trees. It cannot run them. */
import type { Options } from 'acorn';
import type { Expression, Program } from 'estree-jsx';
import { JsxParser } from './script-parser.ts';
import { UnsupportedError } from './values.ts';

const options: Options = { ecmaVersion: 'latest', sourceType: 'module', locations: true };

/**
 * Whether it contains only comments and white space. Not a regular expression, because that would backtrack.
 */
export function isEmptyExpression(source: string): boolean {
  let at = 0;
  while (at < source.length) {
    const isLine = source.startsWith('//', at);
    if (isLine || source.startsWith('/*', at)) {
      const end = source.indexOf(isLine ? '\n' : '*/', at + 2);
      if (end < 0) return isLine;
      at = end + (isLine ? 1 : 2);
    } else if (/\s/.test(source[at] ?? '')) at += 1;
    else return false;
  }
  return true;
}

export function parseExpression(source: string): Expression {
  const statement = parse(`(${source}\n)`).body[0];
  if (statement?.type !== 'ExpressionStatement') throw new UnsupportedError('this is not an expression');
  return statement.expression;
}

/** `...rest` inside an element's tag. */
export function parseSpread(source: string): Expression {
  const object = parseExpression(`{${source}}`);
  const spread = object.type === 'ObjectExpression' ? object.properties[0] : undefined;
  if (spread?.type !== 'SpreadElement') throw new UnsupportedError('this is not a spread');
  return spread.argument;
}

export function parseModule(source: string): Program {
  return parse(source);
}

/** Pages share imports and expressions; trees are immutable, so they are cached. */
const cache = new Map<string, Program>();
const maxCachedPrograms = 200;
const maxCachedCharacters = 500;

function parse(source: string): Program {
  const program = cache.get(source) ?? parseUncached(source);
  if (source.length > maxCachedCharacters) return program;
  if (cache.size >= maxCachedPrograms) cache.clear();
  cache.set(source, program);
  return program;
}

function parseUncached(source: string): Program {
  try {
    return JsxParser.parse(source, options) as unknown as Program;
  } catch (error) {
    throw new UnsupportedError(`the JavaScript here cannot be read: ${(error as Error).message}`);
  }
}
