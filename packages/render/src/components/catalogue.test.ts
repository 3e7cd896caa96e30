import { expect, it, onTestFinished } from 'vitest';
import { withFolder } from '../../test/support/render-fixture.ts';
import { loadSite } from '../index.ts';
import { renderPage, siteTools } from '../pipeline/render-page.ts';
import { planSite, planTasks } from '../pipeline/site-plan.ts';
import { decodedText } from '../text/encoded-text.ts';
import { element } from '../text/html.ts';
import { catalogue } from './catalogue.ts';
import type { Component } from './contract.ts';
import { classesOf } from './shared-props.ts';

/** A fixed map: text of authors never becomes a class. */
const levels: ReadonlyMap<string, string> = new Map([
  ['high', 'dy-tide-high'],
  ['low', 'dy-tide-low'],
]);

/** The model for new components; see "Add a component" in docs/internals/recipes.mdx. */
const tide: Component = (call, page) => {
  const { props, children } = call;
  const title = props.has('title')
    ? page.heading({ level: 3, html: page.renderProp(props, 'title'), id: props.text('id') })
    : '';
  const level = levels.get(props.text('level') ?? '') ?? 'dy-tide-mean';
  // Without this role, every `aside` is a landmark of the page.
  const values = { class: classesOf(call, page, 'dy-tide', level), role: 'note', 'aria-label': 'Tide' };
  return element('aside', values, title + page.render(children));
};

/** Until the end of the test. Without a component, the row is removed. */
function setRow(name: string, component: Component | undefined): void {
  const rows = catalogue as Map<string, Component>;
  const set = (wanted: Component | undefined) =>
    void (wanted === undefined ? rows.delete(name) : rows.set(name, wanted));
  const previous = rows.get(name);
  set(component);
  onTestFinished(() => set(previous));
}

const source = [
  '<Tide title="High *water*" level="high" id="flood" className="harbor">At **noon**. [Start](/)</Tide>',
  "{['Low', 'Slack'].map((title) => <Tide title={title} level={title}>Water</Tide>)}",
].join('\n\n');

async function rendered() {
  return withFolder({ 'index.mdx': source }, async (root) => {
    const site = await loadSite({ root });
    const plan = planSite(site, {});
    const [task] = planTasks(site, plan, new Map());
    if (!task) throw new Error('The site has no page.');
    const { html, headings, diagnostics } = renderPage(siteTools(plan), task, 'fast');
    return { html: decodedText(html), headings, codes: diagnostics.map(({ code }) => code) };
  });
}

it('a component that is added as one row renders, in Markdown and in code, with its headings and links', async () => {
  setRow('Tide', tide);
  const { html, headings, codes } = await rendered();
  expect(html).toContain(
    '<aside class="dy-tide dy-tide-high harbor" role="note" aria-label="Tide"><h3 id="flood">',
  );
  expect(html).toContain('<aside class="dy-tide dy-tide-mean" role="note"');
  expect(html).not.toMatch(/class="[^"]*(?:Low|Slack)/);
  expect(html).toContain('High <em>water</em>');
  expect(html).toContain('At <strong>noon</strong>. <a class="link" href="index.html">Start</a></aside>');
  expect(headings.map(({ text }) => text)).toEqual(['High water', 'Low', 'Slack']);
  expect(codes).toEqual([]);
});

it('a component that is not in the catalogue shows its content and is reported', async () => {
  setRow('Tide', undefined);
  const { html, codes } = await rendered();
  expect(html).not.toContain('<aside');
  expect(html).toContain('At <strong>noon</strong>');
  expect(new Set(codes)).toEqual(new Set(['component_unknown']));
});
