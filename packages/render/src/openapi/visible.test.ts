import { describe, expect, test } from 'vitest';
import { visibleDocument } from './visible.ts';

const forStaff = { 'x-mint': { groups: ['staff'] } };
const ok = (schema: object) => ({ responses: { 200: { content: { 'application/json': { schema } } } } });
const described = <P extends object, S extends object>(paths: P, schemas = {} as S) => ({
  openapi: '3.1.0',
  info: { title: 'Harbor' },
  paths,
  components: { schemas },
});

describe('an API description for some readers', () => {
  test('is the same object when nothing is restricted, or everything may be seen', () => {
    const open = described({ '/ships': { get: ok({ type: 'string' }) } });
    expect(visibleDocument(open, [])).toBe(open);
    const restricted = described({ '/ships': { get: { ...ok({}), ...forStaff } } });
    expect(visibleDocument(restricted, ['staff'])).toBe(restricted);
  });

  test('has no restricted operation or path, and nothing that only they use', () => {
    const document = {
      ...described(
        {
          '/ships': {
            get: { ...ok({ $ref: '#/components/schemas/Ship' }), tags: ['Ships'] },
            delete: { ...ok({ $ref: '#/components/schemas/Deletion' }), tags: ['Secret'], ...forStaff },
          },
          '/audits': { ...forStaff, get: ok({}) },
          '/keys': { get: { ...ok({}), ...forStaff } },
          '/later': {},
        },
        {
          Ship: { properties: { port: { $ref: '#/components/schemas/Port' } } },
          Port: { type: 'string' },
          Deletion: { properties: { reason: { $ref: '#/components/schemas/Reason' } } },
          Reason: { type: 'string' },
        },
      ),
      tags: [{ name: 'Ships' }, { name: 'Secret', description: 'For staff.' }, { name: 'Unused' }],
    };
    const visible = visibleDocument(document, []);
    expect(visible).toEqual({
      ...document,
      paths: { '/ships': { get: document.paths['/ships'].get }, '/later': {} },
      components: { schemas: { Ship: document.components.schemas.Ship, Port: { type: 'string' } } },
      tags: [{ name: 'Ships' }, { name: 'Unused' }],
    });
  });

  test('has no restricted property, also where it is required or shown in an example', () => {
    const ship = {
      properties: { name: { type: 'string' }, cost: { type: 'number', ...forStaff } },
      required: ['name', 'cost'],
      example: { name: 'Ada', cost: 5 },
    };
    const document = described({ '/ships': { get: ok(ship) } });
    expect(visibleDocument(document, ['guests'])).toEqual(
      described({
        '/ships': {
          get: ok({ properties: { name: { type: 'string' } }, required: ['name'], example: { name: 'Ada' } }),
        },
      }),
    );
  });

  test('keeps a name in examples that a visible property has too', () => {
    const ship = { properties: { cost: { type: 'number', ...forStaff } } };
    const bill = { properties: { cost: { type: 'number' } }, example: { cost: 5 } };
    const document = described({ '/a': { get: ok(ship) }, '/b': { get: ok(bill) } });
    expect(JSON.stringify(visibleDocument(document, []))).toContain('"example":{"cost":5}');
  });

  test('has no restricted option, and no entry of a discriminator that leads to it', () => {
    const document = described(
      {
        '/ships': {
          get: ok({
            oneOf: [
              { $ref: '#/components/schemas/Boat' },
              { $ref: '#/components/schemas/Warship', ...forStaff },
            ],
            discriminator: {
              propertyName: 'kind',
              mapping: {
                boat: '#/components/schemas/Boat',
                war: '#/components/schemas/Warship',
                plain: 'Boat',
              },
            },
          }),
        },
      },
      { Boat: { type: 'object' }, Warship: { type: 'object' } },
    );
    expect(visibleDocument(document, [])).toEqual(
      described(
        {
          '/ships': {
            get: ok({
              oneOf: [{ $ref: '#/components/schemas/Boat' }],
              discriminator: {
                propertyName: 'kind',
                mapping: { boat: '#/components/schemas/Boat', plain: 'Boat' },
              },
            }),
          },
        },
        { Boat: { type: 'object' } },
      ),
    );
  });

  test('has no reference to a restricted component', () => {
    const document = described(
      { '/ships': { get: ok({ properties: { cost: { $ref: '#/components/schemas/Cost' }, name: {} } }) } },
      { Cost: { type: 'number', ...forStaff } },
    );
    expect(visibleDocument(document, [])).toEqual(
      described({ '/ships': { get: ok({ properties: { name: {} } }) } }),
    );
  });

  test('has only the values of an enum that its readers may see', () => {
    const state = {
      enum: ['open', 'closed', 'audited'],
      default: 'audited',
      'x-mint-enum': { audited: ['staff'], closed: ['guests'] },
    };
    const document = described({ '/ships': { get: ok(state) } });
    const shown = visibleDocument(document, ['guests']);
    expect(shown).toEqual(
      described({
        '/ships': { get: ok({ enum: ['open', 'closed'], 'x-mint-enum': { closed: ['guests'] } }) },
      }),
    );
  });

  test('may be cyclic', () => {
    const node = { properties: { next: { $ref: '#/components/schemas/Node' }, secret: { ...forStaff } } };
    const document = described({ '/n': { get: ok({ $ref: '#/components/schemas/Node' }) } }, { Node: node });
    expect(JSON.stringify(visibleDocument(document, []))).not.toContain('secret');
  });
});
