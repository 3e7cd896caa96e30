import type { PageContext } from '../components/contract.ts';
import { fieldClass, fieldHtml, fieldLabel } from '../components/fields.ts';
import { type Panel, codeGroupClass, tabPanels } from '../components/tabs.ts';
import { element, escapeText } from '../text/html.ts';
import type { BarView } from '../openapi/html/bar.ts';
import { codeHtml, factLine, subtitle } from '../openapi/html/facts.ts';
import { phraseHtml, proseHtml } from '../openapi/html/prose.ts';
import { type ApiLook, schemaField, schemaHtml, schemaLook } from '../openapi/html/schema.ts';
import { slugOf } from '../page/headings.ts';
import { notesHtml } from './notes-html.ts';
import type {
  ChannelOperationView,
  ChannelSecurityView,
  ChannelServerView,
  ChannelView,
  MessageExampleView,
  MessageView,
  SchemaRow,
} from './view.ts';

export function channelHtml(view: ChannelView, channelLook: ApiLook): string {
  const { page } = channelLook;
  const look = schemaLook(channelLook, 'param');
  const section = (title: string, html: string): string =>
    html && page.heading({ level: 2, html: title, className: 'dy-api-heading' }) + html;
  const messageIds = new Map(view.messages.map(({ name }) => [name, page.uniqueId(`message-${name}`)]));
  return [
    section('Servers', rows(view.servers.map((server) => serverHtml(server, channelLook)))),
    section('Authorizations', securityHtml(view.security, page)),
    section('Parameters', rows(view.parameters.map((row) => schemaField(row, look)))),
    section(
      'Operations',
      rows(view.operations.map((operation) => operationHtml(operation, view, messageIds, channelLook))),
    ),
    section(
      'Messages',
      view.messages
        .map((message) => messageHtml(message, messageIds.get(message.name) ?? '', channelLook))
        .join('\n'),
    ),
    section('About this channel', notesHtml(view.notes, look, 'channel')),
  ].join('\n');
}

/** For web protocols the address is a path below the server URL; a topic or queue name has no server prefix. */
export function channelBar({ address, name, servers }: ChannelView, showsServer: boolean): BarView {
  const [server] = servers;
  const isWeb = /^(?:wss?|https?)$/i.test(server?.protocol ?? '');
  return {
    method: server?.protocol.toUpperCase() || 'CHANNEL',
    path: address || name,
    server: isWeb ? (server?.url.replace(/\/$/, '') ?? '') : '',
    showsServer,
    deprecated: false,
    hasForm: false,
  };
}

export function channelExamples({ messages }: ChannelView, page: PageContext): string {
  const panels = messages.flatMap(({ title, name, examples }): Panel[] => {
    const inner = examples.map((example, index) => ({
      title: example.title || `Example ${index + 1}`,
      icon: '',
      id: `example-${slugOf(name)}-${index + 1}`,
      html: exampleHtml(example, page),
    }));
    const [only] = inner;
    if (!only) return [];
    const menu = { className: codeGroupClass, first: 0, sync: false, dropdown: true, title: 'Example' };
    const html = inner.length === 1 ? only.html : tabPanels(inner, page, menu);
    return [{ title, icon: '', id: `example-${slugOf(name)}`, html }];
  });
  const look = {
    className: codeGroupClass,
    first: 0,
    sync: false,
    dropdown: panels.length > 3,
    title: 'Message',
  };
  const html = tabPanels(panels, page, { ...look, caption: panels.length > 3 ? 'Messages' : undefined });
  return html && element('section', { class: 'dy-example', 'aria-label': 'Message examples' }, html);
}

function rows(list: readonly string[]): string {
  return list.length === 0 ? '' : element('div', { class: 'dy-schema' }, list.join(''));
}

function serverHtml(server: ChannelServerView, look: ApiLook): string {
  const { page } = look;
  const id = page.uniqueId(`server-${server.name}`);
  const below = schemaLook(look, id);
  const variables = server.variables.map((row: SchemaRow) => schemaField(row, below));
  return fieldHtml({
    id,
    name: server.url,
    type: server.protocol ? `${server.protocol} ${server.protocolVersion}`.trim() : undefined,
    deprecated: false,
    labels: [fieldLabel(escapeText(server.name))],
    body:
      proseHtml(server.description, page) +
      factLine('Needs one of', server.securityIds.length > 1 ? server.securityIds.map(codeHtml) : []) +
      (variables.length ? subtitle('Variables') + rows(variables) : '') +
      notesHtml(server.notes, below, id),
  });
}

