/** The sections of an operation page. Each is a heading, so that it appears in the table of contents. */
import { fieldLabel } from '../../components/fields.ts';
import { tabPanels, tabsClass } from '../../components/tabs.ts';
import type { PageContext } from '../../components/contract.ts';
import { element, escapeText } from '../../text/html.ts';
import { interfaceIcon } from '../../icons/interface.ts';
import { slugOf } from '../../page/headings.ts';
import type { ApiText, Say } from '../../words/api-words.ts';
import type {
  BodyView,
  CallbackView,
  ContentView,
  OperationView,
  ParameterView,
  ResponseView,
} from '../view.ts';
import { methodHtml } from './bar.ts';
import { codeHtml, note, subtitle } from './facts.ts';
import { proseHtml } from './prose.ts';
import { type ApiLook, type SchemaLook, schemaField, schemaHtml, schemaLook } from './schema.ts';
import { securityHtml } from './security.ts';
import { hooked } from '../../model/style-hooks.ts';

export interface OperationLook extends ApiLook {
  say: Say;
}

const parameterPlaces = [
  ['path', 'Path parameters'],
  ['query', 'Query parameters'],
  ['header', 'Headers'],
  ['cookie', 'Cookies'],
] as const;

export function operationHtml(view: OperationView, look: OperationLook): string {
  const { page } = look;
  /** A webhook inherits the security of API callers, which does not apply to it. */
  const security = view.kind === 'webhook' ? '' : securityHtml(view.security, page);
  const sections = [
    externalDocsHtml(view, page),
    security && section('Authorizations', security, look),
    ...parameterPlaces.map(([place, title]) => parametersHtml(view.parameters, place, title, look)),
    view.body && bodyHtml(view.body, view.kind === 'webhook' ? 'Payload' : 'Body', look),
    view.callbacks.length > 0 && callbacksHtml(view.callbacks, look),
    view.responses.length > 0 && section('Response', responsesHtml(view.responses, look, 'response'), look),
  ];
  let html = '';
  for (const part of sections) if (part) html += html ? `\n${part}` : part;
  return html;
}

/** Section ids are the same in every language, so that links stay valid. */
function section(title: ApiText, html: string, { page, say }: OperationLook, beside = ''): string {
  const heading = page.heading({
    level: 2,
    html: say(title),
    id: slugOf(title),
    className: hooked('dy-api-heading', 'api-section-heading', 'api-section-heading-title'),
  });
  const head = beside ? element('div', { class: 'dy-api-heading-row' }, heading + beside) : heading;
  return element('div', { class: hooked('dy-api-section', 'api-section') }, head + html);
}

function externalDocsHtml({ externalDocs }: OperationView, page: PageContext): string {
  if (!externalDocs) return '';
  const { href } = page.link(externalDocs.url, undefined);
  return href === undefined
    ? ''
    : `<p>${element('a', { href }, escapeText(externalDocs.description || 'Read more'))}</p>`;
}

function parametersHtml(
  parameters: readonly ParameterView[],
  place: ParameterView['in'],
  title: ApiText,
  look: OperationLook,
): string {
  const own = parameters.filter((parameter) => parameter.in === place);
  if (own.length === 0) return '';
  return section(title, parameterRows(own, schemaLook(look, 'param')), look);
}

function parameterRows(parameters: readonly ParameterView[], look: SchemaLook): string {
  let rows = '';
  for (const { name, required, schema, description, deprecated, example } of parameters)
    rows += schemaField({ name, required, schema }, look, { description, deprecated, example });
  return element('div', { class: 'dy-schema' }, rows);
}

function bodyHtml(body: BodyView, title: ApiText, look: OperationLook): string {
  const { page } = look;
  const [only] = body.contents.length === 1 ? body.contents : [];
  const beside =
    (only
      ? element(
          'code',
          { class: hooked('dy-field-type', 'api-section-heading-subtitle') },
          escapeText(only.type),
        )
      : '') + (body.required ? fieldLabel('required', 'dy-field-required') : '');
  const html = proseHtml(body.description, page) + contentsHtml(body.contents, look, 'body');
  return section(title, html, look, beside);
}

