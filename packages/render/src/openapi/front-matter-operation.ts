/**
 * Builds the view of an operation declared in front matter (`api:`), from the fields in the page's text and the
 * site's API settings.
 */
import type { NotedField } from '../page/collector.ts';
import { fieldText, mediaOf } from './examples.ts';
import type { ContentView, OperationView, ParameterView, SchemaView, SecuritySchemeView } from './view.ts';
import type { ApiSettings, FrontMatterOperation } from '../model/site-plan.ts';

export function frontMatterOperationView(
  { method, url, authMethod, contentType = 'application/json' }: FrontMatterOperation,
  fields: readonly NotedField[],
  { servers, auth: siteAuth }: ApiSettings['frontMatterDefaults'],
): OperationView {
  /** The configured header name applies to the configured method only. */
  const auth =
    authMethod === undefined || authMethod === siteAuth?.method ? siteAuth : { method: authMethod, name: '' };
  const whole = /^(https?:\/\/[^/?#]+)(.*)$/i.exec(url);
  const path = (whole ? whole[2] || '/' : url).replaceAll(/\/:([A-Za-z_]\w*)/g, '/{$1}');
  const origins = whole ? [whole[1] ?? ''] : servers;
  const content = bodyContent(
    fields.filter(({ place }) => place === 'body'),
    contentType,
  );
  return {
    kind: 'operation',
    method: method.toUpperCase(),
    path: path.startsWith('/') ? path : `/${path}`,
    summary: '',
    description: '',
    deprecated: false,
    servers: origins.map((origin) => ({ url: origin.replace(/\/+$/, ''), description: '', variables: [] })),
    security: auth && auth.method !== 'none' ? [[securityOf(auth)]] : [],
    parameters: fields.flatMap(parameterOf),
    ...(content ? { body: { required: true, description: '', contents: [content] } } : {}),
    responses: [],
    callbacks: [],
    ownSamples: [],
  };
}

function securityOf({
  method,
  name,
}: NonNullable<ApiSettings['frontMatterDefaults']['auth']>): SecuritySchemeView {
  const isKey = method === 'key' || method === 'cobo';
  return {
    id: name || method,
    type: isKey ? 'apiKey' : 'http',
    in: 'header',
    parameter: isKey ? name || 'x-api-key' : 'Authorization',
    scheme: isKey ? '' : method,
    description: '',
    scopes: [],
    flows: [],
  };
}

const parameterPlaces = ['path', 'query', 'header', 'cookie'] as const;

function parameterOf(field: NotedField): ParameterView[] {
  const place = parameterPlaces.find((name) => name === field.place);
  if (!place || !field.name) return [];
  const example = field.example ?? field.initial;
  return [
    {
      name: field.name,
      in: place,
      required: field.required || place === 'path',
      deprecated: false,
      description: '',
      schema: schemaOf(field),
      ...(example === undefined ? {} : { example }),
      style: place === 'query' || place === 'cookie' ? 'form' : 'simple',
      explode: place === 'query' || place === 'cookie',
    },
  ];
}

function bodyContent(fields: readonly NotedField[], type: string): ContentView | undefined {
  const named = fields.filter(({ name }) => name !== '');
  if (named.length === 0) return undefined;
  const sample = sampleObject(named, 0);
  const text =
    mediaOf(type) === 'application/x-www-form-urlencoded'
      ? new URLSearchParams(
          Object.entries(sample).map(([name, value]) => [name, fieldText(value)]),
        ).toString()
      : JSON.stringify(sample, null, 2);
  return {
    type,
    schema: { ...schemaOf(undefined), type: 'object', properties: named.map(propertyOf) },
    examples: [{ name: '', summary: '', isGenerated: true, language: 'json', text }],
  };
}

function propertyOf(field: NotedField): SchemaView['properties'][number] {
  return { name: field.name, required: field.required, schema: schemaOf(field) };
}

function schemaOf(field: NotedField | undefined): SchemaView {
  return {
    type: field?.type ?? 'object',
    title: '',
    description: '',
    deprecated: false,
    readOnly: false,
    writeOnly: false,
    ...(field?.initial === undefined ? {} : { default: field.initial }),
    enum: [],
    examples: field?.example === undefined ? [] : [field.example],
    constraints: [],
    pre: [],
    post: [],
    properties: field?.fields.filter(({ name }) => name !== '').map(propertyOf) ?? [],
    additional: [],
    isCut: false,
  };
}

const maxDepth = 6;

function sampleObject(fields: readonly NotedField[], depth: number): Record<string, unknown> {
  const known = fields.filter(({ name }) => name !== '__proto__');
  return Object.fromEntries(known.map((field) => [field.name, sampleValue(field, depth)]));
}

function sampleValue({ type, example, initial, fields }: NotedField, depth: number): unknown {
  const kind = type.toLowerCase();
  const given = example ?? initial;
  if (given !== undefined) return /^(?:string|enum)/.test(kind) ? given : jsonOr(given);
  const inside = fields.length > 0 && depth < maxDepth ? sampleObject(fields, depth + 1) : undefined;
  if (/\[\]$|^(?:array|list)/.test(kind)) return inside ? [inside] : [];
  if (inside) return inside;
  if (/^(?:int|num|float|double)/.test(kind)) return 123;
  if (kind.startsWith('bool')) return true;
  return /^(?:object|map|record)/.test(kind) ? {} : '<string>';
}

function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
