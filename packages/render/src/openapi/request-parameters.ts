/** Serializes parameter values by `style` and `explode`. */
import { asObject } from '../config/json.ts';
import { fieldText } from './examples.ts';
import type { ParameterView } from './view.ts';

/** For path, header and cookie parameters. */
export function pathText(parameter: ParameterView, otherwise: string): string {
  const value = valueOf(parameter);
  if (value === undefined) return otherwise;
  if (Array.isArray(value)) return value.map(fieldText).join(',');
  const object = asObject(value);
  if (!object) return fieldText(value);
  const separator = parameter.explode ? '=' : ',';
  return Object.entries(object)
    .map(([key, item]) => `${key}${separator}${fieldText(item)}`)
    .join(',');
}

/** A missing value is shown as `<name>`, unencoded because it is a placeholder. */
export function queryPairs(parameter: ParameterView): string[] {
  const { name, style, explode } = parameter;
  const value = valueOf(parameter);
  const pair = (key: string, item: unknown) => `${encoded(key)}=${encoded(fieldText(item))}`;
  if (value === undefined) return [`${encoded(name)}=<${name}>`];
  if (Array.isArray(value)) {
    if (explode && (style === 'form' || style === 'deepObject')) return value.map((item) => pair(name, item));
    const separator = style === 'spaceDelimited' ? '%20' : style === 'pipeDelimited' ? '|' : ',';
    return [`${encoded(name)}=${value.map((item) => encoded(fieldText(item))).join(separator)}`];
  }
  const object = asObject(value);
  if (!object) return [pair(name, value)];
  const entries = Object.entries(object);
  if (style === 'deepObject')
    return entries.map(([key, item]) => `${encoded(name)}[${encoded(key)}]=${encoded(fieldText(item))}`);
  if (explode) return entries.map(([key, item]) => pair(key, item));
  return [
    `${encoded(name)}=${entries.map(([key, item]) => `${encoded(key)},${encoded(fieldText(item))}`).join(',')}`,
  ];
}

export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** The example, else the first allowed value. */
function valueOf(parameter: ParameterView): unknown {
  const { schema } = parameter;
  if (parameter.example === undefined)
    return parsedJson(schema.const ?? schema.default ?? schema.enum[0]?.value ?? '');
  const isStructured = /\]$|\] \||^object/.test(schema.type);
  return isStructured ? (parsedJson(parameter.example) ?? parameter.example) : parameter.example;
}

/** Lone surrogates cannot be percent-encoded and are replaced first. */
export function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