function contentsHtml(contents: readonly ContentView[], look: OperationLook, idPrefix: string): string {
  const panels = contents.map((content, index) => {
    const prefix = index === 0 ? idPrefix : `${idPrefix}-${content.type}`;
    return {
      title: content.type,
      icon: '',
      id: slugOf(`${prefix}-content`),
      html: contentHtml(content, look, prefix),
    };
  });
  if (panels.length < 2) return panels[0]?.html ?? '';
  const title = 'Content type';
  return tabPanels(panels, look.page, {
    className: `${tabsClass} dy-api-contents`,
    first: 0,
    sync: false,
    title,
  });
}

function contentHtml({ schema, type }: ContentView, look: OperationLook, idPrefix: string): string {
  if (schema) return schemaHtml(schema, schemaLook(look, idPrefix));
  return note(`Content of the type ${codeHtml(type)} without a schema.`);
}

function responsesHtml(responses: readonly ResponseView[], look: OperationLook, idPrefix: string): string {
  const panels = responses.map((response, index) => {
    const prefix = index === 0 ? idPrefix : `${idPrefix}-${response.status}`;
    return {
      title: response.status,
      icon: element('span', { class: `dy-status dy-status-${statusClass(response.status)}` }, ''),
      id: slugOf(`${idPrefix}-status-${response.status}`),
      html: responseHtml(response, look, prefix),
    };
  });
  const title = 'Response status';
  return tabPanels(panels, look.page, {
    className: `${tabsClass} dy-api-responses`,
    first: firstSuccess(panels),
    sync: 'status',
    title,
  });
}

/** The panel that is open: a success, even if errors come first in the description. */
export function firstSuccess(panels: readonly { title: string }[]): number {
  return Math.max(
    0,
    panels.findIndex(({ title }) => title.startsWith('2')),
  );
}

/** The first digit of the status, or `other` for `default`. */
export function statusClass(status: string): string {
  return /^[1-5]/.exec(status)?.[0] ?? 'other';
}

function responseHtml(
  { description, headers, contents }: ResponseView,
  look: OperationLook,
  idPrefix: string,
): string {
  const [only] = contents.length === 1 ? contents : [];
  const type = only
    ? element(
        'p',
        { class: 'dy-schema-type' },
        element('code', { class: 'dy-field-type' }, escapeText(only.type)),
      )
    : '';
  const own = headers.length
    ? subtitle(look.say('Headers')) + parameterRows(headers, schemaLook(look, `${idPrefix}-header`))
    : '';
  const between = own && contents.length ? subtitle(look.say('Body')) : '';
  return proseHtml(description, look.page) + own + between + type + contentsHtml(contents, look, idPrefix);
}

function callbacksHtml(callbacks: readonly CallbackView[], look: OperationLook): string {
  const boxes = callbacks.map(({ name, url, operation }) => {
    const id = look.page.uniqueId(`callback-${name}`);
    const summary =
      interfaceIcon('chevron-right') +
      methodHtml(operation.method) +
      element(
        'span',
        {},
        `${escapeText(name)} ${element('code', { class: 'dy-api-path' }, escapeText(url))}`,
      );
    const inside = look.page.outsideContents(() => callbackHtml(operation, look, id));
    return element(
      'details',
      { class: `${hooked('dy-expandable', 'expandable')} dy-api-callback`, id },
      element('summary', {}, summary) + element('div', { class: 'dy-expandable-body' }, inside),
    );
  });
  return section('Callbacks', boxes.join(''), look);
}

function callbackHtml(view: OperationView, look: OperationLook, id: string): string {
  const parameters = view.parameters.length
    ? subtitle(look.say('Parameters')) + parameterRows(view.parameters, schemaLook(look, `${id}-param`))
    : '';
  const body = view.body
    ? subtitle(look.say('Body')) +
      proseHtml(view.body.description, look.page) +
      contentsHtml(view.body.contents, look, `${id}-body`)
    : '';
  const responses = view.responses.length
    ? subtitle('Expected response') + responsesHtml(view.responses, look, `${id}-response`)
    : '';
  return proseHtml(view.description || view.summary, look.page) + parameters + body + responses;
}
