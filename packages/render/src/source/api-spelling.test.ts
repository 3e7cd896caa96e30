import { describe, expect, it } from 'vitest';
import {
  channelReference,
  operationEntry,
  operationReference,
  schemaReference,
  frontMatterOperation,
} from './api-spelling.ts';

describe('a reference to an operation', () => {
  it.each([
    ['GET /users', { kind: 'operation', method: 'GET', path: '/users' }],
    ['  post   /users/{id} ', { kind: 'operation', method: 'POST', path: '/users/{id}' }],
    ['spec.json GET /users', { kind: 'operation', file: 'spec.json', method: 'GET', path: '/users' }],
    ['my specs/a b.yaml get /x', { kind: 'operation', file: 'my specs/a b.yaml', method: 'GET', path: '/x' }],
    [
      'https://a.b/c.json GET /x',
      { kind: 'operation', file: 'https://a.b/c.json', method: 'GET', path: '/x' },
    ],
    ['webhook userMade', { kind: 'webhook', name: 'userMade' }],
    ['spec.json WEBHOOK userMade', { kind: 'webhook', file: 'spec.json', name: 'userMade' }],
    ['spec.json', { kind: 'file', file: 'spec.json' }],
    ['some words', undefined],
    ['', undefined],
    [`GET /${'x'.repeat(2000)}`, undefined],
  ])('is parsed: %.40s', (text, reference) => expect(operationReference(text)).toEqual(reference));

  it('is recognized in a navigation entry only when it cannot be a page', () => {
    expect(operationEntry('GET /users')).toMatchObject({ method: 'GET' });
    expect(operationEntry('guides/how to get started')).toBeUndefined();
    expect(operationEntry('guides/start')).toBeUndefined();
  });

  it('may also be to a schema, a channel or an operation declared in front matter', () => {
    expect(schemaReference('spec.json Order Item')).toEqual({
      kind: 'schema',
      file: 'spec.json',
      name: 'Order Item',
    });
    expect(schemaReference('OrderItem')).toEqual({ kind: 'schema', name: 'OrderItem' });
    expect(channelReference('/a/asyncapi.yaml prices')).toEqual({
      kind: 'channel',
      file: '/a/asyncapi.yaml',
      name: 'prices',
    });
    expect(frontMatterOperation('POST https://api.example.com/x')).toEqual({
      kind: 'front-matter',
      method: 'POST',
      url: 'https://api.example.com/x',
    });
    expect(frontMatterOperation('nothing')).toBeUndefined();
  });
});
