/** A few hundred inputs for every parser of untrusted text; `npm run fuzz` tries more. */
import { expect, test } from 'vitest';
import { insistOnInertHtml } from './targets/pages.ts';
import { targets } from './targets/index.ts';

const runs = 60;

test.each(targets.map((target) => [target.name, target.promise, target] as const))(
  '%s: %s',
  async (_name, _promise, target) => {
    const outcomes = new Set<string>();
    for (let run = 1; run <= runs; run += 1) outcomes.add(await target.attempt(run));
    // Inputs that are all rejected or all accepted would prove nothing.
    expect([...outcomes].toSorted()).toEqual(['refused', 'taken']);
  },
);

test.each([
  '<script src="x"></script>',
  '<a href="javascript:alert(1)">x</a>',
  '<a href="java&#9;script:alert(1)">x</a>',
  '<img src="x" onerror="alert(1)">',
  '<p style="color:red">x</p>',
  '<p title=">x</p>',
  'a < b',
])('the judge of pages sees what must not be there: %s', (html) => {
  expect(() => insistOnInertHtml(html)).toThrow();
});
