import { describe, expect, it } from 'vitest';
import { searchWords } from './browser-code.ts';
import { TermsReader } from './packed-terms.ts';
import { pageTerms } from './page-terms.ts';

const script = searchWords();

function foundIn(html: string, { title = '', keywords = [] as string[] } = {}): Record<string, number> {
  const task = { keywords, boost: 1, hints: '' };
  const reader = new TermsReader(pageTerms({ html, title, description: '' }, task));
  const found: Record<string, number> = {};
  while (reader.nextTerm())
    while (reader.nextSection()) if (reader.section === 0) found[reader.text()] = reader.step;
  return sorted(found);
}

function expectedOf(text: string): Record<string, number> {
  const times = new Map<string, number>();
  let words = 0;
  script.eachWord(text, ({ whole, keys }) => {
    words++;
    for (const [at, key] of keys.entries()) {
      const share = whole === null || at === 0 ? 1 : 0.6;
      if (!key.common) times.set(key.text, (times.get(key.text) ?? 0) + share);
    }
  });
  const shortness = 1.2 * (0.25 + (0.75 * words) / 60);
  const steps = Array.from(times, ([term, often]) => [
    term,
    script.stepOf((often * 2.2) / (often + shortness)),
  ]);
  return sorted(Object.fromEntries(steps) as Record<string, number>);
}

function sorted(steps: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.entries(steps).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** A seeded generator. */
function rolls(first: number): (sides: number) => number {
  let seed = first;
  return (sides) => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7f_ff_ff_ff;
    return (seed >>> 8) % sides;
  };
}

const scripts =
  "a B word Words getHTTPResponse_v2 max_tokens docs.json x-api-key C++ C# c#x _ __ . ' ’ - / : @ + # 密钥 使用 が インスト ール ・ 。 、 《 설치 방법 é Ünïcode ß naïve ½ x² µs й Быстрый การ 々 〇 ﬁle ｆｕｌｌ 😀 \u0301 “ ” — → ✓ 1 10 2x \ud800 supercalifragilisticexpialidocious";
const names =
  "APIs URLs DNSs HTTPServer IDs2 aB ABc A AB Ab1 B2B x9y _x x_ status policies ties indexes classes dishes buses is this apis basis gas yes s ss a.b.c one-two/three:four@five it's C#s j++ 12 3.14 0x1F v2.0.1 snake_case_with_many_parts_in_it SCREAMING_CASE averyveryverylongwordthatgoesonandonandonfarbeyond camelCaseWithVeryManyPartsInsideOfIt";

describe('the terms of a page', () => {
  it('the terms equal those of the browser for mixed scripts and signs', () => {
    const pieces = `${scripts} ${names}`.split(' ');
    const roll = rolls(5);
    for (let round = 0; round < 8000; round++) {
      const text = Array.from(
        { length: 1 + roll(7) },
        () => (pieces[roll(pieces.length)] ?? '') + (roll(3) === 0 ? ' ' : ''),
      ).join('');
      expect(foundIn(text), text).toEqual(expectedOf(text));
    }
  });

  it('the terms equal those of the browser for every ASCII word', () => {
    const signs = "aabcdeghipsuxysABCDEHIPSXY019_.-/:@'";
    const roll = rolls(7);
    for (let round = 0; round < 20_000; round++) {
      const text = Array.from({ length: 1 + roll(round % 50 === 0 ? 60 : 9) }, () =>
        signs.charAt(roll(signs.length)),
      ).join('');
      expect(foundIn(text), text).toEqual(expectedOf(text));
    }
  });

  it('the terms are the same on repetition', () => {
    const text = 'Set max_tokens in docs.json, C++ and 配置API密钥 for parseHTTPResponse.body.text';
    expect(foundIn(text)).toEqual(foundIn(text));
  });

  it('terms of code are names and members without numbers and stop words', () => {
    const code = '<pre>const client = new Api(); client.sendBatch(items, 100, x) // the end</pre>';
    const step = script.stepOf(0.35);
    const expected = 'api client clientsendbatch const end item new sendbatch'.split(' ');
    expect(foundIn(code)).toEqual(Object.fromEntries(expected.map((name) => [name, step])));
  });

  it('words of any length are handled', () => {
    const text = `${'long'.repeat(5000)} ${'密'.repeat(5000)} ${'aB1.'.repeat(3000)}z`;
    expect(foundIn(text)).toEqual(expectedOf(text));
  });

  it('a term in several keywords counts once with its best weight', () => {
    const step = script.stepOf(4);
    expect(foundIn('', { keywords: ['retry', 'retry after failure', 'Retries'] })).toMatchObject({
      retry: step,
      after: script.stepOf(4 / 1.24),
    });
    expect(foundIn('', { title: 'Retry' })).toEqual({ retry: script.stepOf(10) });
  });

  it('the terms are correct after the word cache was cleared', () => {
    const before = foundIn('<p>webhooks and docs.json</p>');
    for (let page = 0; page < 12; page++) {
      const words = Array.from({ length: 2500 }, (_, at) => `w${page}x${at}`).join(' ');
      for (const section of [0, 1, 2, 3])
        pageTerms(
          { html: `<p>${words.replaceAll('w', `v${section}`)}</p>`, title: '', description: '' },
          { keywords: [], boost: 1, hints: '' },
        );
    }
    expect(foundIn('<p>webhooks and docs.json</p>')).toEqual(before);
  });

  it('the terms are correct after a very large page', () => {
    const before = foundIn('<p>webhooks and docs.json</p>');
    expect(foundIn(`${'<b></b>'.repeat(5_000_000)}end`)).toEqual({ end: expect.any(Number) as number });
    expect(foundIn('<p>webhooks and docs.json</p>')).toEqual(before);
  });
});
