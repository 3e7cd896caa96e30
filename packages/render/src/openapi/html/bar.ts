/** The endpoint bar of an API page: method, path, copy button and the button that opens the request form. */
import { attributes, element, escapeText } from '../../text/html.ts';
import type { Say } from '../../words/api-words.ts';
import { interfaceIcon } from '../../icons/interface.ts';
import { hooked } from '../../model/style-hooks.ts';

export interface BarView {
  method: string;
  /** With `{name}` for parameters. */
  path: string;
  /** The URL without the path; empty when unknown. */
  server: string;
  showsServer: boolean;
  deprecated: boolean;
  hasForm: boolean;
}

export function barHtml(view: BarView, say: Say): string {
  const { method, path, server, showsServer, deprecated, hasForm } = view;
  const address = server + path;
  const shown = showsServer && server ? element('span', { class: 'dy-api-server' }, pathHtml(server)) : '';
  const mark = deprecated
    ? element('span', { class: 'dy-field-label dy-field-deprecated' }, 'deprecated')
    : '';
  const copy =
    `<button${attributes({ type: 'button', class: 'dy-icon-button dy-api-copy', 'data-copy': address, 'aria-label': 'Copy the address' })}>` +
    `${interfaceIcon('copy')}<span></span></button>`;
  const form = hasForm
    ? `<button type="button" class="${hooked('dy-api-try', 'tryit-button')}" data-try-it hidden>${escapeText(say('Try it'))}</button>`
    : '';
  return element(
    'div',
    {
      class: deprecated ? 'dy-api-bar dy-is-deprecated' : 'dy-api-bar',
      role: 'group',
      'aria-label': 'Endpoint',
    },
    `${methodHtml(method)}${element('code', { class: 'dy-api-path' }, shown + pathHtml(path))}${mark}${copy}${form}`,
  );
}

export function methodHtml(method: string): string {
  return element(
    'span',
    { class: `${hooked('dy-method', 'method-pill')} dy-method-${methodClass(method)}` },
    escapeText(method),
  );
}

const methods = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options', 'trace', 'webhook'];

function methodClass(method: string): string {
  return methods.find((name) => name === method.toLowerCase()) ?? 'other';
}

function pathHtml(path: string): string {
  return path
    .split(/(\{[^{}]*\})/)
    .map((part, index) =>
      index % 2 === 1
        ? element('span', { class: 'dy-api-parameter' }, escapeText(part))
        : escapeText(part).replaceAll('/', '/<wbr>'),
    )
    .join('');
}
