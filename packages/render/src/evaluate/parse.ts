/**
 * Parses the JavaScript an author wrote (expressions, `import` and `export` lines) into a syntax tree.
 * It only parses; running anything is not possible from here.
 */
import type { Options } from 'acorn';
import type { Expression, Program } from 'estree-jsx';
import { JsxParser } from './script-parser.ts';
import { Unsupported } from './values.ts';

const options: Options = { ecmaVersion: 'latest', sourceType: 'module', locations: true };

/** Only comments and white space. A regular expression for it took seconds for two dozen comments before an expression. */
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
  if (statement?.type !== 'ExpressionStatement') throw new Unsupported('this is not an expression');
  return statement.expression;
}

/** The `...rest` inside an element's tag. */
export function parseSpread(source: string): Expression {
  const object = parseExpression(`{${source}}`);
  const spread = object.type === 'ObjectExpression' ? object.properties[0] : undefined;
  if (spread?.type !== 'SpreadElement') throw new Unsupported('this is not a spread');
  return spread.argument;
}

export function parseModule(source: string): Program {
  return parse(source);
}

/** Pages of a site import the same things and compute alike; nobody changes a tree, so all of them share it. */
const known = new Map<string, Program>();
const maximumKnown = 200;
const maximumKnownLength = 500;

function parse(source: string): Program {
  const program = known.get(source) ?? parseAnew(source);
  if (source.length > maximumKnownLength) return program;
  if (known.size >= maximumKnown) known.clear();
  known.set(source, program);
  return program;
}

function parseAnew(source: string): Program {
  try {
    return JsxParser.parse(source, options) as unknown as Program;
  } catch (error) {
    throw new Unsupported(`the JavaScript here cannot be read: ${(error as Error).message}`);
  }
}
