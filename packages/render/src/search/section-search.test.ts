import { describe, expect, it } from 'vitest';
import { type IndexedText, indexText, openSectionSearch, type SectionSearch } from './section-search.ts';

const noPause = async (): Promise<void> => {};

function text(title: string, sections: [title: string, text: string][]): IndexedText {
  return indexText({
    title,
    description: '',
    hints: '',
    sections: ['', ...sections.map(([heading]) => heading)].map((heading, at) => ({
      id: String(at),
      title: heading,
      text: sections[at - 1]?.[1] ?? 'Words about it.',
      code: '',
    })),
  });
}

function open(texts: Record<string, IndexedText>): Promise<SectionSearch> {
  return openSectionSearch(new Map(Object.entries(texts)), noPause);
}

describe('the search over sections', () => {
  const many = Object.fromEntries(
    Array.from({ length: 400 }, (_, at) => [
      `p${at}`,
      text(`Page ${at}`, [[`Topic${at}`, `Detail${at} here.`]]),
    ]),
  );

  it('a section is found by its heading, also with a typo in every word', async () => {
    const search = await open({
      ...many,
      hooks: text('Webhooks', [
        ['Send a test event', 'Press the button.'],
        ['Rotate the signing secret', 'Call it twice.'],
      ]),
    });
    for (const query of [
      'rotate signing secret',
      'rotat singing secrt',
      'how do I rotate the signing secret',
    ]) {
      const { results } = await search.find(query, { limit: 3 });
      expect([results[0]?.href, results[0]?.sections[0]?.id]).toEqual(['hooks', '2']);
    }
    expect((await search.find('webhok secrt', { limit: 3 })).corrected).toBe('webhook secret');
  });

  it('a heading is first even if a word of the query is only on other pages', async () => {
    const all = 'Update it. Rotate it. The signing of a webhook. Keep the secret.';
    const search = await open({
      ...Object.fromEntries(
        Array.from({ length: 9 }, (_, at) => [`log${at}`, text(`Log ${at}`, [['Changes', all]])]),
      ),
      hooks: text('Webhooks', [['Rotate the signing secret', 'Call it twice.']]),
    });
    const { results } = await search.find('update webhook signing secret rotate', { limit: 3 });
    expect([results[0]?.href, results[0]?.sections[0]?.id]).toEqual(['hooks', '1']);
  });

  it('the words of an answer are counted in a text', async () => {
    const search = await open({ a: text('Oars', [['Pull', 'Pull the oars.']]) });
    const { terms } = await search.find('pulling oars', { limit: 3 });
    expect(search.countMatches('He pulls two oars.', terms)).toBe(2);
    expect(search.countMatches('Nothing of it.', terms)).toBe(0);
  });

  it('text that looks like a script is data', async () => {
    const search = await open({ '`${a}`': text('`); throw 1 //', [['${x} \\u0041 "', '`]) </script>']]) });
    const { results } = await search.find('throw', { limit: 3 });
    expect(results[0]).toMatchObject({ href: '`${a}`', title: '`); throw 1 //' });
  });

  it('an empty index finds nothing', async () => {
    expect((await (await open({})).find('anything', { limit: 3 })).results).toEqual([]);
  });
});
