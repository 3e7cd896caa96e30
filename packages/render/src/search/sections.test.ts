import { describe, expect, it } from 'vitest';
import { type Section, sectionsOf as readSections, withoutExtraSpace } from './sections.ts';

function sectionsOf(html: string): Section[] {
  return readSections(html).map(({ title, text, ...section }) => ({
    ...section,
    title: withoutExtraSpace(title),
    text: withoutExtraSpace(text),
  }));
}

describe('the sections of a page', () => {
  it('sections start at headings and separate their text', () => {
    const html =
      '<p>Before &amp; <code>x</code>y.</p><h2 id="one">One<a class="dy-anchor" href="#one" aria-hidden="true" tabindex="-1">#</a></h2>' +
      '<p>First</p><ul><li>a</li><li>b</li></ul><h3 id="two">Two</h3><p>Second</p>';
    expect(sectionsOf(html)).toEqual([
      { id: '', title: '', text: 'Before & xy.', code: '' },
      { id: 'one', title: 'One', text: 'First a b', code: '' },
      { id: 'two', title: 'Two', text: 'Second', code: '' },
    ]);
  });

  it('a section continues after an accordion, which is a separate section', () => {
    const html =
      '<h2 id="faq">FAQ</h2>before<details class="dy-accordion" id="why"><summary><svg><path d="M0 0"/></svg><span>Why?</span></summary>' +
      '<div>Because.</div></details>after<details><summary>More</summary>inside</details>';
    expect(sectionsOf(html).slice(1)).toEqual([
      { id: 'faq', title: 'FAQ', text: 'before after More inside', code: '' },
      { id: 'why', title: 'Why?', text: 'Because.', code: '' },
    ]);
  });

  it('pictures, buttons and hidden elements are excluded', () => {
    const html =
      '<svg><svg><title>no</title></svg>no</svg><button>no</button><span aria-hidden="true"><span>no</span>no</span>' +
      '<span class="dy-when-closed">Show</span><div hidden>no</div><!-- no --><img alt="a > b" aria-hidden="true">yes';
    expect(sectionsOf(html)[0]?.text).toBe('yes');
  });

  it('signs that begin no tag are text', () => {
    const html = `<p title='a "b" > c'>1 < 2, 3 </ 4, <b</p> <5> <p title="open</p>`;
    expect(sectionsOf(html)[0]?.text).toBe(`1 < 2, 3 </ 4, <b <5> <p title="open`);
  });

  it('code is separate from text', () => {
    const html =
      '<p>Call</p><pre tabindex="0"><code><span>client</span>.<span>send</span>()</code></pre><p>it</p>';
    expect(sectionsOf(html)[0]).toMatchObject({ text: 'Call it', code: 'client.send()\n' });
  });

  it('entities are decoded, and invalid ones are kept', () => {
    const html =
      '<p>&lt;a&gt; &#39;b&#x27; &#x1F600; &#0; &constructor; &amp;amp; R&D; &nbsp;end</p><pre>a &amp;&amp; b</pre>';
    expect(sectionsOf(html)[0]).toMatchObject({
      text: `<a> 'b' \u{1f600} &constructor; &amp; R&D; end`,
      code: 'a && b\n',
    });
  });

  it('a section has the id of its heading', () => {
    const html =
      '<h2 class="x" id="r&amp;d-&#x1F600;">R</h2><h3 id="">none</h3><details id="why">no</details>';
    expect(sectionsOf(html).map(({ id }) => id)).toEqual(['', 'r&d-\u{1f600}', 'why']);
  });

  it('sections of consecutive pages are separate', () => {
    sectionsOf('<h2 id="a">One</h2><p>long text of the page before</span></p>'.repeat(20));
    expect(sectionsOf('</spa')).toEqual([{ id: '', title: '', text: '</spa', code: '' }]);
  });

  it('unclosed tags are read in linear time', () => {
    const html = `<p>${'<a "'.repeat(1)}${"<b '".repeat(60_001)}${'<!--'.repeat(60_000)}`;
    expect(sectionsOf(html)).toHaveLength(1);
  });

  it('headings after the text limit of a section start sections', () => {
    const html = `<p>${'word '.repeat(5000)}</p><p hidden>no<h2 id="no">no</h2></p><b>more</b><h2 id="last">Last</h2><p>text</p>`;
    const sections = sectionsOf(html);
    expect(sections.map(({ id, title }) => [id, title])).toEqual([
      ['', ''],
      ['last', 'Last'],
    ]);
    expect(sections[1]?.text).toBe('text');
  });

  it('the number of sections is limited', () => {
    const html = Array.from({ length: 300 }, (_, at) => `<h2 id="s${at}">S${at}</h2>t`).join('');
    expect(sectionsOf(html).length).toBeLessThan(90);
  });
});
