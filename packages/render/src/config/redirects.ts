/**
 * Reads the redirects of the configuration. A redirect with an optional parameter becomes two: with and without
 * the parameter.
 */
import { asList, at, textAt } from './json.ts';
import type { JsonObject } from '../model/json.ts';
import type { Redirect } from '../model/site-plan.ts';

/** Each doubles the number of redirects. */
const maxOptional = 4;
const optionalParameter = /:([A-Za-z]\w*)\*?\?/;

export function readRedirects(config: JsonObject): Redirect[] {
  return asList(config['redirects']).flatMap((item, index) => {
    const source = textAt(item, 'source');
    const destination = textAt(item, 'destination');
    if (!source || !destination) return [];
    const permanent = at(item, 'permanent') !== false;
    return withoutOptional(plainModifiers(source), plainModifiers(destination), maxOptional).map((ends) => ({
      ...ends,
      permanent,
      index,
    }));
  });
}

/** `:name+` and `:name(.*)` match the rest of the path, as `:name*` does. */
function plainModifiers(pattern: string): string {
  return pattern.replaceAll(/(:[A-Za-z]\w*)(?:\+|\(\.\*\))/g, '$1*');
}

function withoutOptional(
  source: string,
  destination: string,
  left: number,
): Pick<Redirect, 'source' | 'destination'>[] {
  const name = left > 0 ? optionalParameter.exec(source)?.[1] : undefined;
  if (name === undefined) return [{ source, destination }];
  const pick = (replace: (pattern: string, isSource: boolean) => string) =>
    withoutOptional(replace(source, true), replace(destination, false), left - 1);
  return [
    ...pick((pattern, isSource) => required(pattern, name, isSource)),
    ...pick((pattern) => omitted(pattern, name)),
  ];
}

/** In a destination, `?` may start a query. */
function required(pattern: string, name: string, isSource: boolean): string {
  const end = isSource ? '' : '(?=[/#]|$)';
  return pattern.replace(new RegExp(`:${name}(\\*?)\\?${end}`), `:${name}$1`);
}

/** A segment that consists of the parameter is removed together with its slash. */
function omitted(pattern: string, name: string): string {
  const parameter = String.raw`:${name}(?![\w])\*?(?:\?(?=[/#]|$))?`;
  const text = pattern
    .replace(new RegExp(String.raw`/${parameter}(?=[/?#]|$)`), '')
    .replace(new RegExp(parameter), '');
  return text === '' ? '/' : text;
}