function securityHtml(schemes: readonly ChannelSecurityView[], page: PageContext): string {
  const shown = schemes.map((scheme) =>
    rows([
      fieldHtml({
        id: page.uniqueId(`authorization-${scheme.id}`),
        name: scheme.parameter,
        type: scheme.type,
        deprecated: false,
        labels: [scheme.place && fieldLabel(escapeText(scheme.place))],
        body:
          proseHtml(scheme.description, page) +
          factLine('Scopes', scheme.scopes.map(codeHtml)) +
          factLine('Sign in at', scheme.addresses.map(codeHtml)),
      }),
    ]),
  );
  return shown.join('<p class="dy-schema-or"><span>or</span></p>');
}

const roleNames = { send: 'Send', receive: 'Receive', reply: 'Reply' } as const;

function roleHtml(role: keyof typeof roleNames): string {
  return element('span', { class: `dy-method dy-method-${role}` }, roleNames[role]);
}

function operationHtml(
  operation: ChannelOperationView,
  view: ChannelView,
  messageIds: ReadonlyMap<string, string>,
  look: ApiLook,
): string {
  const { page } = look;
  const id = page.uniqueId(`operation-${operation.name}`);
  const links = (names: readonly string[]): string[] =>
    names.map((name) => {
      const title = view.messages.find((message) => message.name === name)?.title ?? name;
      return element('a', { href: `#${messageIds.get(name) ?? ''}` }, escapeText(title));
    });
  const { reply } = operation;
  const head = `${roleHtml(operation.action)} ${element('span', { class: 'dy-channel-operation' }, escapeText(operation.title))}`;
  const body = [
    proseHtml(operation.description, page),
    factLine(operation.messages.length > 1 ? 'Messages' : 'Message', links(operation.messages)),
    reply && factLine('Answered by', links(reply.messages)),
    reply?.address && factLine('The answer arrives at', [described(reply.address, reply, page)]),
    operation.security.length > 0 && subtitle('Authorizations') + securityHtml(operation.security, page),
    notesHtml(operation.notes, schemaLook(look, id), id),
  ];
  return element(
    'div',
    { class: fieldClass, id },
    element('div', { class: 'dy-field-head' }, head) +
      element('div', { class: 'dy-field-body' }, body.filter(Boolean).join('')),
  );
}

function messageHtml(message: MessageView, id: string, look: ApiLook): string {
  const { page } = look;
  const heading = page.heading({
    level: 3,
    html: escapeText(message.title),
    className: 'dy-channel-message',
  });
  const marks = message.roles.map(roleHtml).join('');
  const type = element('code', { class: 'dy-field-type' }, escapeText(message.contentType));
  const { headers, payload, payloadSource: source, correlationId } = message;
  const parts = [
    element('div', { class: 'dy-api-heading-row' }, heading + marks + type),
    proseHtml(message.description, page),
    headers && subtitle('Headers') + schemaHtml(headers, schemaLook(look, `${id}-header`)),
    payload && (headers ? subtitle('Payload') : '') + schemaHtml(payload, schemaLook(look, id)),
    source &&
      subtitle(`Payload, ${codeHtml(source.format)}`) +
        page.code({ language: source.language, meta: '', code: source.text }),
    correlationId && factLine('Correlated by', [described(correlationId.location, correlationId, page)]),
    notesHtml(message.notes, schemaLook(look, id), id),
  ];
  return element('section', { id, 'aria-label': message.title }, parts.filter(Boolean).join(''));
}

function described(expression: string, { description }: { description: string }, page: PageContext): string {
  return `${codeHtml(expression)} ${phraseHtml(description, page)}`.trimEnd();
}

/** The copy button of the group copies its first block: the payload. */
function exampleHtml({ headers, payload }: MessageExampleView, page: PageContext): string {
  const title = headers !== undefined && payload ? 'title="Payload"' : '';
  const first = payload ? page.code({ language: payload.language, meta: title, code: payload.text }) : '';
  if (headers === undefined) return first;
  return first + page.code({ language: 'json', meta: 'title="Headers"', code: headers });
}
