import { describe, expect, it } from 'vitest';
import { searchWords } from './browser-code.ts';

const words = searchWords();

function termsOf(text: string): string[] {
  const terms: string[] = [];
  words.eachWord(text, ({ whole, parts }) =>
    terms.push(...(whole === null ? [] : [whole]), ...parts.map(({ term }) => term)),
  );
  return terms;
}

describe('the words of a text', () => {
  it('words are lower case without accents', () => {
    expect(termsOf('Übersicht der Größe, déjà vu, São Łódź')).toEqual(
      'ubersicht der grosse deja vu sao lodz'.split(' '),
    );
    expect(termsOf('ｆｕｌｌ ﬁle')).toEqual(['full', 'file']);
  });

  it('singular and plural are one term', () => {
    expect(termsOf('webhooks policies indexes classes status analysis APIs')).toEqual(
      'webhook policy index class status analysis api'.split(' '),
    );
  });

  it('the terms of an identifier are the identifier and its parts', () => {
    expect(termsOf('createUserToken')).toEqual(['createusertoken', 'create', 'user', 'token']);
    expect(termsOf('max_tokens')).toEqual(['maxtoken', 'max', 'token']);
    expect(termsOf('docs.json')).toEqual(['docsjson', 'doc', 'json']);
    expect(termsOf('parseHTTPResponse')).toEqual(['parsehttpresponse', 'parse', 'http', 'response']);
    expect(termsOf('OAuth2')).toEqual(['oauth2', 'auth2']);
    expect(termsOf('x-api-key')).toEqual(['xapikey', 'api', 'key']);
    expect(termsOf('C++ and C#')).toEqual(['c++', 'and', 'c#']);
  });

  it('words end at signs that do not join them', () => {
    expect(termsOf("End. Note: a-b, it's; x.-y C++ c# __init__ naïve.é last")).toEqual(
      'end note ab its it x y c++ c# init naivee naive last'.split(' '),
    );
  });

  it('the terms of scripts without spaces are bigrams', () => {
    expect(termsOf('安装指南')).toEqual(['安装', '装指', '指南']);
    expect(termsOf('インストール')).toHaveLength(5);
    expect(termsOf('설치 방법')).toEqual(['설치', '방법']);
    expect(termsOf('使用API密钥')).toEqual(['使用', 'api', '密钥']);
    expect(termsOf('が')).toEqual(['が']);
    expect(termsOf('การติดตั้ง').length).toBeGreaterThan(3);
  });

  it('the terms of other scripts are words', () => {
    expect(termsOf('Быстрый старт')).toEqual(['быстрыи', 'старт']);
    expect(termsOf('البدء السريع')).toEqual(['البدء', 'السريع']);
  });

  it('words have their position', () => {
    const text = 'Set 《API密钥》 and docs.json';
    const found: string[] = [];
    words.eachWord(text, ({ parts }, start, end) => {
      found.push(
        text.slice(start, end),
        ...parts.map(({ from, to }) => text.slice(start + from, start + to)),
      );
    });
    expect(found).toEqual(['Set', 'API', '密钥', 'and', 'docs.json', 'docs', 'json']);
  });

  it('words do not depend on the surrounding script', () => {
    const text = 'naïve Ünïcode_x2 ½ x² don’t a—b “q” C++ Łódź → ok·ish µs user@host.com ªº 10×5 ÷ ✓ done';
    const mixed = termsOf(`${text} й`);
    expect(termsOf(text)).toEqual(mixed.slice(0, -1));
  });

  it('terms contain no separators of the index', () => {
    const hostile = '`${x}` \\ a\u2028b \0 "q" \'s\' </script> \ud800 ﷽ ㋿ ½ x²';
    for (const term of termsOf(hostile)) expect(term).toMatch(/^[^\s`\\$"'<>]+$/);
  });

  it('weights survive the encoding as one digit', () => {
    expect(words.digits).toHaveLength(91);
    for (const weight of [0.1, 1, 7.5, 100])
      expect(words.weightOf(words.stepOf(weight)) / weight).toBeCloseTo(1, 0.9);
    expect(words.stepOf(1e9)).toBe(90);
    expect(words.stepOf(0)).toBe(0);
  });
});
