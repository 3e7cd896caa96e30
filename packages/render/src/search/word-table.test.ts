import { describe, expect, it } from 'vitest';
import { searchWords } from './browser-code.ts';
import { UnitBuffer } from './units.ts';
import { WordTable } from './word-table.ts';

const script = searchWords();
const table = new WordTable();
const buffer = new UnitBuffer();

interface Found {
  terms: string[];
  words: number;
}

/** As the search in the browser does it. */
function asked(text: string): Found {
  const terms: string[] = [];
  let words = 0;
  script.eachWord(text, ({ whole, keys }) => {
    words++;
    keys.forEach((key, at) => terms.push(whole === null || at === 0 ? key.text : `(${key.text})`));
  });
  return { terms, words };
}

function found(text: string): Found {
  buffer.length = 0;
  /** What stands around a text must not matter. */
  buffer.addText(`x${text}y`);
  table.findTerms(buffer.units, 1, text.length + 1);
  const terms = Array.from(table.found.subarray(0, table.count), (entry) =>
    entry & 1 ? `(${textOf(entry >> 1)})` : textOf(entry >> 1),
  );
  return { terms, words: table.wordCount };
}

function textOf(term: number): string {
  const bytes = new Uint8Array(table.terms.lengthOf(term) + 5);
  const end = table.terms.write(term, bytes, 0);
  return new TextDecoder().decode(bytes.subarray(end - table.terms.lengthOf(term), end));
}

function namesIn(code: string): string[] {
  buffer.length = 0;
  buffer.addText(code);
  table.findNames(buffer.units, 0, code.length);
  return Array.from(table.found.subarray(0, table.count), (entry) => textOf(entry >> 1));
}

describe('the table of words', () => {
  it('finds the terms that the browser finds, however scripts and signs are mixed', () => {
    const pieces =
      "a B word Words getHTTPResponse_v2 max_tokens docs.json x-api-key C++ C# c#x _ __ . ' ’ - / : @ + # 密钥 使用 が インスト ール ・ 。 、 《 설치 방법 é Ünïcode ß naïve ½ x² µs й Быстрый การ 々 〇 ﬁle ｆｕｌｌ 😀 \u0301 “ ” — → ✓ 1 10 2x \ud800 supercalifragilisticexpialidocious".split(
        ' ',
      );
    let seed = 5;
    const roll = (sides: number): number => {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7f_ff_ff_ff;
      return (seed >>> 8) % sides;
    };
    for (let round = 0; round < 6000; round++) {
      const text = Array.from(
        { length: 1 + roll(7) },
        () => (pieces[roll(pieces.length)] ?? '') + (roll(3) === 0 ? ' ' : ''),
      ).join('');
      expect(found(text), text).toEqual(asked(text));
    }
  });

  it('says the same the second time', () => {
    const text = 'Set max_tokens in docs.json, C++ and 配置API密钥 for parseHTTPResponse.body.text';
    expect(found(text)).toEqual(found(text));
  });

  it('takes of code the names and their members, no numbers and no small words', () => {
    expect(namesIn('const client = new Api(); client.sendBatch(items, 100, x) // the end')).toEqual(
      'const client new api clientsendbatch client sendbatch item end'.split(' '),
    );
  });

  it('reads words of any length', () => {
    const text = `${'long'.repeat(5000)} ${'密'.repeat(5000)} ${'aB1.'.repeat(3000)}z`;
    expect(found(text)).toEqual(asked(text));
  });
});
