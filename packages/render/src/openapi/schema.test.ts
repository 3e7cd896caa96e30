import { describe, expect, it } from 'vitest';
import { type Direction, newSchemaBudget, schemaView } from './schema.ts';
import type { SchemaView } from './view.ts';

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

function view(
  schema: unknown,
  schemas: Record<string, unknown> = {},
  direction: Direction = 'both',
): SchemaView {
  return schemaView({ components: { schemas } }, schema, direction);
}

const names = (schema: SchemaView) => schema.properties.map(({ name }) => name);

describe('the type of a schema', () => {
  it.each([
    [{ type: 'string', format: 'date-time' }, 'string<date-time>'],
    [{ type: ['string', 'null'] }, 'string | null'],
    [{ type: 'integer', nullable: true }, 'integer | null'],
    [{ type: 'array', items: { type: 'integer' } }, 'integer[]'],
    [{ type: 'array', items: ref('User') }, 'User[]'],
    [{ type: 'array', items: { type: ['string', 'integer'] } }, '(string | integer)[]'],
    [{ prefixItems: [{ type: 'string' }, { type: 'number' }] }, '[string, number]'],
    [{ oneOf: [ref('User'), { type: 'null' }] }, 'object | null'],
    [{ oneOf: [{ type: 'string' }, { type: 'integer' }, { type: 'null' }] }, 'string | integer | null'],
    [{ enum: ['a', 'b', null] }, 'string | null'],
    [{ const: 5 }, 'integer'],
    [{ properties: {}, additionalProperties: true }, 'object'],
    [{ type: 'string', format: 'binary' }, 'file'],
    [{ type: 'string', contentMediaType: 'image/png' }, 'file'],
    [{ type: 'string', contentMediaType: 'image/png', contentEncoding: 'base64' }, 'string<base64>'],
    [{ allOf: [ref('User'), { description: 'x' }] }, 'object'],
    [true, 'any'],
    [false, 'never'],
    [undefined, 'any'],
    [ref('Missing'), 'any'],
  ])('%j is %s', (schema, type) => {
    expect(view(schema, { User: { type: 'object', properties: { id: {} } } }).type).toBe(type);
  });
});

describe('the description of a schema', () => {
  it.each([
    [{ minLength: 1, maxLength: 64 }, ['1 to 64 characters']],
    [{ minLength: 1 }, ['at least 1 character']],
    [{ minimum: 0, maximum: 9, multipleOf: 3 }, ['0 to 9', 'a multiple of 3']],
    [{ exclusiveMinimum: 0, maximum: 5 }, ['more than 0', 'at most 5']],
    [{ minimum: 1, exclusiveMinimum: true }, ['more than 1']],
    [{ pattern: '^a+$' }, ['matches ^a+$']],
    [{ type: 'array', minItems: 2, maxItems: 2, uniqueItems: true }, ['exactly 2 items', 'no item twice']],
    [{ type: 'object', anyOf: [{ required: ['a'] }, { required: ['b', 'c'] }] }, ['needs a or b and c']],
  ])('the limits of %j are described in words', (schema, constraints) => {
    expect(view(schema).constraints).toEqual(constraints);
  });

  it('contains values as JSON with their meaning', () => {
    const shown = view({
      type: 'string',
      enum: ['on', 'off'],
      'x-enumDescriptions': { on: 'It burns.' },
      default: 'off',
      examples: ['on'],
      'x-default': 'on',
      'x-mint': { pre: ['beta'], post: 'v2' },
    });
    expect(shown).toMatchObject({
      enum: [
        { value: '"on"', description: 'It burns.' },
        { value: '"off"', description: '' },
      ],
      default: '"off"',
      examples: ['"on"'],
      prefill: 'on',
      pre: ['beta'],
      post: ['v2'],
    });
  });
});

