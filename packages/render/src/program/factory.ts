/** The script of a compiled module: a function of `programGlobals` around the author's code. */
import { programGlobals } from './globals.ts';
import { CompileError, parseClassicScript } from './syntax.ts';

/**
 * Names are defined one by one and never assigned, so that an export or property called `__proto__` is an
 * ordinary one.
 */
const prologue =
  `const $$react = React, $$reactDom = ReactDOM, $$jsx = React.createElement, $$fragment = React.Fragment,
$$own = (object, name) => object != null && Object.prototype.hasOwnProperty.call(object, name),
$$define = (to, pairs) => { for (let at = 0; at < pairs.length; at += 2)
Object.defineProperty(to, pairs[at], { enumerable: true, get: pairs[at + 1] }); },
$$defineAll = (to, from) => { for (const name of Object.keys(from)) if (name !== "default" && !$$own(to, name))
$$define(to, [name, () => from[name]]); },
$$words = (text) => text,
$$element = (type, props, children) => $$jsx(type, props, ...children);`.replaceAll('\n', ' ');

/**
 * Lines of the factory are lines of the code. Security: the factory, parsed as a classic script, must be
 * exactly the wrapping function, so that the author's text cannot escape from it.
 */
export function factoryOf(code: string): string {
  const before = `(function (${programGlobals.join(', ')}) { ${prologue} return `;
  const inner = `function ($$require, $$exports) { 'use strict'; ${code}\n}`;
  const factory = `${before}${inner} })`;
  const [statement, ...more] = parseClassicScript(factory).body;
  const outer = statement?.type === 'ExpressionStatement' ? statement.expression : undefined;
  const body = outer?.type === 'FunctionExpression' ? outer.body.body : [];
  const returned = body[1]?.type === 'ReturnStatement' ? body[1].argument : undefined;
  const isWhole =
    more.length === 0 &&
    body.length === 2 &&
    returned?.type === 'FunctionExpression' &&
    returned.start === before.length &&
    returned.end === before.length + inner.length;
  if (!isWhole) throw new CompileError('the code cannot be made into a script', 1, 1);
  return factory;
}
