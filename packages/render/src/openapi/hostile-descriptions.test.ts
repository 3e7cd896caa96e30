/** Pages of invalid API descriptions render, and nothing in them executes. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { loadSite } from '../pipeline/load.ts';
import { loadApiPages, renderPage, siteTools } from '../pipeline/render-page.ts';
import { fixture } from '../../test/support/render-fixture.ts';
import { planSite, planTasks } from '../pipeline/site-plan.ts';
import type { JsonObject } from '../model/json.ts';

const junk: unknown[] = [
  null,
  -1,
  1e308,
  true,
  '',
  '</script><img src=x onerror=alert(1)>',
  '{a}{b',
  '```',
  'a'.repeat(5000),
  [null],
  {},
  { $ref: '#' },
  { $ref: '#/components/schemas/Box' },
  { allOf: [{ $ref: '#/components/schemas/Shipment' }] },
  { type: ['string', 'object', 'array'] },
  { enum: [{}, [], null] },
];

it('pages of API descriptions with arbitrary errors are rendered', async () => {
  await loadApiPages();
  const site = await loadSite({ root: fixture('sites/api') });
  const plan = planSite(site, {});
  const tasks = planTasks(site, plan, new Map()).filter(({ api }) => api);
  const [name = ''] = Object.keys(plan.specs);
  const original = plan.specs[name] ?? {};
  /** Each number selects the replacement of one value, in traversal order. */
  const choices = fc.array(fc.nat({ max: 60 * junk.length }), { minLength: 50, maxLength: 200 });
  fc.assert(
    fc.property(choices, (numbers) => {
      const wrong = withJunk(original, numbers);
      const tools = siteTools({ ...plan, specs: { [name]: wrong } });
      for (const task of tasks) {
        const { failed, html, bar, aside } = renderPage(tools, task, 'fast');
        expect(failed).toBe(false);
        const shown = (html + bar + aside).replaceAll(/<script type="application\/json"[^<]*<\/script>/g, '');
        expect(shown).not.toMatch(/<script|<img/);
      }
    }),
    { numRuns: 30 },
  );
});

function withJunk(document: JsonObject, numbers: readonly number[]): JsonObject {
  let met = 0;
  const changed = (value: unknown): unknown => {
    const number = numbers[met++ % numbers.length] ?? 0;
    if (number < junk.length) return junk[number];
    if (Array.isArray(value)) return value.map(changed);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, changed(inner)]));
  };
  return Object.fromEntries(Object.entries(document).map(([key, inner]) => [key, changed(inner)]));
}
