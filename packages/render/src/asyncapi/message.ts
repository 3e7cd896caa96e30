/**
 * Builds the view of one message: headers, payload and examples. Payloads in other schema formats are shown as
 * source.
 */
import { asList, asObject, asText, at, textAt } from '../config/json.ts';
import { jsonText } from '../openapi/examples-json.ts';
import { contentExamples } from '../openapi/examples.ts';
import { resolve } from '../openapi/references.ts';
import { type SchemaBudget, schemaView } from '../openapi/schema.ts';
import { notesView } from './notes.ts';
import { withTraits } from './traits.ts';
import type { MessageExampleView, MessageView } from './view.ts';
import type { JsonObject } from '../model/json.ts';

const maxExamples = 10;
const maxSourceLength = 50_000;

export function messageView(budget: SchemaBudget, name: string, value: unknown): MessageView {
  const { document } = budget;
  const message = withTraits(document, value);
  const contentType =
    textAt(message, 'contentType') ?? textAt(document, 'defaultContentType') ?? 'application/json';
  const headers = schemaOf(budget, message['headers']);
  const payload = schemaOf(budget, message['payload']);
  const correlation = resolve(document, message['correlationId']);
  const location = textAt(correlation, 'location');
  return {
    name,
    title: textAt(message, 'title') ?? textAt(message, 'name') ?? name,
    description: [textAt(message, 'summary'), textAt(message, 'description')].filter(Boolean).join('\n\n'),
    contentType,
    roles: [],
    ...('schema' in headers ? { headers: schemaView(document, headers.schema, 'both', budget) } : {}),
    ...('schema' in payload ? { payload: schemaView(document, payload.schema, 'both', budget) } : {}),
    ...('source' in payload ? { payloadSource: payload.source } : {}),
    examples: examplesOf(budget, message, contentType, payload),
    ...(location === undefined
      ? {}
      : { correlationId: { location, description: textAt(correlation, 'description') ?? '' } }),
    notes: notesView(budget, message),
  };
}

type Payload = { schema: unknown } | { source: NonNullable<MessageView['payloadSource']> } | { none: true };

const jsonSchemaFormats = /^application\/(?:vnd\.aai\.asyncapi|vnd\.oai\.openapi|schema(?:\+|;|$)|json$)/;
const schemaKeywords = ['type', 'properties', 'items', 'oneOf', 'anyOf', 'allOf', 'enum', 'const', '$ref'];

/** A multi-format schema wraps the schema with its format; some documents omit the format. */
function schemaOf(budget: SchemaBudget, value: unknown): Payload {
  if (value === undefined) return { none: true };
  const wrapped = asObject(resolve(budget.document, value));
  const isWrapped =
    wrapped !== undefined &&
    Object.hasOwn(wrapped, 'schema') &&
    !schemaKeywords.some((keyword) => Object.hasOwn(wrapped, keyword));
  if (!isWrapped) return { schema: value };
  const format = textAt(wrapped, 'schemaFormat');
  if (format === undefined || jsonSchemaFormats.test(format)) return { schema: wrapped['schema'] };
  const schema = resolve(budget.document, wrapped['schema']);
  const isText = typeof schema === 'string';
  const text = (isText ? schema : jsonText(schema, 2)).slice(0, maxSourceLength);
  return { source: { format, language: isText ? languageOf(format) : 'json', text } };
}

function languageOf(format: string): string {
  if (/protobuf/.test(format)) return 'protobuf';
  if (/xml/.test(format)) return 'xml';
  return /json|avro/.test(format) ? 'json' : 'yaml';
}

function examplesOf(
  budget: SchemaBudget,
  message: JsonObject,
  contentType: string,
  payload: Payload,
): MessageExampleView[] {
  const schema = 'schema' in payload ? payload.schema : undefined;
  const given = asList(message['examples'])
    .slice(0, maxExamples)
    .flatMap((entry): MessageExampleView[] => {
      const example = asObject(resolve(budget.document, entry));
      if (!example) return [];
      const headers = at(example, 'headers');
      const value = at(example, 'payload');
      const [written] =
        value === undefined ? [] : contentExamples(budget, { example: value }, contentType, 'both');
      if (headers === undefined && !written) return [];
      return [
        {
          title: asText(example['summary']) ?? asText(example['name']) ?? '',
          ...(headers === undefined ? {} : { headers: jsonText(headers, 2) }),
          ...(written ? { payload: written } : {}),
        },
      ];
    });
  if (given.length > 0 || schema === undefined) return given;
  return contentExamples(budget, { schema }, contentType, 'both').map((made) => ({
    title: '',
    payload: made,
  }));
}
