/** Small block components: code as an element, examples beside the content, headings, formulas, notices. */
import type { Child, Component } from './contract.ts';
import { element, escapeText } from '../text/html.ts';
import { readFenceMeta } from '../highlight/meta.ts';
import { classesOf, iconOf } from './shared-props.ts';
import { codeGroup } from './tabs.ts';
import { hooked } from '../model/style-hooks.ts';

export const codeBlock: Component = ({ props, children, place }, page) => {
  const nested = children.find((child) => child.kind === 'code');
  const code = nested?.kind === 'code' ? nested.block.code : (props.text('code') ?? textOfChildren(children));
  const flags = ['lines', 'wrap', 'expandable', 'nocopy'].filter((flag) => props.flag(flag));
  const title = props.text('filename') ?? props.text('title');
  const pairs = [
    title && `title="${title.replaceAll('"', '')}"`,
    props.icon() && `icon="${props.icon()?.replaceAll('"', '')}"`,
    lineRanges(props.text('highlight') ?? props.list('highlight').join(','), 'highlight'),
    lineRanges(props.text('focus') ?? props.list('focus').join(','), 'focus'),
  ];
  const language = props.text('language') ?? props.text('lang') ?? '';
  return page.code({
    language: nested?.kind === 'code' && !language ? nested.block.language : language,
    meta: [...flags, ...pairs.filter(Boolean)].join(' '),
    code: code.replace(/^\n+|\s+$/g, ''),
    place,
  });
};

/** `"[1,3]"`, `"1,3"` and `{[1, 3]}` are equivalent. */
function lineRanges(text: string, name: string): string {
  const ranges = text.replaceAll(/[[\]{}\s]/g, '');
  return ranges ? `${name}={${ranges}}` : '';
}

function textOfChildren(children: readonly Child[]): string {
  return children
    .map((child) => {
      if (child.kind === 'text') return child.text;
      if (child.kind === 'element') return textOfChildren(child.call.children);
      return child.kind === 'code' ? child.block.code : '';
    })
    .join('');
}

export const example: Component = (call, page) =>
  page.beside(
    () => {
      const label = call.name === 'RequestExample' ? 'Request' : 'Response';
      const blocks = call.children.flatMap((child) => (child.kind === 'code' ? [child.block] : []));
      const [only] = blocks.length === 1 ? blocks : [];
      const content = only
        ? page.code(
            readFenceMeta(only.meta).title ? only : { ...only, meta: `${only.meta} title="${label}"` },
          )
        : blocks.length
          ? codeGroup(call, page)
          : page.render(call.children);
      return element('section', { class: 'dy-example', 'aria-label': `${label} example` }, content);
    },
    call.name === 'RequestExample' ? 'request' : 'response',
  );

export const panel: Component = (call, page) =>
  page.beside(
    () =>
      element(
        'section',
        { class: classesOf(call, page, hooked('dy-panel', 'panel')), 'aria-label': 'Side panel' },
        page.outsideContents(() => page.render(call.children)),
      ),
    'panel',
  );

export const visibility: Component = ({ props, children }, page) =>
  /\bagents?\b/.test(props.text('for') ?? '') ? '' : page.render(children);

/**
 * Content for one of several languages or platforms. Without a script each view is shown under its title; the
 * script replaces the titles with a menu.
 */
export const view: Component = (call, page) => {
  const title = call.props.text('title') ?? '';
  const head = title
    ? element('p', { class: 'dy-view-title' }, iconOf(call, page) + element('span', {}, escapeText(title)))
    : '';
  return element(
    'section',
    { class: 'dy-view', 'aria-label': title || undefined, 'data-view': title || undefined },
    head + page.render(call.children),
  );
};

export const repository: Component = (call, page) => {
  const { props } = call;
  const given = props.text('repo') ?? props.text('url') ?? props.text('href') ?? '';
  const name = given.replace(/^(?:https?:\/\/)?(?:www\.)?github\.com\//, '').replace(/(?:\.git)?\/*$/, '');
  if (!/^[\w.-]+\/[\w.-]+$/.test(name)) return '';
  const flat = props.text('variant') === 'flat';
  const [owner = '', repo = ''] = name.split('/');
  return element(
    'a',
    {
      class: classesOf(call, page, 'dy-repository', flat && 'dy-repository-flat'),
      href: `https://github.com/${name}`,
    },
    page.icon('fontawesome:brands:github') +
      element('span', { class: 'dy-repository-name' }, `${escapeText(owner)} / <b>${escapeText(repo)}</b>`),
  );
};

export const heading: Component = (call, page) => {
  const { props, children } = call;
  const level = Math.min(Math.max(props.number('level') ?? 2, 1), 6);
  return page.heading({
    level,
    html: page.renderPhrasing(children),
    id: props.text('id'),
    anchor: !props.flag('noAnchor'),
    className: classesOf(call, page) || undefined,
  });
};

export const banner: Component = (call, page) =>
  element(
    'div',
    { class: classesOf(call, page, 'dy-banner'), role: 'note' },
    element('div', { class: 'dy-banner-body' }, page.render(call.children)),
  );

export const latex: Component = ({ props, children, place }, page) => {
  const source = (props.text('children') ?? textOfChildren(children)).replaceAll(
    /^\s*\${0,2}|\${0,2}\s*$/g,
    '',
  );
  const display =
    props.flag('display') || source.includes('\\begin{') || /\n/.test(textOfChildren(children).trim());
  const formula = page.math({ tex: source.trim(), display }, place);
  return display ? element('p', { class: 'dy-math' }, formula) : formula;
};

export const mermaid: Component = ({ props, children, place }, page) => {
  const nested = children.find((child) => child.kind === 'code');
  const code =
    nested?.kind === 'code' ? nested.block.code : (props.text('chart') ?? textOfChildren(children));
  return page.code({ language: 'mermaid', meta: '', code: code.trim(), place });
};

export const markdownText: Component = ({ children }, page) =>
  children
    .map((child) => (child.kind === 'text' ? page.markdown(child.text) : page.render([child])))
    .join('');