describe('parts of a schema', () => {
  const schemas = {
    Base: {
      title: 'Base',
      type: 'object',
      required: ['id'],
      properties: { id: { type: 'string', maxLength: 9 } },
    },
    Dog: {
      description: 'A dog.',
      allOf: [
        ref('Base'),
        { properties: { id: { description: 'Its number.', maxLength: 5 }, bark: { type: 'boolean' } } },
      ],
    },
  };

  it('are merged for allOf', () => {
    const shown = view(ref('Dog'), schemas);
    expect(shown).toMatchObject({ type: 'object', description: 'A dog.', title: '' });
    expect(shown.properties).toMatchObject([
      {
        name: 'id',
        required: true,
        schema: { type: 'string', description: 'Its number.', constraints: ['at most 5 characters'] },
      },
      { name: 'bark', required: false },
    ]);
  });

  it('next to a reference override it', () => {
    const shown = view({ ...ref('Dog'), description: 'Mine.', deprecated: true }, schemas);
    expect(shown).toMatchObject({ description: 'Mine.', deprecated: true });
    expect(names(shown)).toEqual(['id', 'bark']);
  });

  it('marked for the other direction are omitted', () => {
    const schema = {
      properties: { id: { readOnly: true }, secret: { allOf: [{ writeOnly: true }] }, name: {} },
    };
    expect(names(view(schema, {}, 'request'))).toEqual(['secret', 'name']);
    expect(names(view(schema, {}, 'response'))).toEqual(['id', 'name']);
    expect(names(view(schema, {}, 'both'))).toEqual(['id', 'secret', 'name']);
  });

  it('of additional properties are shown with their name pattern', () => {
    const schema = {
      additionalProperties: { type: 'integer' },
      patternProperties: { '^x-': { type: 'string' } },
    };
    expect(view(schema).additional).toMatchObject([
      { pattern: '', schema: { type: 'integer' } },
      { pattern: '^x-', schema: { type: 'string' } },
    ]);
  });

  it('of a tuple are properties named by index', () => {
    expect(names(view({ type: 'array', prefixItems: [{}, {}] }))).toEqual(['[0]', '[1]']);
  });
});

describe('choices', () => {
  it('are named by title, reference or type, with their discriminator value', () => {
    const schemas = {
      Cat: { type: 'object', properties: { lives: {} } },
      Dog: { title: 'A dog', type: 'object' },
    };
    const shown = view(
      {
        oneOf: [ref('Cat'), ref('Dog'), { type: 'string' }, {}],
        discriminator: { propertyName: 'kind', mapping: { cat: '#/components/schemas/Cat', dog: 'Dog' } },
      },
      schemas,
    );
    expect(shown.choices).toMatchObject({
      kind: 'oneOf',
      discriminator: 'kind',
      options: [
        { title: 'Cat', value: 'cat' },
        { title: 'A dog', value: 'dog' },
        { title: 'string' },
        { title: 'Option' },
      ],
    });
  });

  it('without a name are named by their distinguishing properties', () => {
    const kind = (name: string) => ({ properties: { kind: { const: name }, a: {} } });
    const options = [
      kind('cat'),
      kind('dog'),
      { properties: { url: {} } },
      { type: 'object' },
      { type: 'object' },
    ];
    const choices = view({ oneOf: options, discriminator: { propertyName: 'kind' } }).choices;
    expect(choices?.options.map(({ title, value }) => [title, value])).toEqual([
      ['cat', 'cat'],
      ['dog', 'dog'],
      ['url', undefined],
      ['object', undefined],
      ['object 2', undefined],
    ]);
  });

  it('between plain types are part of the type', () => {
    const shown = view({ oneOf: [{ type: 'string', format: 'date' }, { type: 'integer' }] });
    expect(shown).toMatchObject({ type: 'string<date> | integer' });
    expect(shown.choices).toBeUndefined();
    expect(
      view({ oneOf: [{ type: 'string' }, { type: 'integer', minimum: 1 }] }).choices?.options,
    ).toHaveLength(2);
  });

  it('with one option are merged', () => {
    const shown = view({ anyOf: [{ type: 'object', properties: { a: {} } }, { type: 'null' }] });
    expect(shown.choices).toBeUndefined();
    expect(names(shown)).toEqual(['a']);
  });

  it('in two lists are combined to a limited number of pairs', () => {
    const group = (prefix: string, count: number) => ({
      oneOf: Array.from({ length: count }, (_, index) => ({ properties: { [`${prefix}${index}`]: {} } })),
    });
    const pairs = view({ allOf: [group('a', 2), group('b', 2)] }).choices?.options.map((option) =>
      names(option.schema),
    );
    expect(pairs).toEqual([
      ['a0', 'b0'],
      ['a0', 'b1'],
      ['a1', 'b0'],
      ['a1', 'b1'],
    ]);
    expect(view({ allOf: [group('a', 9), group('b', 9)] }).choices?.options).toHaveLength(9);
  });

  it('of a base schema are not repeated inside of its subtypes', () => {
    const schemas = {
      Pet: { type: 'object', properties: { name: {} }, oneOf: [ref('Cat'), ref('Fox')] },
      Cat: { allOf: [ref('Pet'), { properties: { lives: {} } }] },
      Fox: { allOf: [ref('Pet'), { properties: { tail: {} } }] },
    };
    const options = view(ref('Pet'), schemas).choices?.options ?? [];
    expect(options.map(({ schema }) => [names(schema), schema.choices])).toEqual([
      [['name', 'lives'], undefined],
      [['name', 'tail'], undefined],
    ]);
  });
});

