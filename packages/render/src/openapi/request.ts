/**
 * The request of an operation: as data for the request form (`requestModel`) and filled with examples for code
 * samples (`sampleRequest`).
 */
import { fieldText, isJson } from './examples.ts';
import {
  type FormField,
  type SampleBody,
  chosenContent,
  formFields,
  isForm,
  sampleBody,
} from './request-body.ts';
import { encoded, parsedJson, pathText, queryPairs } from './request-parameters.ts';
import { initialUrl } from './servers.ts';
import type { OperationView, ParameterView, SecuritySchemeView, ServerView } from './view.ts';

/** Embedded in the page as JSON. */
export interface RequestModel {
  method: string;
  /** With `{name}` for parameters. */
  path: string;
  servers: ServerView[];
  parameters: ParameterField[];
  security: SecurityField[][];
  bodies: BodyField[];
}

export interface ParameterField {
  name: string;
  in: ParameterView['in'];
  required: boolean;
  type: string;
  initial: string;
  example: string;
  choices: string[];
  style: string;
  explode: boolean;
}

export interface SecurityField {
  id: string;
  type: SecuritySchemeView['type'];
  scheme: string;
  in: SecuritySchemeView['in'];
  parameter: string;
  initial: string;
}

export interface BodyField {
  type: string;
  /** Empty for forms and files. */
  initial: string;
  fields: FormField[];
}

export function requestModel(view: OperationView): RequestModel {
  return {
    method: view.method,
    path: view.path,
    servers: view.servers,
    parameters: view.parameters.map((parameter) => ({
      name: parameter.name,
      in: parameter.in,
      required: parameter.required,
      type: parameter.schema.type,
      initial: parameter.schema.prefill ?? valueOfJson(parameter.schema.const ?? parameter.schema.default),
      example: parameter.example ?? '',
      choices: parameter.schema.enum.map(({ value }) => valueOfJson(value)),
      style: parameter.style,
      explode: parameter.explode,
    })),
    security: view.security.map((schemes) =>
      schemes.map(({ id, type, scheme, in: place, parameter, prefill }) => ({
        id,
        type,
        scheme,
        in: place,
        parameter,
        initial: prefill ?? '',
      })),
    ),
    bodies: (view.body?.contents ?? []).map((content) => {
      const fields = isForm(content.type) ? formFields(content) : [];
      return {
        type: content.type,
        initial: fields.length > 0 ? '' : (content.examples[0]?.text ?? ''),
        fields,
      };
    }),
  };
}

/** Complete except for placeholders such as `<token>`. */
export interface SampleRequest {
  method: string;
  url: string;
  headers: [name: string, value: string][];
  body: SampleBody | undefined;
  answersJson: boolean;
}

export function sampleRequest(view: OperationView, onlyRequired: boolean): SampleRequest {
  const sent = view.parameters.filter((parameter) => isSent(parameter, onlyRequired));
  const schemes = (view.security.find((alternative) => alternative.length > 0) ?? []).filter(
    ({ type }) => type !== 'mutualTLS',
  );
  const content = chosenContent(view);
  const body = content ? sampleBody(content, onlyRequired) : undefined;
  const headers = [
    ...schemes.flatMap((scheme) => (scheme.in === 'header' ? [[scheme.parameter, credentials(scheme)]] : [])),
    ...sent.flatMap((parameter) =>
      parameter.in === 'header' ? [[parameter.name, pathText(parameter, `<${parameter.name}>`)]] : [],
    ),
    ...(content && body && body.kind !== 'multipart' ? [['Content-Type', content.type]] : []),
    ...cookieHeader(sent, schemes),
  ] as [string, string][];
  return {
    method: view.method,
    url: sampleUrl(view, sent, schemes),
    headers: withoutRepeats(headers.filter(([name]) => isHeaderName(name))),
    body,
    answersJson: view.responses[0]?.contents.some(({ type }) => isJson(type)) ?? false,
  };
}

/** Optional parameters are sent when the specification gives a value. */
function isSent(parameter: ParameterView, onlyRequired: boolean): boolean {
  return parameter.required || (!onlyRequired && parameter.example !== undefined && !parameter.deprecated);
}

function sampleUrl(view: OperationView, sent: ParameterView[], schemes: SecuritySchemeView[]): string {
  const base = view.kind === 'webhook' ? '' : initialUrl(view.servers[0]);
  let path = view.kind === 'webhook' ? '/' : view.path;
  for (const parameter of view.parameters) {
    if (parameter.in !== 'path') continue;
    const text = pathText(parameter, '');
    if (text !== '') path = path.replaceAll(`{${parameter.name}}`, () => encoded(text));
  }
  const pairs = [
    ...sent.flatMap((parameter) => (parameter.in === 'query' ? queryPairs(parameter) : [])),
    ...schemes.flatMap((scheme) => (scheme.in === 'query' ? [`${encoded(scheme.parameter)}=<api-key>`] : [])),
  ];
  const query = pairs.length === 0 ? '' : `${path.includes('?') ? '&' : '?'}${pairs.join('&')}`;
  const hasHost = /^[a-z][a-z\d+.-]*:\/\//i.test(base) || base.startsWith('{');
  const origin = hasHost
    ? base
    : `https://example.com${base === '' || base.startsWith('/') ? base : `/${base}`}`;
  return `${origin}${path.startsWith('/') ? path : `/${path}`}${query}`;
}

function credentials(scheme: SecuritySchemeView): string {
  if (scheme.type === 'apiKey') return '<api-key>';
  if (scheme.type !== 'http' || scheme.scheme === 'bearer') return 'Bearer <token>';
  if (scheme.scheme === 'basic') return 'Basic <credentials>';
  return `${scheme.scheme.slice(0, 1).toUpperCase()}${scheme.scheme.slice(1)} <credentials>`;
}

function cookieHeader(sent: ParameterView[], schemes: SecuritySchemeView[]): [string, string][] {
  const cookies = [
    ...schemes.flatMap((scheme) => (scheme.in === 'cookie' ? [`${scheme.parameter}=<api-key>`] : [])),
    ...sent.flatMap((parameter) =>
      parameter.in === 'cookie' ? [`${parameter.name}=${pathText(parameter, `<${parameter.name}>`)}`] : [],
    ),
  ];
  return cookies.length > 0 ? [['Cookie', cookies.join('; ')]] : [];
}

/** Names are inserted into code and must be valid header names. */
function isHeaderName(name: string): boolean {
  return /^[\w!#$%&'*+.^`|~-]{1,200}$/.test(name);
}

function withoutRepeats(headers: [string, string][]): [string, string][] {
  const seen = new Set<string>();
  return headers.filter(([name]) => !seen.has(name.toLowerCase()) && seen.add(name.toLowerCase()));
}

function valueOfJson(text: string | undefined): string {
  return text === undefined ? '' : fieldText(parsedJson(text) ?? text);
}
