/** Literals and operators where their result is certain; every other combination of types is rejected. */
import type { BinaryExpression } from 'estree-jsx';
import { exactPower, unsupported } from './methods.ts';
import type { Value } from './values.ts';

export function literal(value: unknown): Value {
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return value;
  return unsupported('this kind of literal');
}

/** `==` is supported only where it equals `===`, or compares with null and undefined. */
export function looselyEqual(left: Value, right: Value): boolean {
  if (left === null || left === undefined || right === null || right === undefined)
    return (left ?? null) === (right ?? null);
  if (typeof left !== typeof right) return unsupported('comparing values of different types with ==');
  return left === right;
}

export function arithmetic(operator: BinaryExpression['operator'], left: number, right: number): Value {
  switch (operator) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '/':
      return left / right;
    case '%':
      return left % right;
    case '**':
      return exactPower(left, right);
    case '<':
      return left < right;
    case '<=':
      return left <= right;
    case '>':
      return left > right;
    case '>=':
      return left >= right;
    default:
      return unsupported(`the operator ${operator}`);
  }
}

export function textOrder(operator: BinaryExpression['operator'], left: string, right: string): Value {
  switch (operator) {
    case '<':
      return left < right;
    case '<=':
      return left <= right;
    case '>':
      return left > right;
    case '>=':
      return left >= right;
    default:
      return unsupported(`the operator ${operator} on text`);
  }
}
