/**
 * Builds the view of an operation, webhook or schema. Invalid parts of the document are omitted; nothing throws
 * and every list is bounded.
 */
import { asList, asObject, asText, at } from '../config/json.ts';
import { contentExamples, fieldText } from './examples.ts';
import { sampleOf } from './examples-sample.ts';
import { mergedSchema } from './merge.ts';
import { resolve, resolvedEntries } from './references.ts';
import { type Direction, type SchemaBudget, newSchemaBudget, schemaView } from './schema.ts';
import { examplesOf } from './schema-description.ts';
import { securityView } from './security.ts';
import { serverViews } from './servers.ts';
import type {
  BodyView,
  CallbackView,
  CodeSample,
  ContentView,
  ExampleView,
  OperationView,
  ParameterView,
  ResponseView,
  SchemaView,
} from './view.ts';
import type { ApiTarget, SpecDocument } from '../model/site-plan.ts';

const maxParameters = 300;
const maxResponses = 60;
const maxContents = 20;
const maxCallbacks = 20;
const maxSamples = 40;
const METHODS: readonly string[] = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

export interface PageLimits {
  maxNodes?: number;
  reportCut?: () => void;
}

export type OperationTarget = Extract<ApiTarget, { kind: 'operation' | 'webhook' }>;

export function operationView(
  document: SpecDocument,
  target: OperationTarget,
  limits: PageLimits = {},
): OperationView | undefined {
  const found = findOperation(document, target);
  if (!found) return undefined;
  const name = target.kind === 'operation' ? found.path : target.name;
  const budget = newSchemaBudget(document, limits.maxNodes);
  const view = viewOf(budget, target.kind, found.method, name, found.pathItem, found.operation);
  if (budget.isSpent) limits.reportCut?.();
  return view;
}

export interface SchemaPageView {
  name: string;
  schema: SchemaView;
  example?: string;
}

export function schemaPageView(
  document: SpecDocument,
  name: string,
  limits: PageLimits = {},
): SchemaPageView | undefined {
  const schema = at(document, 'components', 'schemas', name);
  if (schema === undefined) return undefined;
  const budget = newSchemaBudget(document, limits.maxNodes);
  const reference = {
    $ref: `#/components/schemas/${name.replaceAll('~', '~0').replaceAll('/', '~1').replaceAll('%', '%25')}`,
  };
  const [example] = contentExamples(budget, { schema: reference }, 'application/json', 'both');
  const view = schemaView(document, reference, 'both', budget);
  if (budget.isSpent) limits.reportCut?.();
  return {
    name,
    schema: view,
    ...(example ? { example: example.text } : {}),
  };
}

export interface FoundOperation {
  /** Spelled as in the document; a trailing slash may differ from the reference. */
  path: string;
  method: string;
  pathItem: unknown;
  operation: unknown;
}

export function findOperation(document: SpecDocument, target: OperationTarget): FoundOperation | undefined {
  const method = target.method.toLowerCase();
  const isPath = target.kind === 'operation';
  const written = isPath ? target.path : target.name;
  const other = written.endsWith('/') ? written.slice(0, -1) : `${written}/`;
  for (const path of isPath ? [written, other] : [written]) {
    const pathItem = resolve(document, at(document, isPath ? 'paths' : 'webhooks', path));
    const methods = isPath || METHODS.includes(method) ? [method] : METHODS;
    for (const candidate of methods) {
      const operation = METHODS.includes(candidate) ? resolve(document, at(pathItem, candidate)) : undefined;
      if (asObject(operation)) return { path, method: candidate, pathItem, operation };
    }
  }
  return undefined;
}

function viewOf(
  budget: SchemaBudget,
  kind: OperationView['kind'],
  method: string,
  path: string,
  pathItem: unknown,
  operation: unknown,
  isCallback = false,
): OperationView {
  const { document } = budget;
  // The service sends webhooks and callbacks, so the read and write directions do not apply.
  const isSentByService = kind === 'webhook' || isCallback;
  const body = bodyView(budget, at(operation, 'requestBody'), isSentByService ? 'response' : 'request');
  const docsUrl = asText(at(operation, 'externalDocs', 'url'));
  return {
    kind,
    method: method.toUpperCase(),
    path,
    summary: asText(at(operation, 'summary')) ?? asText(at(pathItem, 'summary')) ?? '',
    description: asText(at(operation, 'description')) ?? asText(at(pathItem, 'description')) ?? '',
    deprecated: at(operation, 'deprecated') === true,
    servers: isSentByService ? [] : serverViews(operation, pathItem, document),
    security: isCallback ? [] : securityView(document, operation),
    parameters: parameterViews(budget, pathItem, operation),
    ...(body ? { body } : {}),
    responses: responseViews(budget, at(operation, 'responses'), isSentByService ? 'request' : 'response'),
    callbacks: isCallback ? [] : callbackViews(budget, operation),
    ownSamples: ownSamples(operation),
    ...(docsUrl
      ? {
          externalDocs: {
            url: docsUrl,
            description: asText(at(operation, 'externalDocs', 'description')) ?? '',
          },
        }
      : {}),
  };
}

/** Operation parameters override path parameters with the same name and location, in place. */
function parameterViews(budget: SchemaBudget, pathItem: unknown, operation: unknown): ParameterView[] {
  const byPlace = new Map<string, unknown>();
  for (const owner of [pathItem, operation]) {
    for (const item of asList(at(owner, 'parameters')).slice(0, maxParameters)) {
      const parameter = resolve(budget.document, item);
      byPlace.set(`${String(at(parameter, 'in'))} ${String(at(parameter, 'name'))}`, parameter);
    }
  }
  return [...byPlace.values()].flatMap((parameter) => {
    const place = (['path', 'query', 'header', 'cookie'] as const).find(
      (name) => name === at(parameter, 'in'),
    );
    const name = asText(at(parameter, 'name'));
    return place && name ? [parameterView(budget, parameter, name, place, 'request')] : [];
  });
}

