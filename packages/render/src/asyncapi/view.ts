/**
 * A channel as a page shows it: references resolved, traits merged, sizes bounded. Descriptions are Markdown.
 * `send` and `receive` are from the reader's side, the opposite of the described application's side.
 */
import type { ExampleView, SchemaView } from '../openapi/view.ts';

export interface ChannelView {
  name: string;
  address: string;
  summary: string;
  description: string;
  servers: ChannelServerView[];
  security: ChannelSecurityView[];
  parameters: SchemaRow[];
  operations: ChannelOperationView[];
  messages: MessageView[];
  notes: NotesView;
}

export interface SchemaRow {
  name: string;
  required: boolean;
  schema: SchemaView;
}

export interface ChannelServerView {
  name: string;
  /** `wss://example.com/path`, with `{name}` for variables. */
  url: string;
  protocol: string;
  protocolVersion: string;
  description: string;
  variables: SchemaRow[];
  securityIds: string[];
  notes: NotesView;
}

export interface ChannelSecurityView {
  id: string;
  /** In words: `API key`, `user name and password`. */
  type: string;
  /** The name of the header, query parameter or cookie, else of the scheme. */
  parameter: string;
  /** `header`, `query`, …; empty when unspecified. */
  place: string;
  description: string;
  scopes: string[];
  addresses: string[];
}

export interface ChannelOperationView {
  name: string;
  action: 'send' | 'receive';
  title: string;
  description: string;
  messages: string[];
  reply?: ReplyView;
  security: ChannelSecurityView[];
  notes: NotesView;
}

export interface ReplyView {
  /** A channel address, or a runtime expression that evaluates to one. */
  address: string;
  description: string;
  messages: string[];
}

export interface MessageView {
  /** Unique in the view. */
  name: string;
  title: string;
  description: string;
  contentType: string;
  /** Empty when no operation uses the message. */
  roles: ('send' | 'receive' | 'reply')[];
  headers?: SchemaView;
  payload?: SchemaView;
  payloadSource?: { format: string; language: string; text: string };
  examples: MessageExampleView[];
  correlationId?: { location: string; description: string };
  notes: NotesView;
}

export interface MessageExampleView {
  title: string;
  headers?: string;
  payload?: Pick<ExampleView, 'language' | 'text'>;
}

export interface NotesView {
  bindings: BindingView[];
  tags: { name: string; description: string }[];
  externalDocs?: { url: string; description: string };
  /** Names begin with `x-`; values as JSON. */
  extensions: { name: string; value: string }[];
}

export interface BindingView {
  protocol: string;
  /** Nested fields are flattened to dotted names. Values are JSON; strings have no quotes. */
  rows: { name: string; value: string }[];
  /** For example the query of a WebSocket or the key of a Kafka message. */
  schemas: { name: string; schema: SchemaView }[];
}
