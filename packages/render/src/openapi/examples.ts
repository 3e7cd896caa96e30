/** The examples of a media type: given ones, else one generated from its schema. */
import { asList, asObject, asText, at } from '../config/json.ts';
import { cutText, jsonText } from './examples-json.ts';
import { sampleOf } from './examples-sample.ts';
import { xmlText } from './examples-xml.ts';
import type { MergeContext } from './merge.ts';
import { resolve, resolvedEntries } from './references.ts';
import type { Direction } from './schema.ts';
import type { ExampleView } from './view.ts';

const maxExamples = 20;
const CHARACTERS_PER_CONTENT = 400_000;

export function contentExamples(
  context: MergeContext,
  content: unknown,
  type: string,
  direction: Direction,
): ExampleView[] {
  const schema = at(content, 'schema');
  const write = (value: unknown) => writtenAs(context, type, value, schema);
  const given = givenExamples(context, content);
  if (given.length > 0) {
    let left = CHARACTERS_PER_CONTENT;
    return given.flatMap(({ name, summary, value }) => {
      const written = write(value);
      left -= written.text.length;
      return left > 0 ? [{ name, summary, ...written }] : [];
    });
  }
  if (isBinary(type)) return [];
  const sample = sampleOf(context, schema, direction);
  if (sample === undefined || sample === '<file>' || sample === '<any>') return [];
  return [{ name: '', summary: '', isGenerated: true, ...write(sample) }];
}

/** Includes types such as `application/problem+json; charset=utf-8`. */
export function isJson(type: string): boolean {
  const media = mediaOf(type);
  return media.endsWith('/json') || media.endsWith('+json') || media === '*/*';
}

export function mediaOf(type: string): string {
  return (type.split(';')[0] ?? '').trim().toLowerCase();
}

function givenExamples(
  context: MergeContext,
  content: unknown,
): { name: string; summary: string; value: unknown }[] {
  const single = at(content, 'example');
  const several = resolve(context.document, at(content, 'examples'));
  // The specification requires a map, but lists occur.
  const listed = asList(several).map((value) => ({
    name: '',
    summary: '',
    value: at(value, 'value') ?? value,
  }));
  const named = resolvedEntries(context.document, several).flatMap(([name, example]) => {
    if (!asObject(example) || at(example, 'value') === undefined) return [];
    const summary = asText(at(example, 'summary')) ?? '';
    return [{ name, summary, value: at(example, 'value') }];
  });
  const all = [...named, ...listed].slice(0, maxExamples);
  return all.length > 0 || single === undefined
    ? all
    : [{ name: '', summary: '', value: resolve(context.document, single) }];
}

function writtenAs(
  context: MergeContext,
  type: string,
  value: unknown,
  schema: unknown,
): Pick<ExampleView, 'language' | 'text'> {
  const media = mediaOf(type);
  if (isJson(type)) return { language: 'json', text: jsonText(unpacked(value), 2) };
  if (typeof value === 'string') return { language: languageOf(media), text: cutText(value) };
  if (media.endsWith('/xml') || media.endsWith('+xml'))
    return { language: 'xml', text: xmlText(context, value, schema) };
  if (media === 'application/x-www-form-urlencoded') return { language: 'text', text: formText(value) };
  if (media === 'text/event-stream') return { language: 'text', text: `data: ${jsonText(value, 0)}` };
  if (/(ndjson|jsonl|json-lines|json-seq)$/.test(media))
    return { language: 'json', text: jsonText(value, 0) };
  return { language: 'json', text: jsonText(value, 2) };
}

/** An example of JSON content may be given as a string of JSON. */
function unpacked(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

function formText(value: unknown): string {
  const pairs = Object.entries(asObject(value) ?? {}).flatMap(([name, item]) =>
    (Array.isArray(item) ? (item as unknown[]) : [item]).map((single) => [name, fieldText(single)]),
  );
  return cutText(new URLSearchParams(pairs).toString());
}

export function fieldText(value: unknown): string {
  return typeof value === 'string' ? cutText(value) : jsonText(value, 0);
}

function languageOf(media: string): ExampleView['language'] {
  if (media.endsWith('xml') || media === 'text/html') return 'xml';
  return media.endsWith('yaml') ? 'yaml' : 'text';
}

function isBinary(type: string): boolean {
  return /^(image|audio|video|font)\/|^application\/(octet-stream|pdf|zip|gzip)$/.test(mediaOf(type));
}
