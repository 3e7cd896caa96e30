import { describe, expect, it } from 'vitest';
import { selectPlaces, valueOf } from './json-path.ts';
import { applyOverlay } from './overlay.ts';

const shop = (): Record<string, unknown> => ({
  openapi: '3.1.0',
  tags: [{ name: 'a' }, { name: 'b' }],
  paths: {
    '/x': {
      get: {
        summary: 'X',
        parameters: [
          { name: 'q', in: 'query' },
          { name: 'h', in: 'header' },
        ],
      },
    },
    '/y': { post: { summary: 'Y', 'x-internal': true } },
  },
});

function select(path: string): unknown[] | undefined {
  return selectPlaces({ document: shop() }, path, { visits: 10_000 })?.map(valueOf);
}

describe('selecting by JSONPath', () => {
  it.each([
    ['$.paths["/x"].get.summary', ['X']],
    ["$['paths']['/x','/y'].*.summary", ['X', 'Y']],
    ['$.tags[0].name', ['a']],
    ['$.tags[-1].name', ['b']],
    ['$..summary', ['X', 'Y']],
    ['$.paths.*[?(@.x-internal == true)].summary', ['Y']],
    ["$..parameters[?@.in == 'query' && @.name != 'z'].name", ['q']],
    ['$.paths.*[?@.parameters].summary', ['X']],
    ['$.paths.*[?@.parameters[1].name == "h"].summary', ['X']],
    ['$.nothing.below', []],
    ['$.__proto__.constructor', []],
  ])('finds the values of %s', (path, found) => expect(select(path)).toEqual(found));

  it.each(['paths', '$.paths[', '$.a[?length(@) > 1]', '$ .a', '$.a[1:2]', `$${'.a'.repeat(2000)}`])(
    'rejects the unsupported path %.20s',
    (path) => expect(select(path)).toBeUndefined(),
  );
});

describe('applying an overlay', () => {
  it('merges objects, adds to lists, replaces values and removes', () => {
    const document = shop();
    const problems = applyOverlay(document, {
      actions: [
        { target: '$', update: { info: { title: 'New' } } },
        { target: '$.paths["/x"].get', update: { summary: 'Better', description: 'More.' } },
        { target: '$.tags', update: { name: 'c' } },
        { target: '$.tags[?@.name == "a"]', remove: true },
        { target: '$..[?@.x-internal]', remove: true },
      ],
    });
    expect(problems).toEqual([]);
    expect(document).toMatchObject({
      info: { title: 'New' },
      tags: [{ name: 'b' }, { name: 'c' }],
      paths: { '/x': { get: { summary: 'Better', description: 'More.' } }, '/y': {} },
    });
  });

  it('continues after an action that cannot be applied', () => {
    const document = shop();
    const problems = applyOverlay(document, {
      actions: [{ target: 'wrong' }, { target: '$', remove: true }, { target: '$.tags', remove: true }],
    });
    expect(problems).toEqual(['The target "wrong" is not understood']);
    expect(Object.keys(document)).toEqual(['openapi', 'paths']);
  });

  it('applies at most a thousand actions', () => {
    const document = { count: [] as unknown[] };
    const actions = Array.from({ length: 1200 }, (_, index) => ({ target: '$.count', update: index }));
    expect(applyOverlay(document, { actions })).toHaveLength(1);
    expect(document.count).toHaveLength(1000);
  });
});
