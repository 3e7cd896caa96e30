/**
 * The static evaluator: computes an author's expression from its syntax tree without running any JavaScript.
 * Default-deny: an unhandled node type throws `UnsupportedError`.
 */
import type {
  ArrayExpression,
  BinaryExpression,
  BlockStatement,
  CallExpression,
  Expression,
  MemberExpression,
  ObjectExpression,
  Pattern,
  Statement,
  TemplateLiteral,
  UnaryExpression,
  VariableDeclaration,
} from 'estree-jsx';
import { bind, namesIn, propertyKey, reserve, spreadInto } from './binding.ts';
import { Budget } from './budget.ts';
import { jsxChildren, jsxElement } from './jsx.ts';
import { arithmetic, literal, looselyEqual, textOrder } from './operators.ts';
import { callMethod, isObject, readProperty, standardScope, textOf, truthy, unsupported } from './methods.ts';
import {
  ElementValue,
  FunctionValue,
  NativeFunction,
  ObjectValue,
  Scope,
  SeveralValuesError,
  isFunction,
  type Value,
} from './values.ts';

export class Evaluator {
  readonly budget = new Budget();
  readonly standard: Scope;
  /** Counts uses of browser-only features: state, effects, handlers. */
  liveParts = 0;

  constructor() {
    const noteLive = (): void => void this.liveParts++;
    const call = (callee: Value, args: Value[]): Value => this.call(callee, args);
    this.standard = new Scope(undefined, standardScope(this.budget, call, noteLive));
  }

  evaluate(node: Expression, scope: Scope): Value {
    this.budget.step();
    switch (node.type) {
      case 'Literal':
        return literal(node.value);
      case 'TemplateLiteral':
        return this.#template(node, scope);
      case 'Identifier':
        return scope.get(node.name);
      case 'ArrayExpression':
        return this.#array(node, scope);
      case 'ObjectExpression':
        return this.#object(node, scope);
      case 'MemberExpression':
        return this.#member(node, scope);
      case 'ChainExpression':
        return this.evaluate(node.expression, scope);
      case 'ConditionalExpression':
        return this.evaluate(
          truthy(this.evaluate(node.test, scope)) ? node.consequent : node.alternate,
          scope,
        );
      case 'LogicalExpression': {
        const left = this.evaluate(node.left, scope);
        const done =
          node.operator === '&&'
            ? !truthy(left)
            : node.operator === '||'
              ? truthy(left)
              : left !== null && left !== undefined;
        return done ? left : this.evaluate(node.right, scope);
      }
      case 'UnaryExpression':
        return this.#unary(node, scope);
      case 'BinaryExpression':
        return this.#binary(node, scope);
      case 'ArrowFunctionExpression':
      case 'FunctionExpression':
        return new FunctionValue(node, scope);
      case 'CallExpression':
        return this.#callExpression(node, scope);
      case 'JSXElement':
        return jsxElement(node, scope, this);
      case 'JSXFragment':
        return new ElementValue(null, new ObjectValue(), jsxChildren(node, scope, this));
      case 'SequenceExpression':
        throw new SeveralValuesError();
      default:
        return unsupported(`JavaScript syntax ${node.type}`);
    }
  }

  call(callee: Value, args: Value[]): Value {
    this.budget.step();
    if (callee instanceof NativeFunction) return callee.call(args);
    if (!(callee instanceof FunctionValue)) return unsupported('calling something that is not a function');
    const { source, scope: outer } = callee;
    if (source.async || source.generator) return unsupported('async code');
    return this.budget.deeper(() => {
      const scope = new Scope(outer);
      source.params.forEach((param, index) => {
        if (param.type === 'RestElement') bind(param.argument, args.slice(index), scope, this);
        else bind(param, args[index], scope, this);
      });
      if (source.body.type !== 'BlockStatement') return this.evaluate(source.body, scope);
      return this.#block(source.body, scope)?.value;
    });
  }

  /** Declares the names of a module's `const` line, evaluated at first use. */
  declare(declaration: VariableDeclaration, scope: Scope): void {
    for (const { id, init } of declaration.declarations) {
      const value = (): Value => (init ? this.evaluate(init, scope) : undefined);
      if (id.type === 'Identifier') scope.defineLazily(id.name, value);
      else this.#declareParts(id, value, scope);
    }
  }

