/** Chooses the request body of a sample and its form fields. */
import { asObject } from '../config/json.ts';
import { fieldText, isJson, mediaOf } from './examples.ts';
import { encoded, parsedJson } from './request-parameters.ts';
import type { ContentView, ExampleView, OperationView, SchemaView } from './view.ts';

export interface FormField {
  name: string;
  required: boolean;
  isFile: boolean;
  initial: string;
}

export type SampleBody =
  | { kind: 'json'; value: unknown; text: string }
  | { kind: 'text'; text: string }
  | { kind: 'form'; fields: FormField[]; text: string }
  | { kind: 'multipart'; fields: FormField[] }
  | { kind: 'file' };

/** JSON is preferred because every language supports it. */
export function chosenContent(view: OperationView): ContentView | undefined {
  const contents = view.body?.contents ?? [];
  return contents.find((content) => isJson(content.type) && content.examples.length > 0) ?? contents[0];
}

export function sampleBody(content: ContentView, onlyRequired: boolean): SampleBody | undefined {
  const [example] = content.examples;
  if (mediaOf(content.type) === 'multipart/form-data') {
    return { kind: 'multipart', fields: sentFields(content, onlyRequired) };
  }
  if (isForm(content.type)) {
    const fields = sentFields(content, onlyRequired);
    const text = fields.map(({ name, initial }) => `${encoded(name)}=${encoded(initial)}`).join('&');
    return { kind: 'form', fields, text };
  }
  if (!example)
    return content.schema?.type === 'file' || !isJson(content.type) ? { kind: 'file' } : undefined;
  if (!isJson(content.type)) return { kind: 'text', text: example.text };
  const value = parsedJson(example.text);
  if (value === undefined) return { kind: 'text', text: example.text };
  const sent = onlyRequired && example.isGenerated === true ? requiredPart(value, content.schema) : value;
  return { kind: 'json', value: sent, text: JSON.stringify(sent, undefined, 2) };
}

function sentFields(content: ContentView, onlyRequired: boolean): FormField[] {
  return formFields(content).filter(
    ({ required, isFile, initial }) => required || (!onlyRequired && (isFile || initial !== '')),
  );
}

/** Fields of the schema, filled from the example, plus fields that only the example has. */
export function formFields(content: ContentView): FormField[] {
  const values = exampleFields(content.type, content.examples[0]);
  const properties =
    content.schema?.properties ?? content.schema?.choices?.options[0]?.schema.properties ?? [];
  const listed =
    properties.length > 0 ? properties : (content.schema?.choices?.options[0]?.schema.properties ?? []);
  const fields = listed.map(({ name, required, schema }) => {
    const isFile = /^\(?file\b/.test(schema.type);
    return { name, required, isFile, initial: isFile ? '' : (values.get(name) ?? '') };
  });
  const known = new Set(fields.map(({ name }) => name));
  const others = [...values].filter(([name]) => !known.has(name));
  return [...fields, ...others.map(([name, initial]) => ({ name, required: false, isFile: false, initial }))];
}

function exampleFields(type: string, example: ExampleView | undefined): Map<string, string> {
  if (!example) return new Map();
  if (mediaOf(type) === 'application/x-www-form-urlencoded')
    return new Map(new URLSearchParams(example.text));
  return new Map(
    Object.entries(asObject(parsedJson(example.text)) ?? {}).map(([name, value]) => [name, fieldText(value)]),
  );
}

function requiredPart(value: unknown, schema: SchemaView | undefined): unknown {
  if (Array.isArray(value)) return value.map((item) => requiredPart(item, schema?.items));
  const object = asObject(value);
  if (!object || !schema || schema.properties.length === 0) return value;
  const optional = new Set(schema.properties.filter(({ required }) => !required).map(({ name }) => name));
  const inner = new Map(schema.properties.map((property) => [property.name, property.schema]));
  return Object.fromEntries(
    Object.entries(object).flatMap(([name, item]) =>
      optional.has(name) ? [] : [[name, requiredPart(item, inner.get(name))]],
    ),
  );
}

export function isForm(type: string): boolean {
  return ['application/x-www-form-urlencoded', 'multipart/form-data'].includes(mediaOf(type));
}
