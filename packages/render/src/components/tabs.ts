/**
 * Tabs and code groups. In the HTML every panel is a titled section; the tab bar is shown, and panels are hidden,
 * only once the page's script runs, so that nothing is lost without it.
 */
import { type Child, type Component, type PageContext, elementsNamed } from './contract.ts';
import { attributes, element, escapeText } from '../html.ts';
import { readFenceMeta } from '../highlight/meta.ts';

interface Panel {
  title: string;
  icon: string;
  id?: string | undefined;
  html: string;
}

export const tabs: Component = ({ props, children }, page) => {
  const panels = elementsNamed(children, 'Tab', 'TabItem', 'Tabs.Tab').map((tab, index) => ({
    title:
      tab.props.text('title') ?? tab.props.text('label') ?? tab.props.text('value') ?? `Tab ${index + 1}`,
    icon: page.icon(tab.props.icon()),
    id: tab.props.text('id'),
    html: page.render(tab.children),
  }));
  const first = Math.max(0, Math.round(props.number('defaultTabIndex') ?? 0));
  const stray = children.filter(
    (child) => child.kind !== 'element' || !['Tab', 'TabItem', 'Tabs.Tab'].includes(child.call.name),
  );
  return page.render(stray) + tabPanels(panels, page, 'tabs', first, props.value('sync') !== false);
};

/** A tab outside of `Tabs` shows as a titled section. */
export const tab: Component = ({ props, children }, page) =>
  element(
    'section',
    { class: 'tab' },
    element('p', { class: 'tab-title' }, escapeText(props.text('title') ?? '')) + page.render(children),
  );

export const codeGroup: Component = ({ children }, page) => {
  const panels = codePanels(children, page);
  if (panels.length === 0) return page.render(children);
  return tabPanels(panels, page, 'code-group', 0, true);
};

function codePanels(children: readonly Child[], page: PageContext): Panel[] {
  return children.flatMap((child, index): Panel[] => {
    if (child.kind === 'code') {
      const meta = readFenceMeta(child.block.meta);
      const title = meta.title ?? (child.block.language || `Code ${index + 1}`);
      return [
        {
          title,
          icon: page.icon(meta.icon),
          html: page.code({ ...child.block, meta: `${child.block.meta} title=""` }),
        },
      ];
    }
    if (child.kind !== 'element') return [];
    const title = child.call.props.text('filename') ?? child.call.props.text('title') ?? child.call.name;
    return [{ title, icon: '', html: page.render([child]) }];
  });
}

function tabPanels(
  panels: readonly Panel[],
  page: PageContext,
  className: string,
  first: number,
  sync: boolean,
): string {
  if (panels.length === 0) return '';
  const active = Math.min(first, panels.length - 1);
  const placed = panels.map((panel) => ({ ...panel, id: page.uniqueId(panel.id ?? panel.title) }));
  const list = placed.map(({ title, icon, id }, index) =>
    element(
      'button',
      {
        type: 'button',
        role: 'tab',
        id: `${id}-tab`,
        'aria-controls': id,
        'aria-selected': index === active ? 'true' : 'false',
        tabindex: index === active ? undefined : -1,
      },
      icon + escapeText(title),
    ),
  );
  const sections = placed.map(
    ({ title, id, html }, index) =>
      `<section${attributes({ class: 'tab', id, 'aria-label': title, 'data-active': index === active })}>` +
      `${element('p', { class: 'tab-title' }, escapeText(title))}${html}</section>`,
  );
  return element(
    'div',
    { class: className, 'data-tabs': true, 'data-sync': sync },
    element('div', { class: 'tab-list', role: 'tablist' }, list.join('')) + sections.join('\n'),
  );
}
