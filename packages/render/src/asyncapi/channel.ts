/** Builds the view of one channel of an AsyncAPI 3 document. The document is untrusted. */
import { asList, asObject, asText, at, textAt } from '../config/json.ts';
import type { PageLimits } from '../openapi/operation.ts';
import {
  nameOfReference,
  pointerKeys,
  referenceOf,
  resolve,
  resolvedEntries,
} from '../openapi/references.ts';
import { type SchemaBudget, newSchemaBudget, schemaView } from '../openapi/schema.ts';
import { messageView } from './message.ts';
import { notesView } from './notes.ts';
import { securityViews } from './security.ts';
import { withTraits } from './traits.ts';
import type {
  ChannelOperationView,
  ChannelSecurityView,
  ChannelServerView,
  ChannelView,
  MessageView,
  ReplyView,
  SchemaRow,
} from './view.ts';
import type { SpecDocument } from '../model/site-plan.ts';

const maxServers = 20;
const maxParameters = 50;
const maxOperations = 50;
const maxMessages = 50;

export function channelView(
  document: SpecDocument,
  name: string,
  limits: PageLimits = {},
): ChannelView | undefined {
  const channel = resolve(document, at(document, 'channels', name));
  if (!asObject(channel)) return undefined;
  const budget = newSchemaBudget(document, limits.maxNodes);
  const messages = new Messages(budget, channel);
  const operations = operationViews(budget, name, channel, messages);
  const servers = serverViews(budget, channel);
  const notes = notesView(budget, channel);
  if (budget.isSpent) limits.reportCut?.();
  return {
    name,
    address: textAt(channel, 'address') ?? '',
    summary: textAt(channel, 'summary') ?? '',
    description: textAt(channel, 'description') ?? '',
    servers: servers.map(({ view }) => view),
    security: unique(servers.flatMap(({ security }) => security)),
    parameters: resolvedEntries(document, at(channel, 'parameters'))
      .slice(0, maxParameters)
      .map(([parameter, value]) => ({ ...textRow(document, parameter, value), required: true })),
    operations,
    messages: messages.views,
    notes,
  };
}

function textRow(document: SpecDocument, name: string, value: unknown): SchemaRow {
  const schema = {
    type: 'string',
    description: at(value, 'description'),
    default: at(value, 'default'),
    enum: at(value, 'enum'),
    examples: at(value, 'examples'),
  };
  return { name, required: false, schema: schemaView(document, schema, 'both') };
}

/** A channel without `servers` is available on all servers. */
function serverViews(
  budget: SchemaBudget,
  channel: unknown,
): { view: ChannelServerView; security: ChannelSecurityView[] }[] {
  const { document } = budget;
  const named = asList(at(channel, 'servers')).flatMap((entry): [string, unknown][] => {
    const reference = referenceOf(entry);
    return reference === undefined ? [] : [[nameOfReference(reference), resolve(document, entry)]];
  });
  const all = named.length > 0 ? named : resolvedEntries(document, document['servers']);
  return all.slice(0, maxServers).flatMap(([name, server]) => {
    const host = textAt(server, 'host');
    if (host === undefined) return [];
    const protocol = textAt(server, 'protocol') ?? '';
    const security = securityViews(document, server);
    const description = [textAt(server, 'summary'), textAt(server, 'description')]
      .filter(Boolean)
      .join('\n\n');
    const view: ChannelServerView = {
      name,
      url: `${protocol && !host.includes('://') ? `${protocol}://` : ''}${host}${textAt(server, 'pathname') ?? ''}`,
      protocol,
      protocolVersion: textAt(server, 'protocolVersion') ?? '',
      description,
      variables: resolvedEntries(document, at(server, 'variables'))
        .slice(0, maxParameters)
        .map(([variable, value]) => textRow(document, variable, value)),
      securityIds: security.map(({ id }) => id),
      notes: notesView(budget, server),
    };
    return [{ view, security }];
  });
}

function unique(schemes: readonly ChannelSecurityView[]): ChannelSecurityView[] {
  return [...new Map(schemes.map((scheme) => [JSON.stringify(scheme), scheme])).values()];
}

