/** Hostile sites at the strictest isolation level of this machine. `npm run attacks` runs all of them at every level. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { classes, readCorpus } from './corpus.ts';
import { dangersIn } from './page-dangers.ts';
import { findLevels } from './isolation-levels.ts';
import { Stage } from './run.ts';

const isLong = process.env['LONG_TESTS'] !== undefined;
const sample = new Set([
  'loop-while',
  'heap',
  'prototype-across-pages',
  'process-by-constructor',
  'link-page',
  'picture-beacons',
  'openapi-files',
]);
const attacks = readCorpus();
const chosen = attacks.filter(({ id }) => isLong || sample.has(id));

describe('hostile sites', () => {
  let stage: Stage;

  beforeAll(async () => {
    const [tightest] = await findLevels(() => undefined);
    if (tightest === undefined) throw new Error('there is no level at all');
    stage = new Stage(tightest);
    await stage.prepare();
  }, 120_000);
  afterAll(() => stage.close());

  test.each(chosen.map((attack) => [attack.id, attack] as const))(
    '%s is contained and reported with its code',
    { timeout: 180_000 },
    async (_, attack) => {
      const { problems } = await stage.run(attack);
      expect(problems).toEqual([]);
    },
  );
});

test('the corpus has cases of every class, each with a sentence', () => {
  expect(attacks.length).toBeGreaterThan(150);
  expect(chosen.length).toBeGreaterThanOrEqual(sample.size);
  expect(new Set(attacks.map((attack) => attack.class))).toEqual(new Set(classes));
  for (const { does, id } of attacks) expect(does, id).toMatch(/^[A-Z0-9].*\.$/);
});

const policy = `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'self'; style-src 'self'; base-uri 'none'">`;

test.each([
  '<script>x()</script>',
  '<script src="https://evil.example/x.js"></script>',
  '<b onclick="x()">x</b>',
  '<p style="color:red">x</p>',
  '<style>*{}</style>',
  '<a href="java&#9;script:x()">x</a>',
  '<iframe srcdoc="x"></iframe>',
  '<img src="//evil.example/x.png">',
  '<meta http-equiv="refresh" content="0; url=javascript:x()">',
  '<base href="x">',
  'a < b',
])('the judge of output sees what must not be there: %s', (html) => {
  expect(dangersIn(policy)).toEqual([]);
  expect(dangersIn(policy + html)).not.toEqual([]);
});

test('the judge of output insists on a policy', () => {
  expect(dangersIn('<p>x</p>')).toEqual(['a page without a strict policy']);
  expect(dangersIn(policy.replace("script-src 'self'", 'script-src *'))).not.toEqual([]);
});
