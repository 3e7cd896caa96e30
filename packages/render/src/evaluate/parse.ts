/**
 * Parses the JavaScript an author wrote (expressions, `import` and `export` lines) into a syntax tree.
 * It only parses; running anything is not possible from here.
 */
import { Parser, type Options } from 'acorn';
import jsx from 'acorn-jsx';
import type { Expression, Program } from 'estree-jsx';
import { Unsupported } from './values.ts';

const JsxParser = Parser.extend(jsx());
const options: Options = { ecmaVersion: 'latest', sourceType: 'module', locations: true };
const onlyComments = /^(?:\s|\/\*[\s\S]*?\*\/|\/\/[^\n]*(?:\n|$))*$/;

export function isEmptyExpression(source: string): boolean {
  return onlyComments.test(source);
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

function parse(source: string): Program {
  try {
    return JsxParser.parse(source, options) as unknown as Program;
  } catch (error) {
    throw new Unsupported(`the JavaScript here cannot be read: ${(error as Error).message}`);
  }
}
