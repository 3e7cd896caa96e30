/**
 * A prompt for an assistant: its purpose, its text and buttons. The copied text is derived from the rendered
 * content, where snippets and variables are resolved.
 */
import type { Component } from './contract.ts';
import { element, escapeText, textOfHtml } from '../text/html.ts';
import { interfaceIcon } from '../icons/interface.ts';
import { classesOf, iconOf } from './shared-props.ts';
import { hooked } from '../model/style-hooks.ts';

export const promptBox: Component = (call, page) => {
  const { props, children } = call;
  const description = props.has('description')
    ? page.renderProp(props, 'description')
    : props.has('title')
      ? page.renderProp(props, 'title')
      : 'Prompt';
  const text = plainPrompt(page.outsideContents(() => page.render(children)));
  const wanted = props.list('actions').filter((action) => action === 'copy' || action === 'cursor');
  const actions = (wanted.length ? wanted : ['copy']).map((action) =>
    action === 'copy'
      ? element(
          'button',
          { type: 'button', 'data-copy': text },
          `${interfaceIcon('copy')}<span>Copy prompt</span>`,
        )
      : element(
          'a',
          { href: `cursor://anysphere.cursor-deeplink/prompt?text=${encodeURIComponent(text)}` },
          `${interfaceIcon('arrow-up-right')}<span>Open in Cursor</span>`,
        ),
  );
  const mark = iconOf(call, page);
  return element(
    'div',
    { class: classesOf(call, page, hooked('dy-prompt', 'prompt')) },
    element(
      'div',
      { class: 'dy-prompt-head' },
      (mark ? element('span', { class: 'dy-prompt-icon' }, mark) : '') +
        element('div', { class: 'dy-prompt-description' }, description) +
        element('div', { class: 'dy-prompt-actions' }, actions.join('')),
    ) +
      element(
        'details',
        {},
        element('summary', {}, `${interfaceIcon('chevron-right')}<span>Show the prompt</span>`) +
          element('pre', { tabindex: 0, 'aria-label': 'Prompt' }, escapeText(text)),
      ),
  );
};

function plainPrompt(html: string): string {
  /** The enclosing lists: the next number of an ordered one, undefined for the others. */
  const lists: (number | undefined)[] = [];
  const marked = html
    .replaceAll(/<pre[^>]*><code[^>]*>([\s\S]*?)<\/code><\/pre>/g, '\n```\n$1\n```\n')
    .replaceAll(/<code[^>]*>([\s\S]*?)<\/code>/g, '`$1`')
    .replaceAll(/<a class="dy-anchor"[\s\S]*?<\/a>/g, '')
    .replaceAll(/<h([1-6])[^>]*>/g, (_tag, level: string) => `\n${'#'.repeat(Number(level))} `)
    .replaceAll(/<\/?strong>/g, '**')
    .replaceAll(/<ol[^>]*>|<\/ol>|<ul[^>]*>|<\/ul>|<li>/g, (tag) => {
      if (tag === '<li>') return `\n${'  '.repeat(Math.max(lists.length - 1, 0))}${listMark(lists)} `;
      if (tag.startsWith('</')) lists.pop();
      else lists.push(tag.startsWith('<ol') ? 1 : undefined);
      return '\n';
    })
    .replaceAll(/<br>|<\/p>|<\/h[1-6]>/g, '\n')
    .replaceAll(/<p>/g, '\n');
  return textOfHtml(marked)
    .replaceAll(/[ \t]+\n/g, '\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .replaceAll(/\n\n(?=\s*(?:-|\d+\.) )/g, '\n')
    .trim();
}

function listMark(lists: (number | undefined)[]): string {
  const number = lists.at(-1);
  if (number === undefined) return '-';
  lists[lists.length - 1] = number + 1;
  return `${number}.`;
}
