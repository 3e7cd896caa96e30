/**
 * An operation as a page shows it: references followed, `allOf` merged, cycles and depth cut. Views are made from a
 * document by the files beside this one and turned into HTML by `html/`; neither side knows the other.
 * Every description is Markdown. Every value (default, enum, example) is text as JSON would write it.
 */
export interface OperationView {
  kind: 'operation' | 'webhook';
  /** Upper case. */
  method: string;
  /** The path, or the name of a webhook. */
  path: string;
  summary: string;
  description: string;
  deprecated: boolean;
  servers: ServerView[];
  /** Alternatives; each is what must be sent together. An empty alternative means that nothing is needed. */
  security: SecuritySchemeView[][];
  parameters: ParameterView[];
  body?: BodyView;
  responses: ResponseView[];
  callbacks: CallbackView[];
  /** Samples the specification brings itself (`x-codeSamples`). */
  ownSamples: CodeSample[];
  externalDocs?: { url: string; description: string };
}

export interface ServerView {
  /** With `{name}` for variables. */
  url: string;
  description: string;
  variables: { name: string; initial: string; choices: string[]; description: string }[];
}

export interface SecuritySchemeView {
  /** Its name in the specification. */
  id: string;
  type: 'apiKey' | 'http' | 'oauth2' | 'openIdConnect' | 'mutualTLS';
  /** Where an API key goes, and under which name. HTTP schemes: the Authorization header. */
  in: 'header' | 'query' | 'cookie';
  parameter: string;
  /** `bearer`, `basic`, … for HTTP schemes. */
  scheme: string;
  description: string;
  scopes: string[];
  flows: { kind: string; authorizationUrl?: string; tokenUrl?: string }[];
  /** `x-default`: what a form is filled with at first. */
  prefill?: string;
}

export interface ParameterView {
  name: string;
  in: 'path' | 'query' | 'header' | 'cookie';
  required: boolean;
  deprecated: boolean;
  description: string;
  schema: SchemaView;
  /** As it would be typed into a field. */
  example?: string;
  style: string;
  explode: boolean;
}

export interface BodyView {
  required: boolean;
  description: string;
  contents: ContentView[];
}

export interface ContentView {
  /** For example `application/json`. */
  type: string;
  schema?: SchemaView;
  /** At least one when anything can be shown: given ones first, otherwise one made from the schema. */
  examples: ExampleView[];
}

export interface ExampleView {
  /** Empty when there is only one without a name. */
  name: string;
  summary: string;
  /** Made from the schema; the specification gives none. */
  isGenerated?: boolean;
  /** For highlighting. */
  language: 'json' | 'xml' | 'text' | 'yaml';
  text: string;
}

export interface ResponseView {
  /** `200`, `4XX`, `default`. */
  status: string;
  description: string;
  headers: ParameterView[];
  contents: ContentView[];
}

export interface CallbackView {
  name: string;
  /** The expression that gives its address. */
  url: string;
  operation: OperationView;
}

export interface CodeSample {
  /** For highlighting, for example `python`. */
  language: string;
  label: string;
  code: string;
}

export interface SchemaView {
  /**
   * What stands beside the name: `string`, `integer`, `string<date-time>`, `User[]`, `object`, `string | null`, `any`.
   * Raw bytes are `file`. The places of a tuple are properties named `[0]`, `[1]`.
   */
  type: string;
  title: string;
  description: string;
  deprecated: boolean;
  readOnly: boolean;
  writeOnly: boolean;
  default?: string;
  /** `x-default`: what a form is filled with at first. */
  prefill?: string;
  const?: string;
  /** Values with what the specification says about each, if it does. */
  enum: { value: string; description: string }[];
  examples: string[];
  /** Sentences such as `at least 1`, `at most 64 characters`, `matches ^[a-z]+$`. */
  constraints: string[];
  /** Pills of `x-mint.pre` and `x-mint.post`. */
  pre: string[];
  post: string[];
  properties: PropertyView[];
  items?: SchemaView;
  /** The values of properties that are not named, with the pattern of their names where there is one. */
  additional: { pattern: string; schema: SchemaView }[];
  choices?: ChoicesView;
  /** This schema is inside of itself: the name of the one that is meant. Nothing below is filled. */
  sameAs?: string;
  /** The name of a schema that is shown in several other places already. Nothing below is filled. */
  shownElsewhere?: string;
  /** Deeper than is shown. */
  isCut: boolean;
}

export interface PropertyView {
  name: string;
  required: boolean;
  schema: SchemaView;
}

export interface ChoicesView {
  kind: 'oneOf' | 'anyOf';
  /** The property whose value tells which choice it is. */
  discriminator?: string;
  options: { title: string; value?: string; schema: SchemaView }[];
}
