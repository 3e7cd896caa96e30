/**
 * Tabs and code groups. In the HTML every panel is a titled section; the script shows the tab bar and hides
 * panels, so that all content is visible without it.
 */
import { type Child, type Component, type PageContext, elementsNamed } from './contract.ts';
import { attributes, element, escapeAttribute, escapeText } from '../text/html.ts';
import { readFenceMeta } from '../highlight/meta.ts';
import { classesOf, iconOf, idOf } from './shared-props.ts';
import { hooked, hookedIcon, part } from '../model/style-hooks.ts';

export const tabsClass = hooked('dy-tabs', 'tabs');
export const codeGroupClass = hooked('dy-code-group', 'code-group');

export interface Panel {
  title: string;
  icon: string;
  id?: string | undefined;
  html: string;
}

export const tabs: Component = (call, page) => {
  const { props, children } = call;
  const panels = elementsNamed(children, 'Tab', 'TabItem', 'Tabs.Tab').map((tab, index) => ({
    title:
      tab.props.text('title') ?? tab.props.text('label') ?? tab.props.text('value') ?? `Tab ${index + 1}`,
    icon: iconOf(tab, page),
    id: tab.props.text('id'),
    html: page.render(tab.children),
  }));
  const first = Math.max(0, Math.round(props.number('defaultTabIndex') ?? 0));
  const stray = children.filter(
    (child) => child.kind !== 'element' || !['Tab', 'TabItem', 'Tabs.Tab'].includes(child.call.name),
  );
  const sync = !['false', false].includes(props.value('sync') as string | boolean);
  const look = classesOf(call, page, tabsClass, props.flag('borderBottom') && 'dy-tabs-bordered');
  return page.render(stray) + tabPanels(panels, page, { className: look, first, sync });
};

/** A tab outside of `Tabs` is a titled section. */
export const tab: Component = ({ props, children }, page) =>
  element(
    'section',
    { class: 'dy-tab' },
    element('p', { class: 'dy-tab-title' }, escapeText(props.text('title') ?? '')) + page.render(children),
  );

/** With `dropdown` the script shows a menu instead of tabs. */
export const codeGroup: Component = (call, page) => {
  const panels = codePanels(call.children, page);
  if (panels.length === 0) return page.render(call.children);
  const dropdown = call.props.flag('dropdown');
  const title = call.props.text('title');
  const group = tabPanels(panels, page, {
    className: codeGroupClass,
    first: 0,
    sync: true,
    dropdown,
    title,
  });
  /** Text between the blocks has no place in the tab bar. */
  const stray = call.children.filter(({ kind }) => kind === 'text' || kind === 'markdown');
  return group + page.render(stray);
};

function codePanels(children: readonly Child[], page: PageContext): Panel[] {
  return children.flatMap((child, index): Panel[] => {
    if (child.kind === 'code') {
      const meta = readFenceMeta(child.block.meta);
      const title = meta.title ?? (child.block.language || `Code ${index + 1}`);
      return [
        {
          title,
          icon: page.icon(meta.icon, child.block.place),
          html: page.code({ ...child.block, meta: `${child.block.meta} title=""` }),
        },
      ];
    }
    if (child.kind !== 'element') return [];
    const title = child.call.props.text('filename') ?? child.call.props.text('title') ?? child.call.name;
    return [{ title, icon: iconOf(child.call, page), html: page.render([child]) }];
  });
}

export interface Look {
  className: string;
  first: number;
  /** Groups of the same name switch together; with `true` the choice is stored. */
  sync: boolean | string;
  dropdown?: boolean;
  title?: string | undefined;
  /** Shown before the tab bar. */
  caption?: string | undefined;
}

const buttonPart = attributes(part('tab-button'));
const panelPart = attributes(part('tab-content'));

export function tabPanels(
  panels: readonly Panel[],
  page: PageContext,
  { className, first, sync, dropdown = false, title: label, caption }: Look,
): string {
  if (panels.length === 0) return '';
  const isCodeGroup = className.startsWith(codeGroupClass);
  const active = Math.min(first, panels.length - 1);
  const placed = panels.map((panel) => ({ ...panel, id: idOf(panel.id, panel.title, page) }));
  let list = '';
  /** Concatenation: joining an array would copy every nested panel again. */
  let sections = '';
  for (const [index, { title, icon, id: plainId, html }] of placed.entries()) {
    const id = escapeAttribute(plainId);
    const state =
      index === active ? 'aria-selected="true" data-active="true"' : 'aria-selected="false" tabindex="-1"';
    list +=
      `<button type="button" role="tab" id="${id}-tab" aria-controls="${id}" ${state}${buttonPart}>` +
      `${hookedIcon(icon, 'tab-icon')}${escapeText(title)}</button>`;
    if (index > 0) sections += '\n';
    sections +=
      `<section class="dy-tab" id="${id}" aria-label="${escapeAttribute(title)}"${panelPart}${index === active ? ' data-active' : ''}>` +
      `<p class="dy-tab-title">${escapeText(title)}</p>${html}</section>`;
  }
  return element(
    'div',
    { class: className, 'data-tabs': true, 'data-sync': sync, 'data-dropdown': dropdown },
    (caption ? element('p', { class: 'dy-tabs-caption' }, escapeText(caption)) : '') +
      element(
        'div',
        {
          class: 'dy-tab-list',
          role: 'tablist',
          'aria-label': label,
          ...part(isCodeGroup ? 'code-group-tab-bar' : 'tabs-list'),
        },
        list,
      ) +
      sections,
  );
}
