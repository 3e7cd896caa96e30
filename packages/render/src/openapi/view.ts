/**
 * An operation as a page shows it: references resolved, `allOf` merged, cycles and depth cut. Descriptions are
 * Markdown. Values (default, enum, example) are JSON text.
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
  /** Alternatives, each a set of schemes required together. An empty alternative allows anonymous requests. */
  security: SecuritySchemeView[][];
  parameters: ParameterView[];
  body?: BodyView;
  responses: ResponseView[];
  callbacks: CallbackView[];
  /** Samples in the specification (`x-codeSamples`). */
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
  id: string;
  type: 'apiKey' | 'http' | 'oauth2' | 'openIdConnect' | 'mutualTLS';
  /** HTTP schemes use the Authorization header. */
  in: 'header' | 'query' | 'cookie';
  parameter: string;
  /** `bearer`, `basic`, … for HTTP schemes. */
  scheme: string;
  description: string;
  scopes: string[];
  flows: { kind: string; authorizationUrl?: string; tokenUrl?: string }[];
  /** `x-default`: the initial value of the form field. */
  prefill?: string;
}

export interface ParameterView {
  name: string;
  in: 'path' | 'query' | 'header' | 'cookie';
  required: boolean;
  deprecated: boolean;
  description: string;
  schema: SchemaView;
  /** As typed into a form field. */
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
  type: string;
  schema?: SchemaView;
  /** Given examples, else one generated from the schema. */
  examples: ExampleView[];
}

export interface ExampleView {
  /** Empty for a single unnamed example. */
  name: string;
  summary: string;
  isGenerated?: boolean;
  language: 'json' | 'xml' | 'text' | 'yaml';
  text: string;
}

export interface ResponseView {
  status: string;
  description: string;
  headers: ParameterView[];
  contents: ContentView[];
}

export interface CallbackView {
  name: string;
  url: string;
  operation: OperationView;
}

export interface CodeSample {
  /** The highlighter's name, for example `python`. */
  language: string;
  label: string;
  code: string;
}

export interface SchemaView {
  /**
   * For example `string<date-time>`, `User[]`, `string | null`, `any`; binary content is `file`. Tuple items
   * are properties named `[0]`, `[1]`.
   */
  type: string;
  title: string;
  description: string;
  deprecated: boolean;
  readOnly: boolean;
  writeOnly: boolean;
  default?: string;
  /** `x-default`: the initial value of the form field. */
  prefill?: string;
  const?: string;
  enum: { value: string; description: string }[];
  examples: string[];
  /** For example `at least 1`, `at most 64 characters`, `matches ^[a-z]+$`. */
  constraints: string[];
  /** Labels from `x-mint.pre` and `x-mint.post`. */
  pre: string[];
  post: string[];
  properties: PropertyView[];
  items?: SchemaView;
  additional: { pattern: string; schema: SchemaView }[];
  choices?: ChoicesView;
  /** The name of the enclosing schema that this one repeats. Other fields stay empty. */
  sameAs?: string;
  /** The name of a schema that is already expanded in several places. Other fields stay empty. */
  shownElsewhere?: string;
  isCut: boolean;
}

export interface PropertyView {
  name: string;
  required: boolean;
  schema: SchemaView;
}

export interface ChoicesView {
  kind: 'oneOf' | 'anyOf';
  discriminator?: string;
  options: { title: string; value?: string; schema: SchemaView }[];
}