function parameterView(
  budget: SchemaBudget,
  parameter: unknown,
  name: string,
  place: ParameterView['in'],
  direction: Direction,
): ParameterView {
  const content = Object.values(asObject(at(parameter, 'content')) ?? {})[0];
  const schema = at(parameter, 'schema') ?? at(content, 'schema');
  const view = schemaView(budget.document, schema, direction, budget);
  const style =
    asText(at(parameter, 'style')) ?? (place === 'query' || place === 'cookie' ? 'form' : 'simple');
  const explode = at(parameter, 'explode');
  const example = parameterExample(budget, parameter, schema);
  const ownDescription = asText(at(parameter, 'description'));
  return {
    name,
    in: place,
    required: place === 'path' || at(parameter, 'required') === true,
    deprecated: at(parameter, 'deprecated') === true || view.deprecated,
    description: ownDescription ?? view.description,
    schema:
      ownDescription === undefined || ownDescription === view.description
        ? { ...view, description: '' }
        : view,
    ...(example === undefined ? {} : { example: fieldText(example) }),
    style,
    explode: typeof explode === 'boolean' ? explode : style === 'form',
  };
}

/** Only given examples: a generated value in a URL would look real. */
function parameterExample(budget: SchemaBudget, parameter: unknown, schema: unknown): unknown {
  const single = at(parameter, 'example');
  if (single !== undefined) return single;
  const several = resolve(budget.document, at(parameter, 'examples'));
  const [first] = Array.isArray(several)
    ? (several as unknown[])
    : resolvedEntries(budget.document, several).map(([, example]) => at(example, 'value'));
  if (first !== undefined) return first;
  const merged = mergedSchema(budget, schema);
  const [ofSchema] = examplesOf(merged);
  if (ofSchema !== undefined) return ofSchema;
  const items = merged.keywords.get('items');
  return items !== undefined && examplesOf(mergedSchema(budget, items)).length > 0
    ? sampleOf(budget, schema, 'request')
    : undefined;
}

function bodyView(budget: SchemaBudget, value: unknown, direction: Direction): BodyView | undefined {
  const body = resolve(budget.document, value);
  if (!asObject(body)) return undefined;
  return {
    required: at(body, 'required') === true,
    description: asText(at(body, 'description')) ?? '',
    contents: contentViews(budget, at(body, 'content'), direction),
  };
}

function contentViews(budget: SchemaBudget, content: unknown, direction: Direction): ContentView[] {
  return resolvedEntries(budget.document, content)
    .slice(0, maxContents)
    .map(([type, media]) => {
      const schema = at(media, 'schema');
      return {
        type,
        ...(schema === undefined ? {} : { schema: schemaView(budget.document, schema, direction, budget) }),
        examples: examplesWithin(budget, contentExamples(budget, media, type, direction)),
      };
    });
}

function examplesWithin(budget: SchemaBudget, examples: ExampleView[]): ExampleView[] {
  return examples.filter(({ text }) => {
    budget.exampleCharacters -= text.length;
    return budget.exampleCharacters >= 0;
  });
}

/** Successful responses first, then document order. */
function responseViews(budget: SchemaBudget, responses: unknown, direction: Direction): ResponseView[] {
  const entries = resolvedEntries(budget.document, responses).filter(([status]) =>
    /^([1-5](\d\d|XX|xx)|default)$/.test(status),
  );
  const isGood = ([status]: [string, unknown]) => status.startsWith('2');
  const sorted = [...entries.filter(isGood), ...entries.filter((entry) => !isGood(entry))];
  return sorted.slice(0, maxResponses).map(([status, response]) => ({
    status: status.toUpperCase() === 'DEFAULT' ? 'default' : status.toUpperCase(),
    description: asText(at(response, 'description')) ?? '',
    headers: resolvedEntries(budget.document, at(response, 'headers'))
      .slice(0, maxParameters)
      .map(([name, header]) => parameterView(budget, header, name, 'header', direction)),
    contents: contentViews(budget, at(response, 'content'), direction),
  }));
}

function callbackViews(budget: SchemaBudget, operation: unknown): CallbackView[] {
  const views: CallbackView[] = [];
  for (const [name, callback] of resolvedEntries(budget.document, at(operation, 'callbacks'))) {
    for (const [url, pathItem] of resolvedEntries(budget.document, callback)) {
      for (const method of METHODS) {
        const inner = resolve(budget.document, at(pathItem, method));
        if (!asObject(inner)) continue;
        if (views.length >= maxCallbacks) return views;
        views.push({ name, url, operation: viewOf(budget, 'operation', method, url, pathItem, inner, true) });
      }
    }
  }
  return views;
}

function ownSamples(operation: unknown): CodeSample[] {
  const samples = asList(at(operation, 'x-codeSamples') ?? at(operation, 'x-code-samples'));
  return samples.slice(0, maxSamples).flatMap((sample) => {
    const language = asText(at(sample, 'lang')) ?? asText(at(sample, 'label'));
    const code = asText(at(sample, 'source'));
    if (!language || !code) return [];
    return [{ language: language.toLowerCase(), label: asText(at(sample, 'label')) ?? language, code }];
  });
}
