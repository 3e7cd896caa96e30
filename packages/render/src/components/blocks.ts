/** Small block components: code written as an element, example panels, prompts, and content for one kind of reader. */
import { interfaceIcon } from '../icons/interface.ts';
import type { Child, Component } from './contract.ts';
import { element, escapeText } from '../html.ts';
import { codeGroup } from './tabs.ts';

export const codeBlock: Component = ({ props, children }, page) => {
  const nested = children.find((child) => child.kind === 'code');
  const code = nested?.kind === 'code' ? nested.block.code : textOfChildren(children);
  const flags = ['lines', 'wrap', 'expandable', 'nocopy'].filter((flag) => props.flag(flag));
  const title = props.text('filename') ?? props.text('title');
  const pairs = [
    title && `title="${title.replaceAll('"', '')}"`,
    props.text('highlight') && `highlight={${props.text('highlight')}}`,
    props.text('focus') && `focus={${props.text('focus')}}`,
  ];
  const language = props.text('language') ?? props.text('lang') ?? '';
  return page.code({
    language: nested?.kind === 'code' && !language ? nested.block.language : language,
    meta: [...flags, ...pairs.filter(Boolean)].join(' '),
    code: code.replace(/^\n+|\s+$/g, ''),
  });
};

function textOfChildren(children: readonly Child[]): string {
  return children
    .map((child) => {
      if (child.kind === 'text') return child.text;
      if (child.kind === 'element') return textOfChildren(child.call.children);
      return child.kind === 'code' ? child.block.code : '';
    })
    .join('');
}

/** Request and response examples: several code blocks become tabs, anything else shows as it is. */
export const example: Component = (call, page) => {
  const label = call.name === 'RequestExample' ? 'Request' : 'Response';
  const codes = call.children.filter((child) => child.kind === 'code');
  const content = codes.length > 1 ? codeGroup(call, page) : page.render(call.children);
  return element('section', { class: 'example', 'aria-label': `${label} example` }, content);
};

export const panel: Component = ({ children }, page) =>
  element(
    'aside',
    { class: 'panel', 'aria-label': 'Side panel' },
    page.outsideContents(() => page.render(children)),
  );

export const promptBox: Component = ({ props, children }, page) => {
  const title = props.has('description') ? page.renderProp(props, 'description') : '';
  const body = page.outsideContents(() => page.render(children));
  return element(
    'details',
    { class: 'accordion' },
    element('summary', {}, interfaceIcon('chevron-right') + (title || 'Prompt')) +
      element('div', { class: 'accordion-body' }, body),
  );
};

/** Content for tools that read the source is not shown to people. */
export const visibility: Component = ({ props, children }, page) =>
  props.text('for') === 'agents' ? '' : page.render(children);

/** Content for one language or platform, among others on the page; each stands under its title. */
export const view: Component = ({ props, children }, page) => {
  const title = props.text('title') ?? '';
  const head = title
    ? element('p', { class: 'view-title' }, page.icon(props.icon()) + escapeText(title))
    : '';
  return element(
    'section',
    { class: 'view', 'aria-label': title || undefined },
    head + page.render(children),
  );
};

/** A repository as a link. Stars and forks would need the network, and a page makes no requests. */
export const repository: Component = ({ props }, page) => {
  const name = (props.text('repo') ?? '').replace(/^https?:\/\/github\.com\//, '').replace(/\/+$/, '');
  if (!/^[\w.-]+\/[\w.-]+$/.test(name)) return '';
  return element(
    'a',
    { class: 'card card-link card-horizontal', href: `https://github.com/${name}` },
    element('span', { class: 'card-icon' }, page.icon('github')) +
      element('p', { class: 'card-title' }, escapeText(name)),
  );
};