describe('a recursive schema', () => {
  it('refers to itself by name where it recurs', () => {
    const schemas = {
      Node: {
        type: 'object',
        properties: {
          next: ref('Node'),
          all: { type: 'array', items: ref('Node') },
          up: { allOf: [ref('Node')], description: 'Parent.' },
        },
      },
    };
    const [next, all, up] = view(ref('Node'), schemas).properties;
    expect(next?.schema).toMatchObject({ type: 'object', sameAs: 'Node', properties: [] });
    expect(all?.schema).toMatchObject({ type: 'Node[]', items: { sameAs: 'Node' } });
    expect(up?.schema).toMatchObject({ description: 'Parent.', sameAs: 'Node' });
  });

  it('is expanded a few times below the first levels, then referred to by name', () => {
    const schemas = { Deep: { type: 'object', properties: { word: { type: 'string' } } } };
    const level = {
      type: 'object',
      properties: { inner: { type: 'object', properties: { it: ref('Deep') } } },
    };
    const properties = Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map((name) => [name, level]));
    const shown = view({ type: 'object', properties }, schemas).properties.map(
      ({ schema }) => schema.properties[0]?.schema.properties[0]?.schema,
    );
    expect(shown.map((it) => [it?.properties.length, it?.shownElsewhere])).toEqual([
      [1, undefined],
      [1, undefined],
      [1, undefined],
      [0, 'Deep'],
      [0, 'Deep'],
    ]);
  });

  it('is cut ten levels down', () => {
    let schema: unknown = { type: 'string' };
    for (let depth = 0; depth < 15; depth++) schema = { type: 'object', properties: { in: schema } };
    let shown: SchemaView | undefined = view(schema);
    let levels = 0;
    while (shown && !shown.isCut) {
      shown = shown.properties[0]?.schema;
      levels++;
    }
    expect(levels).toBe(10);
    expect(shown?.properties).toEqual([]);
  });

  it('that doubles per level keeps its upper levels and stays within the budget', () => {
    const schemas = Object.fromEntries(
      Array.from({ length: 12 }, (_, level) => [
        `L${level}`,
        {
          type: 'object',
          properties: Object.fromEntries(
            Array.from({ length: 8 }, (_, i) => [`p${i}`, ref(`L${level + 1}`)]),
          ),
        },
      ]),
    );
    const shown = view(ref('L0'), schemas);
    expect(count(shown)).toBeLessThanOrEqual(3001);
    expect(shown.properties.every(({ schema }) => schema.properties.length === 8)).toBe(true);
  });

  it('with a long description stays within the text budget', () => {
    const schemas = { Big: { description: 'x'.repeat(100_000) } };
    const properties = Object.fromEntries(
      Array.from({ length: 900 }, (_, index) => [`p${index}`, ref('Big')]),
    );
    expect(JSON.stringify(view({ properties }, schemas)).length).toBeLessThan(3_000_000);
  });
});

describe('a schema that several pages show', () => {
  const pet = {
    title: 'Pet',
    description: 'An animal',
    properties: {
      kind: { enum: ['cat', 'dog'], default: 'cat' },
      parent: ref('Pet'),
      friends: { type: 'array', items: { anyOf: [ref('Cat'), ref('Dog')] } },
    },
    oneOf: [ref('Cat'), ref('Dog')],
  };
  const schemas = {
    Pet: pet,
    Cat: { allOf: [ref('Pet'), { properties: { lives: { type: 'integer', maximum: 9 } } }] },
    Dog: { allOf: [ref('Pet'), { properties: { tricks: { type: 'array', items: { type: 'string' } } } }] },
  };

  it('is the same on each, and costs each the same', () => {
    const document = { components: { schemas } };
    const pages = ['Dog', 'Pet', 'Dog', 'Cat', 'Pet', 'Cat'].map((name) => {
      const budget = newSchemaBudget(document);
      const shown = schemaView(document, ref(name), 'both', budget);
      const { effortLeft, nodes, characters } = budget;
      return [name, { shown, effortLeft, nodes, characters }] as const;
    });
    for (const [name, page] of pages) {
      const alone = { components: { schemas: structuredClone(schemas) } };
      const budget = newSchemaBudget(alone);
      expect(page.shown).toEqual(schemaView(alone, ref(name), 'both', budget));
      expect(page).toMatchObject({ effortLeft: budget.effortLeft, characters: budget.characters });
    }
  });

  it('is truncated on one page without being truncated on the next', () => {
    const document = { components: { schemas } };
    const poor = { ...newSchemaBudget(document), effortLeft: 3, characters: 20 };
    schemaView(document, ref('Pet'), 'both', poor);
    expect(schemaView(document, ref('Pet'), 'both')).toEqual(
      schemaView({ components: { schemas: structuredClone(schemas) } }, ref('Pet'), 'both'),
    );
  });
});

function count(schema: SchemaView): number {
  return 1 + schema.properties.reduce((sum, property) => sum + count(property.schema), 0);
}
