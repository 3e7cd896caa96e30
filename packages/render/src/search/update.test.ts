import { describe, expect, it } from 'vitest';
import { SearchIndex } from './build.ts';
import { pageTerms } from './page-terms.ts';
import type { SearchedPage } from './pages.ts';
import { type UpdatedIndex, updateIndex } from './update.ts';
import type { PageTerms } from '../model/page.ts';

/** The same every time. */
class Dice {
  #seed: number;

  constructor(seed: number) {
    this.#seed = seed;
  }

  roll(sides: number): number {
    this.#seed = (Math.imul(this.#seed, 1_103_515_245) + 12_345) & 0x7f_ff_ff_ff;
    return (this.#seed >>> 8) % sides;
  }
}

interface Site {
  pages: Map<string, SearchedPage>;
  terms: Map<string, PageTerms | undefined>;
}

const scopes = [{ language: '', version: '' }];
const task = { keywords: [], boost: 1, hints: '' };

function words(dice: Dice, count: number, vocabulary: number): string {
  /** Some words are on every page and most on few, as in real text. */
  return Array.from({ length: count }, () => {
    const number = dice.roll(4) === 0 ? dice.roll(vocabulary) : dice.roll(1 + dice.roll(30));
    return `w${number.toString(36)}${number % 7 === 0 ? 'Éx' : ''}`;
  }).join(' ');
}

function page(
  dice: Dice,
  { vocabulary, sections }: { vocabulary: number; sections: number },
): PageTerms | undefined {
  if (dice.roll(20) === 0) return undefined;
  const parts = Array.from(
    { length: dice.roll(sections + 1) },
    (_, at) =>
      `<h2 id="s${at}">${words(dice, 2, vocabulary)}</h2><p>${words(dice, dice.roll(40), vocabulary)}</p>`,
  );
  const html = `<p>${words(dice, 20, vocabulary)}</p>${parts.join('')}`;
  return pageTerms({ html, title: words(dice, 2, vocabulary), description: '' }, task);
}

function site(dice: Dice, count: number, shape: { vocabulary: number; sections: number }): Site {
  const routes = Array.from({ length: count }, (_, at) => `p${at}`);
  return {
    pages: new Map(routes.map((route) => [route, searched(route, 'Title')])),
    terms: new Map(routes.map((route) => [route, page(dice, shape)])),
  };
}

function searched(route: string, title: string): SearchedPage {
  return { title, href: `${route}.html`, trail: ['Guides'], scopes: [0], task };
}

function build({ pages, terms }: Site): { files: Map<string, string>; reserve: Uint8Array } {
  const index = new SearchIndex(pages, scopes);
  const written = [...terms].flatMap(([route, of]) => index.add(route, of));
  const files = [...written, ...index.finish()].map(({ path, content }): [string, string] => [path, content]);
  return { files: new Map(files), reserve: index.reserve() };
}

function update(
  { files, reserve }: { files: Map<string, string>; reserve: Uint8Array },
  before: Site,
  after: Site,
): UpdatedIndex | undefined {
  const changed = [...after.terms].flatMap(([route, terms]) => {
    const old = before.terms.get(route);
    const isSame = old === terms && before.pages.get(route) === after.pages.get(route);
    return isSame ? [] : [[route, { before: old, after: terms }] as const];
  });
  const previous = (path: string): Uint8Array | undefined => {
    const content = files.get(path);
    return content === undefined ? undefined : Buffer.from(content);
  };
  return updateIndex({ pages: after.pages, scopes, previous, reserve, changed: new Map(changed) });
}

function applied(files: ReadonlyMap<string, string>, updated: UpdatedIndex): Map<string, string> {
  const now = new Map(files);
  for (const path of updated.removed) expect(now.delete(path)).toBe(true);
  for (const { path, content } of updated.files) {
    expect(now.get(path)).not.toBe(content);
    now.set(path, content);
  }
  return now;
}

function expectSame(actual: ReadonlyMap<string, string>, wanted: ReadonlyMap<string, string>): void {
  expect([...actual.keys()].toSorted()).toEqual([...wanted.keys()].toSorted());
  for (const [path, content] of wanted) if (actual.get(path) !== content) expect.fail(`${path} differs`);
}

function edited(
  dice: Dice,
  before: Site,
  count: number,
  shape: { vocabulary: number; sections: number },
): Site {
  const after: Site = { pages: new Map(before.pages), terms: new Map(before.terms) };
  for (let edit = 0; edit < count; edit++) {
    const route = `p${dice.roll(before.pages.size)}`;
    after.terms.set(route, page(dice, shape));
    if (dice.roll(3) === 0) after.pages.set(route, searched(route, `Title ${dice.roll(1000)}`));
  }
  return after;
}

describe('an index brought up to date', () => {
  it.each([1, 2, 3, 4, 5, 6])('is the same as one built anew, edit after edit (%i)', (seed) => {
    const dice = new Dice(seed);
    const shape = { vocabulary: seed % 2 ? 4000 : 300, sections: seed % 3 ? 4 : 0 };
    let current = site(dice, 120, shape);
    let index = build(current);
    for (let round = 0; round < 8; round++) {
      const after = edited(dice, current, 1 + dice.roll(3), shape);
      const updated = update(index, current, after);
      if (!updated) expect.fail('not brought up to date');
      index = { files: applied(index.files, updated), reserve: updated.reserve };
      expectSame(index.files, build(after).files);
      current = after;
    }
  });

  it('holds for terms of which only the best sections are known, until too many of those are gone', () => {
    const dice = new Dice(11);
    const shape = { vocabulary: 9000, sections: 0 };
    const crowded = (): PageTerms => {
      const parts = Array.from(
        { length: 80 },
        (_, at) => `<h2 id="s${at}">all</h2><p>${words(dice, 9, 9000)}</p>`,
      );
      return pageTerms({ html: parts.join(''), title: 'all', description: '' }, task);
    };
    let current = site(dice, 45, shape);
    for (const route of current.terms.keys()) current.terms.set(route, crowded());
    let index = build(current);
    expect([...index.files.values()].some((content) => / \d{4}$/m.test(content))).toBe(true);
    for (let round = 0; round < 6; round++) {
      const after: Site = { pages: current.pages, terms: new Map(current.terms) };
      const isShort = round % 3 === 2;
      after.terms.set(
        `p${dice.roll(45)}`,
        isShort ? page(dice, { vocabulary: 9000, sections: 3 }) : crowded(),
      );
      const updated = update(index, current, after);
      if (!updated) expect.fail(`not brought up to date in round ${round}`);
      index = { files: applied(index.files, updated), reserve: updated.reserve };
      expectSame(index.files, build(after).files);
      current = after;
    }
    const emptied: Site = { pages: current.pages, terms: new Map(current.terms) };
    for (let at = 0; at < 20; at++) emptied.terms.set(`p${at}`, undefined);
    expect(update(build(current), current, emptied)).toBeUndefined();
  });

  it('touches few files after a small edit', () => {
    const dice = new Dice(5);
    const before = site(dice, 400, { vocabulary: 6000, sections: 4 });
    const html = '<p>one two three</p>';
    const after: Site = { pages: before.pages, terms: new Map(before.terms) };
    before.terms.set('p7', pageTerms({ html, title: 'Title', description: '' }, task));
    after.terms.set(
      'p7',
      pageTerms({ html: html.replace('two', 'four'), title: 'Title', description: '' }, task),
    );
    const index = build(before);
    const updated = update(index, before, after);
    expect(updated?.files.length).toBeLessThan(8);
    expect(index.files.size).toBeGreaterThan(15);
    if (updated) expectSame(applied(index.files, updated), build(after).files);
  });

  it('is refused when files are missing or other pages are listed', () => {
    const before = site(new Dice(3), 30, { vocabulary: 300, sections: 2 });
    const after = edited(new Dice(4), before, 2, { vocabulary: 300, sections: 2 });
    const { files, reserve } = build(before);
    expect(update({ files: new Map(), reserve }, before, after)).toBeUndefined();
    const withoutTerms = new Map([...files].filter(([path]) => !path.includes('/t')));
    expect(update({ files: withoutTerms, reserve }, before, after)).toBeUndefined();
    const more: Site = { ...after, pages: new Map([...after.pages, ['new', searched('new', 'New')]]) };
    expect(update({ files, reserve }, before, more)).toBeUndefined();
  });
});