/** The messages of a channel, and those of other channels that arrive as replies. */
class Messages {
  readonly views: MessageView[] = [];
  readonly #budget: SchemaBudget;
  readonly #byValue = new Map<unknown, MessageView>();

  constructor(budget: SchemaBudget, channel: unknown) {
    this.#budget = budget;
    for (const [name, message] of entriesOf(channel)) this.add(name, message);
  }

  add(name: string, entry: unknown): MessageView | undefined {
    const value = resolve(this.#budget.document, entry);
    if (!asObject(value)) return undefined;
    const known = this.#byValue.get(value);
    if (known || this.views.length >= maxMessages) return known;
    const isTaken = this.views.some((view) => view.name === name);
    const view = messageView(this.#budget, isTaken ? `${name}-${this.views.length + 1}` : name, value);
    this.#byValue.set(value, view);
    this.views.push(view);
    return view;
  }

  /** An operation without `messages` accepts every message of the channel. */
  listed(list: unknown, channel: unknown): MessageView[] {
    const chosen = Array.isArray(list)
      ? asList(list)
          .slice(0, maxMessages)
          .map((entry): [string, unknown] => [nameOfReference(referenceOf(entry) ?? ''), entry])
      : entriesOf(channel);
    return [...new Set(chosen.flatMap(([name, entry]) => this.add(name, entry) ?? []))];
  }
}

function entriesOf(channel: unknown): [string, unknown][] {
  return Object.entries(asObject(at(channel, 'messages')) ?? {}).slice(0, maxMessages);
}

function operationViews(
  budget: SchemaBudget,
  channelName: string,
  channel: unknown,
  messages: Messages,
): ChannelOperationView[] {
  const { document } = budget;
  return channelOperations(document, channelName).map(([name, value]) => {
    const operation = withTraits(document, value);
    const action = operation['action'] === 'receive' ? 'send' : 'receive';
    const own = messages.listed(operation['messages'], channel);
    for (const message of own) addRole(message, action);
    const reply = replyView(document, operation['reply'], messages);
    return {
      name,
      action,
      title: textAt(operation, 'title') ?? textAt(operation, 'summary') ?? name,
      description: descriptionOf(operation),
      messages: own.map((message) => message.name),
      ...(reply ? { reply } : {}),
      security: securityViews(document, operation),
      notes: notesView(budget, operation),
    };
  });
}

export function channelOperations(document: SpecDocument, name: string): [string, unknown][] {
  const channel = resolve(document, at(document, 'channels', name));
  return resolvedEntries(document, document['operations'])
    .filter(([, operation]) => isChannel(document, at(operation, 'channel'), name, channel))
    .slice(0, maxOperations);
}

function isChannel(document: SpecDocument, entry: unknown, name: string, channel: unknown): boolean {
  const keys = pointerKeys(referenceOf(entry) ?? '') ?? [];
  if (keys.length === 2 && keys[0] === 'channels') return keys[1] === name;
  return resolve(document, entry) === channel;
}

function descriptionOf(operation: unknown): string {
  const summary = textAt(operation, 'title') === undefined ? undefined : textAt(operation, 'summary');
  return [summary, textAt(operation, 'description')].filter(Boolean).join('\n\n');
}

function replyView(document: SpecDocument, entry: unknown, messages: Messages): ReplyView | undefined {
  const reply = resolve(document, entry);
  if (!asObject(reply)) return undefined;
  const channel = resolve(document, at(reply, 'channel'));
  const address = resolve(document, at(reply, 'address'));
  const listed =
    at(reply, 'messages') === undefined && channel === undefined
      ? []
      : messages.listed(at(reply, 'messages'), channel);
  for (const message of listed) addRole(message, 'reply');
  return {
    address: asText(at(address, 'location')) ?? textAt(channel, 'address') ?? '',
    description: textAt(address, 'description') ?? '',
    messages: listed.map((message) => message.name),
  };
}

function addRole(message: MessageView, role: MessageView['roles'][number]): void {
  if (!message.roles.includes(role)) message.roles.push(role);
}
