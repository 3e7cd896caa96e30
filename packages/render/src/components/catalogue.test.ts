import { expect, it, onTestFinished } from 'vitest';
import { withFolder } from '../../test/support/render-fixture.ts';
import { loadSite } from '../index.ts';
import { renderPage, siteTools } from '../pipeline/render-page.ts';
import { planSite, planTasks } from '../pipeline/site-plan.ts';
import { decodedText } from '../text/encoded-text.ts';
import { element, escapeText } from '../text/html.ts';
import { catalogue } from './catalogue.ts';
import type { Component } from './contract.ts';

/** A contributor's component: one function and one row. */
const tide: Component = ({ props, children }, page) =>
  element(
    'aside',
    { class: 'dy-tide' },
    page.heading({ level: 3, html: escapeText(props.text('title') ?? '') }) + page.render(children),
  );

function addRow(name: string, component: Component): void {
  const rows = catalogue as Map<string, Component>;
  rows.set(name, component);
  onTestFinished(() => void rows.delete(name));
}

const source = [
  '<Tide title="High water">At **noon**. [Start](/)</Tide>',
  "{['Low', 'Slack'].map((title) => <Tide title={title}>Water</Tide>)}",
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
  addRow('Tide', tide);
  const { html, headings, codes } = await rendered();
  expect(html).toContain('<aside class="dy-tide"><h3 id="high-water">');
  expect(html).toContain('At <strong>noon</strong>. <a class="link" href="index.html">Start</a></aside>');
  expect(headings.map(({ text }) => text)).toEqual(['High water', 'Low', 'Slack']);
  expect(codes).toEqual([]);
});

it('a component that is not in the catalogue shows its content and is reported', async () => {
  const { html, codes } = await rendered();
  expect(html).not.toContain('<aside');
  expect(html).toContain('At <strong>noon</strong>');
  expect(new Set(codes)).toEqual(new Set(['component_unknown']));
});
