import { beforeAll, describe, expect, it } from 'vitest';
import { type Rendered, renderFiles } from '../../test/support/render-fixture.ts';

const cases = {
  callout: '<Warning title="Careful">**Hot**</Warning>\n\n> [!TIP]\n> A quote\n\n<INfo>odd spelling</INfo>',
  card: '<CardGroup cols={3}>\n<Card title="A" icon="code" href="/other">Text with [a link](/other)</Card>\n<Card title="B">B</Card>\n</CardGroup>',
  steps:
    '<Steps titleSize="h3">\n<Step title="First">\n\nDo it.\n\n</Step>\n<Step title="Second">Then</Step>\n</Steps>',
  tabs: '<Tabs>\n<Tab title="One">1</Tab>\n<Tab title="Two">2</Tab>\n</Tabs>',
  mapped: '<Tabs>{["x", "y"].map((name) => <Tab title={name}>{name}!</Tab>)}</Tabs>',
  accordion: '<Accordion title="More" defaultOpen>\n\n## Inside\n\n</Accordion>',
  fields:
    '<ParamField query="user_id" type="string" required default="x">\n\nWho\n\n</ParamField>\n\n<ResponseField name="ok" type="boolean">Yes</ResponseField>',
  unknown: '<Mystery a={1}>kept **text**</Mystery>',
  html: '<p className="x">one</p>\n\n<script>alert(1)</script>\n\n<iframe src="//www.youtube.com/embed/x"></iframe>\n\n<br/>',
  tooltip: 'An <Tooltip tip="Explained">idea</Tooltip> and a <Badge color="green">new</Badge>',
  unsupported:
    'Before {fetch("/x").then((r) => r.json()).then((body) => body.items.length)} {undefinedName} after',
  footnote: 'Text[^1].\n\n[^1]: The note.',
  table: '| a | b |\n|---|--:|\n| `x` | 2 |',
  reference: 'See [it][target] and [Missing][none].\n\n[target]: /other "Title"',
  frame: '<Frame caption="A [link](/other)"><img src="/pic.png" alt="Pic" /></Frame>',
  ids: '<div id="setup">\n\n## Setup\n\n</div>\n\n## Footer\n\n## Navbar\n\n## Content area',
  rules:
    'export const Box = () => <div className="box"><style>{`.box > b { background: url("/pic.png"); }`}</style><b>x</b></div>\n\n' +
    '<Box />\n\n<Box />\n\n<style media="print">{`.far { background: url(https://example.com/a.png) }`}</style>',
  picture:
    '<b style={{ background: "url(\'/pic.png\') no-repeat", mask: "url(https://example.com/m.png)" }}>x</b>',
  visibility: '<Visibility for="agents">secret</Visibility><Visibility for="humans">shown</Visibility>',
};

let rendered: Rendered;
const html = (name: keyof typeof cases): string => rendered.content(`${name}.html`);

beforeAll(async () => {
  const pages = Object.entries(cases).map(([name, source]) => [`${name}.mdx`, source]);
  rendered = await renderFiles({ ...Object.fromEntries(pages), 'other.mdx': 'Other', 'pic.png': 'x' });
});