  /** `const { a, b } = value` of a module: destructured at first use. */
  #declareParts(pattern: Pattern, value: () => Value, scope: Scope): void {
    const parts = new Scope(scope);
    let isBound = false;
    for (const name of namesIn(pattern))
      scope.defineLazily(name, () => {
        if (!isBound) bind(pattern, value(), parts, this);
        isBound = true;
        return parts.get(name);
      });
  }

  #block(block: BlockStatement, scope: Scope): { value: Value } | undefined {
    for (const statement of block.body) {
      if (statement.type === 'FunctionDeclaration')
        scope.define(statement.id.name, new FunctionValue(statement, scope));
      else if (statement.type === 'VariableDeclaration')
        for (const { id } of statement.declarations) for (const name of namesIn(id)) reserve(name, scope);
    }
    for (const statement of block.body) {
      const result = this.#statement(statement, scope);
      if (result) return result;
    }
    return undefined;
  }

  #statement(statement: Statement, scope: Scope): { value: Value } | undefined {
    this.budget.step();
    switch (statement.type) {
      case 'ReturnStatement':
        return { value: statement.argument ? this.evaluate(statement.argument, scope) : undefined };
      case 'VariableDeclaration':
        for (const { id, init } of statement.declarations)
          bind(id, init ? this.evaluate(init, scope) : undefined, scope, this);
        return undefined;
      case 'FunctionDeclaration':
      case 'EmptyStatement':
        return undefined;
      case 'BlockStatement':
        return this.#block(statement, new Scope(scope));
      case 'IfStatement': {
        const branch = truthy(this.evaluate(statement.test, scope))
          ? statement.consequent
          : statement.alternate;
        return branch ? this.#statement(branch, scope) : undefined;
      }
      case 'ExpressionStatement':
        if (statement.expression.type !== 'CallExpression') return unsupported('changing a value');
        this.evaluate(statement.expression, scope);
        return undefined;
      default:
        return unsupported(`JavaScript syntax ${statement.type}`);
    }
  }

  #template(node: TemplateLiteral, scope: Scope): string {
    let text = node.quasis[0]?.value.cooked ?? '';
    node.expressions.forEach((expression, index) => {
      const part = textOf(this.evaluate(expression, scope)) + (node.quasis[index + 1]?.value.cooked ?? '');
      this.budget.cells(text.length + part.length);
      text += part;
    });
    return text;
  }

  #array(node: ArrayExpression, scope: Scope): Value[] {
    const list: Value[] = [];
    for (const item of node.elements) {
      if (item === null) return unsupported('a list with holes');
      if (item.type === 'SpreadElement') {
        const spread = this.evaluate(item.argument, scope);
        if (!Array.isArray(spread)) return unsupported('spreading this value');
        this.budget.cells(spread.length);
        list.push(...spread);
      } else {
        this.budget.cells(1);
        list.push(this.evaluate(item, scope));
      }
    }
    return list;
  }

  #object(node: ObjectExpression, scope: Scope): ObjectValue {
    const object = new ObjectValue();
    for (const property of node.properties) {
      if (property.type === 'SpreadElement')
        spreadInto(object, this.evaluate(property.argument, scope), this.budget);
      else {
        if (property.kind !== 'init') return unsupported('getters and setters');
        const key = propertyKey(property.key, property.computed, scope, this);
        if (key === '__proto__') return unsupported('the property "__proto__"');
        this.budget.cells(1);
        object.entries.set(key, this.evaluate(property.value as Expression, scope));
      }
    }
    return object;
  }

  #member(node: MemberExpression, scope: Scope): Value {
    if (node.object.type === 'Super' || node.property.type === 'PrivateIdentifier')
      return unsupported('classes');
    const receiver = this.evaluate(node.object, scope);
    if (node.optional && (receiver === null || receiver === undefined)) return undefined;
    return readProperty(receiver, propertyKey(node.property, node.computed, scope, this));
  }

  #callExpression(node: CallExpression, scope: Scope): Value {
    const { callee } = node;
    if (callee.type === 'Super' || (callee.type as string) === 'Import') return unsupported('this call');
    if (callee.type !== 'MemberExpression')
      return this.call(this.evaluate(callee, scope), this.#args(node, scope));
    if (callee.object.type === 'Super' || callee.property.type === 'PrivateIdentifier')
      return unsupported('classes');
    const receiver = this.evaluate(callee.object, scope);
    if (callee.optional && (receiver === null || receiver === undefined)) return undefined;
    const name = propertyKey(callee.property, callee.computed, scope, this);
    const args = this.#args(node, scope);
    if (receiver instanceof ObjectValue && receiver.entries.has(name))
      return this.call(receiver.get(name), args);
    return callMethod(receiver, name, args, {
      budget: this.budget,
      call: (fn, values) => this.call(fn, values),
    });
  }

  #args(node: CallExpression, scope: Scope): Value[] {
    return node.arguments.flatMap((argument) => {
      if (argument.type !== 'SpreadElement') return [this.evaluate(argument, scope)];
      const spread = this.evaluate(argument.argument, scope);
      if (!Array.isArray(spread)) return unsupported('spreading this value');
      this.budget.cells(spread.length);
      return spread;
    });
  }

  #unary(node: UnaryExpression, scope: Scope): Value {
    const { argument } = node;
    // `typeof window` is 'undefined' while a page is rendered.
    if (node.operator === 'typeof' && argument.type === 'Identifier' && isBrowserOnly(argument.name, scope))
      return 'undefined';
    const value = this.evaluate(argument, scope);
    if (node.operator === '!') return !truthy(value);
    if (node.operator === 'typeof' && isFunction(value)) return 'function';
    if (node.operator === 'typeof' && !isObject(value)) return typeof value;
    if (typeof value === 'number' && node.operator === '-') return -value;
    if (typeof value === 'number' && node.operator === '+') return value;
    return unsupported(`the operator ${node.operator} on this value`);
  }

  #binary(node: BinaryExpression, scope: Scope): Value {
    if (node.left.type === 'PrivateIdentifier') return unsupported('classes');
    const left = this.evaluate(node.left, scope);
    const right = this.evaluate(node.right, scope);
    // Strings are compared by code units.
    if (typeof left === 'string' && typeof right === 'string')
      this.budget.cells(Math.min(left.length, right.length));
    if (node.operator === '===' || node.operator === '!==')
      return (left === right) === (node.operator === '===');
    if (node.operator === '==' || node.operator === '!=')
      return looselyEqual(left, right) === (node.operator === '==');
    if (typeof left === 'number' && typeof right === 'number') return arithmetic(node.operator, left, right);
    if (node.operator === '+' && (typeof left === 'string' || typeof right === 'string')) {
      const [a, b] = [textOf(left), textOf(right)];
      this.budget.cells(a.length + b.length);
      return a + b;
    }
    if (typeof left === 'string' && typeof right === 'string') return textOrder(node.operator, left, right);
    return unsupported(`the operator ${node.operator} on these values`);
  }
}

function isBrowserOnly(name: string, scope: Scope): boolean {
  return (name === 'window' || name === 'document') && !scope.has(name);
}
