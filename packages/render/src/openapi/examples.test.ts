import { describe, expect, it } from 'vitest';
import { contentExamples } from './examples.ts';
import { mergeContext } from './merge.ts';

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

function examples(content: unknown, type = 'application/json', components: Record<string, unknown> = {}) {
  return contentExamples(mergeContext({ components }, 100_000), content, type, 'both');
}

const sample = (schema: unknown, schemas: Record<string, unknown> = {}) =>
  JSON.parse(examples({ schema }, 'application/json', { schemas })[0]?.text ?? 'null') as unknown;

describe('given examples', () => {
  it('are shown by name with references resolved, without external ones', () => {
    const content = {
      examples: {
        cat: { summary: 'A cat', value: { name: 'Tom' } },
        shared: { $ref: '#/components/examples/dog' },
        far: { externalValue: 'https://example.com/x.json' },
      },
    };
    expect(examples(content, 'application/json', { examples: { dog: { value: 1 } } })).toEqual([
      { name: 'cat', summary: 'A cat', language: 'json', text: '{\n  "name": "Tom"\n}' },
      { name: 'shared', summary: '', language: 'json', text: '1' },
    ]);
  });

  it('may be JSON in a string, or plain text', () => {
    expect(examples({ example: '{"a":1}' })[0]?.text).toBe('{\n  "a": 1\n}');
    expect(examples({ example: 'hello' })[0]?.text).toBe('"hello"');
    expect(examples({ example: 'a,b' }, 'text/csv')[0]).toMatchObject({ language: 'text', text: 'a,b' });
  });

  it('are truncated when they are large or deep', () => {
    expect(examples({ example: 'x'.repeat(5_000_000) })[0]?.text.length).toBeLessThan(210_000);
    let deep: unknown = 1;
    for (let depth = 0; depth < 20_000; depth++) deep = [deep];
    expect(examples({ example: deep })[0]?.text).toContain('"…"');
  });
});

describe('an example made from a schema', () => {
  it('follows the schema and is deterministic', () => {
    const schema = {
      type: 'object',
      properties: {
        id: { type: 'string', format: 'uuid' },
        at: { type: 'string', format: 'date-time' },
        kind: { enum: ['cat', 'dog'] },
        age: { type: 'integer', maximum: 20 },
        step: { type: 'number', minimum: 200, multipleOf: 50 },
        tags: { type: 'array', items: { type: 'string', example: 'new' }, minItems: 1e9 },
        map: { type: 'object', additionalProperties: { type: 'boolean' } },
        either: { oneOf: [{ type: 'null' }, { type: 'object', properties: { a: { default: 5 } } }] },
      },
    };
    expect(sample(schema)).toEqual({
      id: '3f2b8c1e-6a4d-4e0b-9c57-1d2e3f4a5b6c',
      at: '2024-01-15T09:30:00Z',
      kind: 'cat',
      age: 20,
      step: 200,
      tags: ['new'],
      map: { key: true },
      either: { a: 5 },
    });
    expect(sample(schema)).toEqual(sample(schema));
  });

  it('combines allOf parts and the first choice', () => {
    const schema = {
      allOf: [ref('Base'), { oneOf: [{ properties: { b: { const: 2 } } }, { properties: { c: {} } }] }],
    };
    expect(sample(schema, { Base: { type: 'object', properties: { a: { const: 1 } } } })).toEqual({
      a: 1,
      b: 2,
    });
  });

  it('stops at recursive schemas', () => {
    const Node = {
      type: 'object',
      properties: { id: { const: 1 }, next: ref('Node'), all: { type: 'array', items: ref('Node') } },
    };
    expect(sample(ref('Node'), { Node })).toEqual({ id: 1, all: [] });
  });

  it('treats __proto__ as an ordinary key', () => {
    const schema = JSON.parse('{"properties":{"__proto__":{"const":1},"a":{"const":2}}}') as unknown;
    expect(examples({ schema })[0]?.text).toBe('{\n  "__proto__": 1,\n  "a": 2\n}');
  });

  it('is written in the format of its content', () => {
    const schema = ref('Pet');
    const Pet = {
      type: 'object',
      properties: {
        id: { const: 7, xml: { attribute: true } },
        name: { example: 'Tom & <Jerry>' },
        tag: {
          type: 'array',
          xml: { wrapped: true, name: 'tags' },
          items: { const: 'a', xml: { name: 'tag' } },
        },
      },
    };
    const text = (type: string) => examples({ schema }, type, { schemas: { Pet } })[0]?.text;
    expect(text('application/xml')).toBe(
      [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<Pet id="7">',
        '  <name>Tom &amp; &lt;Jerry&gt;</name>',
        '  <tags>',
        '    <tag>a</tag>',
        '  </tags>',
        '</Pet>',
      ].join('\n'),
    );
    expect(text('application/x-www-form-urlencoded')).toBe('id=7&name=Tom+%26+%3CJerry%3E&tag=a');
    expect(text('text/event-stream')).toBe('data: {"id":7,"name":"Tom & <Jerry>","tag":["a"]}');
    expect(text('application/problem+json; charset=utf-8')).toContain('"id": 7');
  });

  it('is absent for binary content and for an empty schema', () => {
    expect(examples({ schema: { type: 'string', format: 'binary' } }, 'image/png')).toEqual([]);
    expect(examples({ schema: {} })).toEqual([]);
    expect(examples({})).toEqual([]);
  });
});
