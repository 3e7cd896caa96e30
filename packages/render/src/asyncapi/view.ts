/**
 * A channel as a page shows it: references followed, traits merged, everything bounded. Descriptions are Markdown.
 * Sending and receiving are told from the reader's side: what the described application receives, the reader sends.
 */
import type { ExampleView, SchemaView } from '../openapi/view.ts';

export interface ChannelView {
  name: string;
  address: string;
  summary: string;
  description: string;
  servers: ChannelServerView[];
  /** All ways to be let in at one of the servers. */
  security: ChannelSecurityView[];
  parameters: SchemaRow[];
  operations: ChannelOperationView[];
  messages: MessageView[];
  notes: NotesView;
}

/** A named value with its schema, as `schemaField` shows it. */
export interface SchemaRow {
  name: string;
  required: boolean;
  schema: SchemaView;
}

export interface ChannelServerView {
  name: string;
  /** `wss://example.com/path`, with `{name}` for variables. */
  url: string;
  /** As written: `wss`, `kafka-secure`. */
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
  /** The name of the header, query parameter or cookie; otherwise that of the scheme. */
  parameter: string;
  /** `header`, `query`, …; empty when it is not said. */
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
  /** Names of messages of the view. */
  messages: string[];
  reply?: ReplyView;
  security: ChannelSecurityView[];
  notes: NotesView;
}

export interface ReplyView {
  /** Where the answer arrives: the address of a channel, or an expression that tells it. */
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
  /** What the reader does with it; empty when no operation mentions it. */
  roles: ('send' | 'receive' | 'reply')[];
  headers?: SchemaView;
  payload?: SchemaView;
  /** A payload that is not described by JSON Schema, as it is written. */
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

/** What any part of a description may carry besides. */
export interface NotesView {
  bindings: BindingView[];
  tags: { name: string; description: string }[];
  externalDocs?: { url: string; description: string };
  /** Names begin with `x-`; values as JSON. */
  extensions: { name: string; value: string }[];
}

/** Settings for one protocol. */
export interface BindingView {
  protocol: string;
  /** Nested settings have dots in their names; values as JSON, text without quotes. */
  rows: { name: string; value: string }[];
  /** Settings that are schemas: the query of a WebSocket, the key of a Kafka message. */
  schemas: { name: string; schema: SchemaView }[];
}
