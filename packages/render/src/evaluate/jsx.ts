import type { Expression, JSXAttribute, JSXElement, JSXFragment } from 'estree-jsx';
import { spreadInto } from './binding.ts';
import type { Budget } from './budget.ts';
import { readProperty, unsupported } from './methods.ts';
import { literal } from './operators.ts';
import {
  ElementValue,
  Foreign,
  FunctionValue,
  ObjectValue,
  type Scope,
  UnsupportedError,
  type Value,
  isFunction,
} from './values.ts';

interface JsxEvaluator {
  readonly budget: Budget;
  liveParts: number;
  evaluate(node: Expression, scope: Scope): Value;
}

export function jsxName(name: JSXElement['openingElement']['name']): string {
  if (name.type === 'JSXIdentifier') return name.name;
  if (name.type === 'JSXMemberExpression') return `${jsxName(name.object)}.${name.property.name}`;
  return `${name.namespace.name}:${name.name.name}`;
}

export function attributeName({ name }: JSXAttribute): string {
  return name.type === 'JSXIdentifier' ? name.name : `${name.namespace.name}:${name.name.name}`;
}

export function jsxText(text: string): string {
  const lines = text.split('\n');
  return lines
    .map((line, index) => {
      let kept = line.replaceAll('\t', ' ');
      if (index > 0) kept = kept.replace(/^ +/, '');
      if (index < lines.length - 1) kept = kept.replace(/ +$/, '');
      return kept;
    })
    .filter((line) => line !== '')
    .join(' ');
}

export function jsxElement(node: JSXElement, scope: Scope, evaluator: JsxEvaluator): ElementValue {
  const props = new ObjectValue();
  for (const attribute of node.openingElement.attributes) {
    if (attribute.type === 'JSXSpreadAttribute')
      spreadInto(props, evaluator.evaluate(attribute.argument, scope), evaluator.budget);
    else props.entries.set(attributeName(attribute), attributeValue(attribute, scope, evaluator));
  }
  for (const [name, value] of props.entries)
    if (/^on[A-Z]/.test(name) && isFunction(value)) evaluator.liveParts++;
  const type = elementType(jsxName(node.openingElement.name), scope);
  const children = jsxChildren(node, scope, evaluator);
  // Children between the tags override a `children` property.
  const given = props.get('children');
  props.entries.delete('children');
  // React reserves these.
  props.entries.delete('key');
  if (typeof type === 'string') props.entries.delete('ref');
  return new ElementValue(type, props, children.length > 0 || given === undefined ? children : [given]);
}

function attributeValue({ value }: JSXAttribute, scope: Scope, evaluator: JsxEvaluator): Value {
  if (value === null) return true;
  if (value.type === 'Literal') return literal(value.value);
  if (value.type !== 'JSXExpressionContainer') return evaluator.evaluate(value, scope);
  return value.expression.type === 'JSXEmptyExpression'
    ? undefined
    : evaluator.evaluate(value.expression, scope);
}

export function jsxChildren(node: JSXElement | JSXFragment, scope: Scope, evaluator: JsxEvaluator): Value[] {
  return node.children.flatMap((child): Value[] => {
    evaluator.budget.step();
    switch (child.type) {
      case 'JSXText': {
        const text = jsxText(child.value);
        return text === '' ? [] : [text];
      }
      case 'JSXExpressionContainer':
        return child.expression.type === 'JSXEmptyExpression'
          ? []
          : [evaluator.evaluate(child.expression, scope)];
      case 'JSXElement':
      case 'JSXFragment':
        return [evaluator.evaluate(child, scope)];
      default:
        return unsupported('spread children');
    }
  });
}

/** A name defined on the page takes precedence over a built-in component, as in a module. */
export function elementType(name: string, scope: Scope): ElementValue['type'] {
  if (!/^[A-Z]/.test(name) || !scope.has(name.split('.', 1)[0] ?? ''))
    return name.replace(/^MintlifyComponents\./, '');
  const [first = '', ...rest] = name.split('.');
  const value = rest.reduce((current: Value, key) => readProperty(current, key), scope.get(first));
  if (value instanceof FunctionValue || value instanceof Foreign) return value;
  throw new UnsupportedError(`<${name}> is not a component`);
}