describe('components', () => {
  it('callouts have a kind, a title and a label', () => {
    expect(html('callout')).toContain(
      '<aside class="dy-callout callout dy-callout-warning" role="note" aria-label="Warning" data-callout-type="warning">',
    );
    expect(html('callout')).toContain('<p class="dy-callout-title">Careful</p><strong>Hot</strong>');
    expect(html('callout')).toContain('callout-tip');
    expect(html('callout')).toContain('callout-info');
  });

  it('cards are links, and links inside them keep only their text', () => {
    expect(html('card')).toContain('<div class="dy-cards dy-cards-3 columns card-group">');
    expect(html('card')).toMatch(
      /<a class="dy-card card dy-card-link" href="other.html">.*Text with a link<\/div>/,
    );
    expect(html('card')).toContain('<div class="dy-card card">');
  });

  it('steps are numbered and their titles can be headings', () => {
    expect(html('steps')).toMatch(
      /<span class="dy-step-number" data-component-part="step-number">1<\/span>.*<h3 id="first" class="dy-step-title" data-component-part="step-title">First/,
    );
    expect(html('steps')).toMatch(
      /<span class="dy-step-number" data-component-part="step-number">2<\/span>.*id="second"/,
    );
  });

  it('tabs are titled sections, readable without a script', () => {
    expect(html('tabs')).toContain(
      'aria-controls="one" aria-selected="true" data-active="true" data-component-part="tab-button">One</button>',
    );
    expect(html('tabs')).toContain(
      '<section class="dy-tab" id="two" aria-label="Two" data-component-part="tab-content"><p class="dy-tab-title">Two</p>2</section>',
    );
    expect(html('mapped')).toContain('<p class="dy-tab-title">y</p>y!</section>');
  });

  it('accordions are details whose headings stay out of the table of contents', () => {
    expect(html('accordion')).toContain('<details class="dy-accordion accordion" id="more" open>');
    expect(rendered.files.get('accordion.html')).not.toContain('site-contents');
  });

  it('fields show name, type, location and default', () => {
    expect(html('fields')).toContain('id="param-user-id"');
    expect(html('fields')).toMatch(
      /user_id<\/code> <code class="dy-field-type">string<\/code>.*query.*required.*default <code>x/,
    );
    expect(html('fields')).toContain('boolean');
  });

  it('an unknown component shows its content and is reported', () => {
    expect(html('unknown')).toBe('kept <strong>text</strong>');
    expect(rendered.diagnostics).toContainEqual(
      expect.objectContaining({
        code: 'component_unknown',
        file: 'unknown.mdx',
        line: 1,
        severity: 'warning',
      }),
    );
  });

  it('raw HTML is filtered by an allowlist', () => {
    expect(html('html')).toContain('<p class="x">one</p>');
    expect(html('html')).not.toContain('alert');
    expect(html('html')).toContain('<a class="dy-remote-embed" href="https://www.youtube.com/watch?v=x"');
    expect(html('html')).not.toContain('<iframe');
  });

  it('inline components stay inline', () => {
    expect(html('tooltip')).toMatch(
      /^<p>An <span class="dy-tooltip tooltip">.*Explained.*<span class="dy-badge dy-badge-green"[^>]*>new<\/span><\/p>$/,
    );
  });

  it('an expression that cannot be computed shows nothing, a short name is shown as written', () => {
    expect(html('unsupported')).toBe('<p>Before  {undefinedName} after</p>');
    expect(rendered.codes.filter((code) => /^(?:expression|code)_/.test(code)).toSorted()).toEqual([
      'code_failed',
      'expression_unsupported',
    ]);
  });

  it('ids are unique on a page, and content takes precedence over the frame', () => {
    const page = rendered.files.get('ids.html') ?? '';
    const ids = [...page.matchAll(/ id="([^"]*)"/g)].map((match) => match[1]);
    expect(new Set(ids).size).toBe(ids.length);
    expect(html('ids')).toMatch(/<div id="setup"><h2 id="setup-2">/);
    expect(html('ids')).toMatch(/<h2 id="footer">.*<h2 id="navbar">.*<h2 id="content-area-2">/);
  });

  it('style rules of a page become a file that only this page loads', () => {
    const linked = (name: string): string[] =>
      [...(rendered.files.get(name) ?? '').matchAll(/href="(_docyard\/styles\/[^"]*)"/g)].map(
        ([, path = '']) => path,
      );
    expect(html('rules').trim()).toBe('<div class="box"><b>x</b></div>\n<div class="box"><b>x</b></div>');
    expect(linked('rules.html').map((path) => rendered.files.get(path))).toEqual([
      '.box > b { background: url("../../pic.png"); }',
      '@media print {.far { background: url("data:,") }}',
    ]);
    expect(linked('table.html')).toEqual([]);
    expect(rendered.codes).toContain('remote_asset');
  });

  it('pictures in inline styles are files of the site', () => {
    const [, name = ''] = /<b class="([^"]*)"/.exec(html('picture')) ?? [];
    expect(rendered.files.get('_docyard/site.css')).toContain(
      `.${name}:not(#\\##\\#) { background: url("../pic.png") no-repeat; mask: none }`,
    );
  });

  it('footnotes, tables, references and frames are rendered', () => {
    expect(html('footnote')).toContain('<li id="footnote-1"><p>The note. <a href="#footnote-ref-1"');
    expect(html('table')).toContain('<th class="dy-align-right">b</th>');
    expect(html('reference')).toContain('<a class="link" href="other.html" title="Title">it</a>');
    expect(html('reference')).toContain('[Missing][none]');
    expect(html('frame')).toContain(
      '<figcaption data-component-part="frame-description">A <a class="link" href="other.html">link</a></figcaption>',
    );
    expect(html('visibility').trim()).toBe('shown');
  });
});
