/** Binds names to values: parameters, declarations and destructuring patterns. */
import type { Expression, Pattern } from 'estree-jsx';
import type { Budget } from './budget.ts';
import { isObject, readProperty, textOf, unsupported } from './methods.ts';
import { ObjectValue, type Scope, type Value } from './values.ts';

interface Evaluating {
  budget: Budget;
  evaluate(node: Expression, scope: Scope): Value;
}

export function bind(pattern: Pattern, value: Value, scope: Scope, evaluator: Evaluating): void {
  evaluator.budget.step();
  switch (pattern.type) {
    case 'Identifier':
      scope.define(pattern.name, value);
      return;
    case 'AssignmentPattern': {
      const chosen = value === undefined ? evaluator.evaluate(pattern.right, scope) : value;
      bind(pattern.left, chosen, scope, evaluator);
      return;
    }
    case 'ArrayPattern':
      if (!Array.isArray(value)) return unsupported('destructuring this value');
      evaluator.budget.cells(value.length);
      pattern.elements.forEach((element, index) => {
        if (element?.type === 'RestElement') bind(element.argument, value.slice(index), scope, evaluator);
        else if (element) bind(element, value[index], scope, evaluator);
      });
      return;
    case 'ObjectPattern':
      bindObject(pattern.properties, value, scope, evaluator);
      return;
    default:
      return unsupported(`JavaScript syntax ${pattern.type}`);
  }
}

function bindObject(
  properties: Extract<Pattern, { type: 'ObjectPattern' }>['properties'],
  value: Value,
  scope: Scope,
  evaluator: Evaluating,
): void {
  if (!(value instanceof ObjectValue)) return unsupported('destructuring this value');
  const taken = new Set<string>();
  for (const property of properties) {
    if (property.type === 'RestElement') {
      evaluator.budget.cells(value.entries.size);
      const rest = [...value.entries].filter(([key]) => !taken.has(key));
      bind(property.argument, new ObjectValue(rest), scope, evaluator);
      continue;
    }
    const key = propertyKey(property.key, property.computed, scope, evaluator);
    taken.add(key);
    bind(property.value, readProperty(value, key), scope, evaluator);
  }
}

export function propertyKey(key: Expression, computed: boolean, scope: Scope, evaluator: Evaluating): string {
  if (!computed && key.type === 'Identifier') return key.name;
  if (!computed && key.type === 'Literal') return String(key.value);
  const value = evaluator.evaluate(key, scope);
  return isObject(value) ? unsupported('this kind of key') : textOf(value);
}

/** A block-scoped name exists from the start of its block without a value. */
export function reserve(name: string, scope: Scope): void {
  scope.defineLazily(name, () => unsupported(`"${name}" before its line`));
}

export function namesIn(pattern: Pattern): string[] {
  switch (pattern.type) {
    case 'Identifier':
      return [pattern.name];
    case 'AssignmentPattern':
      return namesIn(pattern.left);
    case 'RestElement':
      return namesIn(pattern.argument);
    case 'ArrayPattern':
      return pattern.elements.flatMap((element) => (element ? namesIn(element) : []));
    case 'ObjectPattern':
      return pattern.properties.flatMap((property) =>
        namesIn(property.type === 'RestElement' ? property.argument : property.value),
      );
    default:
      return unsupported(`JavaScript syntax ${pattern.type}`);
  }
}

export function spreadInto(object: ObjectValue, value: Value, budget: Budget): void {
  if (value === null || value === undefined || value === false) return;
  if (!(value instanceof ObjectValue)) return unsupported('spreading this value');
  budget.cells(value.entries.size);
  for (const [key, item] of value.entries) object.entries.set(key, item);
}
