/** Compares the static evaluator with QuickJS and V8 on a sample. `npm run differential` compares more. */
import { afterAll, expect, test } from 'vitest';
import { Realm } from '../../packages/render/src/realm/realm.ts';
import { fixture } from '../../packages/render/test/support/render-fixture.ts';
import { compareExpressions } from './expressions.ts';
import { generatedExpressions } from './generate.ts';
import { compareSite } from './sites.ts';
import { V8Runner } from './v8-runner.ts';

const realm = new Realm();
afterAll(() => realm.close());

test('generated expressions have one value', () => {
  const sources = generatedExpressions(7, 600);
  const { taken, differences } = compareExpressions(sources, { QuickJS: realm, V8: new V8Runner() });
  expect(differences).toEqual([]);
  expect(taken).toBeGreaterThan(120);
});

test.each([
  ['[1, 2].map((x) => x * 2)', '[[2,4]]'],
  ['useState(5)[0]', '[5]'],
])('a difference would be seen: %s', (source, right) => {
  const liar = { beginPage: () => undefined, run: () => ['something else'] };
  const { differences } = compareExpressions([source], { liar });
  expect(differences.map(({ expected }) => expected)).toEqual([right]);
});

test.each(['islands', 'outputs', 'small'])(
  'pages of the fixture "%s" are the same bytes in every engine',
  async (name) => {
    const { differences, compared } = await compareSite(fixture(name));
    expect(differences).toEqual([]);
    expect(compared).toBeGreaterThan(0);
  },
);
