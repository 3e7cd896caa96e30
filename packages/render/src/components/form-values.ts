/**
 * Form elements as React means them: what is chosen or typed is a property of the element (`value`, `defaultValue`,
 * `defaultChecked`), while HTML writes it as content or on the option. Everything else is left as it is.
 */
import { ObjectValue, type Value } from '../evaluate/values.ts';
import type { Child, ElementCall } from './contract.ts';
import { Props } from './props.ts';

export function withFormValues(call: ElementCall): ElementCall {
  const { name, props } = call;
  if (name !== 'input' && name !== 'select' && name !== 'textarea') return call;
  const value = props.has('value') ? props.value('value') : props.value('defaultValue');
  const checked = props.has('checked') ? props.value('checked') : props.value('defaultChecked');
  const own = [...props.without('value', 'defaultValue', 'checked', 'defaultChecked').values.entries];
  if (name === 'input') {
    if (value !== undefined && value !== null) own.push(['value', value]);
    if (checked !== undefined) own.push(['checked', checked]);
    return { ...call, props: new Props(new ObjectValue(own)) };
  }
  const bare = { ...call, props: new Props(new ObjectValue(own)) };
  if (value === undefined || value === null) return bare;
  if (name === 'textarea') return { ...bare, children: [{ kind: 'text', text: textOf(value) }] };
  const chosen = new Set((Array.isArray(value) ? value : [value]).map(textOf));
  return { ...bare, children: bare.children.map((child) => withChoice(child, chosen)) };
}

function withChoice(child: Child, chosen: ReadonlySet<string>): Child {
  if (child.kind !== 'element') return child;
  const { call } = child;
  if (call.name === 'optgroup') {
    const children = call.children.map((inner) => withChoice(inner, chosen));
    return { kind: 'element', call: { ...call, children } };
  }
  const value = call.props.has('value') ? textOf(call.props.value('value')) : labelOf(call.children);
  if (call.name !== 'option' || !chosen.has(value)) return child;
  const props = new Props(new ObjectValue([...call.props.values.entries, ['selected', true]]));
  return { kind: 'element', call: { ...call, props } };
}

function labelOf(children: readonly Child[]): string {
  return children.map((child) => (child.kind === 'text' ? child.text : '')).join('');
}

function textOf(value: Value): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
