import { describe, expect, it } from 'vitest';
import { renderFiles, renderFixture } from '../../test/support/render-fixture.ts';
import { aggregated, otherPlaces, placesOf } from './aggregate.ts';
import type { Diagnostic } from '../model/diagnostic.ts';

const finding = (file: string, more: Partial<Diagnostic> = {}): Diagnostic => ({
  severity: 'warning',
  code: 'broken_link',
  message: 'The link leads nowhere',
  file,
  line: 1,
  ...more,
});

describe('findings with one cause', () => {
  it('the same message in many files is one finding with a count and the first places', () => {
    const all = Array.from({ length: 500 }, (_, index) =>
      finding(`page-${String(index).padStart(3, '0')}.mdx`),
    );
    const [one, ...others] = aggregated(all);
    expect(others).toEqual([]);
    expect(one).toMatchObject({ file: 'page-000.mdx', count: 500, message: 'The link leads nowhere' });
    expect(one?.examples).toHaveLength(100);
    expect(otherPlaces(one ?? {})).toBe(
      '500 times, also in page-001.mdx:1, page-002.mdx:1, page-003.mdx:1, …',
    );
  });

  it('two of a kind are listed one by one', () => {
    expect(aggregated([finding('a.mdx'), finding('b.mdx')])).toHaveLength(2);
  });

  it('many ids of one place are one finding', () => {
    const ids = ['a', 'b', 'c', 'd'].map((id) =>
      finding('snippets/row.mdx', { code: 'duplicate_id', message: `The id "${id}" stands twice`, line: 7 }),
    );
    expect(aggregated(ids)).toMatchObject([{ count: 4, line: 7 }]);
  });

  it('pictures that are missing from one folder are one finding', () => {
    const pictures = Array.from({ length: 40 }, (_, index) =>
      finding(`page-${index}.mdx`, {
        code: 'image_missing',
        message: `"/images/old/${index}.png" is not a file of the site`,
        target: `/images/old/${index}.png`,
      }),
    );
    expect(aggregated(pictures)).toMatchObject([
      {
        count: 40,
        message:
          '40 images of "/images/old" are not files of the site; readers see their descriptions instead',
      },
    ]);
  });

  it('findings of other severities and codes stay apart', () => {
    const all = ['a', 'b', 'c'].flatMap((file) => [
      finding(file),
      finding(file, { severity: 'error' }),
      finding(file, { code: 'broken_anchor' }),
    ]);
    expect(aggregated(all).map(({ count }) => count)).toEqual([3, 3, 3]);
  });

  it('each place of a finding can be listed separately', () => {
    const [one] = aggregated(['a', 'b', 'c'].map((file) => finding(file)));
    expect(placesOf(one as Diagnostic).map(({ file, line, count }) => [file, line, count])).toEqual([
      ['a', 1, undefined],
      ['b', 1, undefined],
      ['c', 1, undefined],
    ]);
  });
});

describe('the report of a site', () => {
  it('a report counts a repeated cause once and says how often it occurs', async () => {
    const pages = Array.from({ length: 12 }, (_, index) => `page-${index}`);
    const { report } = await renderFiles({
      'docs.json': JSON.stringify({ name: 'Site', navigation: { pages } }),
      ...Object.fromEntries(
        pages.map((page) => [`${page}.mdx`, '![Gone](/gone.png)\n\n<blink>Shown</blink>']),
      ),
    });
    expect(report.byCode).toMatchObject({ image_missing: 1, element_dropped: 1 });
    expect(report.occurrences).toBe(24);
    expect(report.diagnostics.map(({ message, count }) => [message, count])).toEqual([
      ['"/gone.png" is not a file of the site; readers see its description instead', 12],
      ['<blink> is not allowed in a page; readers see its content', 12],
    ]);
  });

  it('a site with three causes on all pages has three findings', async () => {
    const { report } = await renderFixture('repeated-causes');
    expect(report.diagnostics.map(({ message, count }) => [message, count]).toSorted()).toEqual([
      ['20 images of "/images/old" are not files of the site; readers see their descriptions instead', 20],
      ['<marquee> is not allowed in a page; readers see its content', 8],
      ['The id "row" occurs more than once on the page; links to it lead to the first element', 4],
    ]);
    expect(report.occurrences).toBe(32);
  });

  it('a finding about an element says that its content is shown only when it is', async () => {
    const site = await renderFiles({ 'index.mdx': '<marquee>Still here</marquee>\n\n<object>Gone</object>' });
    expect(site.content('index.html')).toContain('Still here');
    expect(site.content('index.html')).not.toContain('Gone');
    expect(
      site.diagnostics.filter(({ code }) => code === 'element_dropped').map(({ message }) => message),
    ).toEqual([
      '<marquee> is not allowed in a page; readers see its content',
      '<object> is not allowed in a page; readers see nothing in its place',
    ]);
  });
});
