import { describe, expect, it } from 'vitest';
import { parseDocument } from 'yaml';
import { readPlainYaml } from './plain-yaml.ts';

const declined = Symbol('declined');

/** What the full reader makes of it; undefined where it finds a mistake. */
function fullValue(source: string): unknown {
  const document = parseDocument(source, {
    logLevel: 'silent',
    uniqueKeys: false,
    merge: true,
    prettyErrors: false,
  });
  return document.errors.length > 0 ? undefined : document.toJS({ maxAliasCount: 50 });
}

const page = `title: "Rate limits: what they are"
description: How many requests
  you may send

  in a minute
icon: 'gauge-high'   # not text
sidebarTitle: 'It''s limited'
tag:
hidden: false
boost: 1.5
order: -3
keywords: [limits, "429", { kind: error, code: 429 }, [], {}]
openapi: get /v1/limits/{id}
"og:title": Limits
`;

const description = `---
openapi: 3.1.0
# The service
info:
  title: Pets & more
  version: "1.0"
  description: |-
    Lists pets.

      indented: stays
    # no comment
servers:
- url: https://example.com/{region}
  variables:
    region: {default: eu,
      enum: [eu, us],
    }
paths:
  /pets/{id}:
    get:
      tags: [ pets, 'all of them' ]
      parameters:
        - name: id
          in: path
          required: true
        -
          name: limit
          schema: { type: integer, minimum: 0 }
      description: >
        Folded text
        goes on

        in paragraphs
          with deeper lines

          and more
        until the end.
      responses:
        200:
          description: "A \\"pet\\"
            in two lines"
        '404': ~
        default: null
x-lists:
  - - 1
    - 0.5
  - - 1e3
x-true: True
`;

describe('a plain YAML text', () => {
  it.each([
    ['front matter', page],
    ['an API description', description],
    ['a text that ends without a line end', 'a: |\n  text'],
    ['keys that are repeated', 'a: 1\nb: 2\na: 3\n'],
    ['keys that are numbers and words', '10: a\n2: b\n1.0: c\nnull: d\nconstructor: e\n'],
    ['a colon inside of text', 'a: 10:30\nb: http://example.com/#top\nc#d: e\n'],
    ['brackets that close below their key', 'a: [\n  1,\n  2\n]\nb: {\n}\n'],
    ['empty block text', 'a: |\nb: >-\n\nc: |-\n\n  x\n'],
  ])('has the values that the full reader finds: %s', (_name, source) => {
    const value = readPlainYaml(source);
    expect(value).toEqual(fullValue(source));
    expect(JSON.stringify(value)).toBe(JSON.stringify(fullValue(source)));
  });

  it.each([
    ['an anchor', 'a: &x 1\nb: *x\n'],
    ['a tag', 'a: !!str 1\n'],
    ['a merge', '<<: { a: 1 }\n'],
    ['a tab', 'a:\tb\n'],
    ['several documents', 'a: 1\n---\nb: 2\n'],
    ['an escape that JSON does not know', String.raw`a: "\x41"`],
    ['a number that is not decimal', 'a: 0x1F\n'],
    ['a key that is a list', '? [a]\n: b\n'],
    ['a key that would reach the prototype', '__proto__: { a: 1 }\n'],
    ['a mistake: a key in a value', 'a: b: c\n'],
    ['a mistake: a line that is no key', 'a: 1\nb\n'],
    ['a mistake: a quote without end', 'a: "b\nc: d\n'],
    ['a mistake: lines that stand nowhere', 'a:\n    b: 1\n  c: 2\n'],
    ['a list', '- a\n'],
    ['text', 'text\n'],
    ['nothing', '\n'],
    ['what is nested without end', `a: ${'['.repeat(100_000)}`],
  ])('is left to the full reader when it has %s', (_name, source) => {
    expect(readPlainYaml(source)).toBeUndefined();
  });

  it('never means anything else than the full reader says, however it is spoiled', () => {
    const random = numbers(20_261_115);
    const sources = [page, description].map((text) => text.split('\n'));
    let compared = 0;
    for (let round = 0; round < 3000; round++) {
      const source = spoiled(sources[round % 2] ?? [], random);
      const value = readPlainYaml(source) ?? declined;
      if (value === declined) continue;
      compared++;
      expect(value, JSON.stringify(source)).toEqual(fullValue(source));
    }
    expect(compared).toBeGreaterThan(300);
  });
});

const bits =
  ' |  |-|- |:|: |#| #|"|\'|[|]|{|}|,|>|>-|\n|\n\n|\n  |&a|*a|!|? |%|~|true|1|.5|a: b|\\|\\n|---'.split('|');

/** Some lines of the text with one to three places changed. */
function spoiled(lines: readonly string[], random: (below: number) => number): string {
  const first = random(lines.length);
  const part = lines.slice(first, first + 2 + random(12));
  const indents = part.filter((line) => line.trim() !== '').map((line) => /^ */.exec(line)?.[0].length ?? 0);
  let text = part.map((line) => line.slice(Math.min(...indents, 40))).join('\n');
  for (let changes = 1 + random(3); changes > 0; changes--) {
    const at = random(text.length + 1);
    const bit = random(3) === 0 ? '' : (bits[random(bits.length)] ?? '');
    text = text.slice(0, at) + bit + text.slice(at + random(3));
  }
  return text;
}

/** The same numbers every time. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
