/** A request or response that an example shows. */

export interface ExampleRequest {
  kind: 'request';
  method: string;
  /** As written: a URL, or a path with or without a variable before it. */
  url: string;
  /** Undefined if the example has none, or none that can be read. */
  body: ExampleBody | undefined;
}

export interface ExampleResponse {
  kind: 'response';
  status: string;
  body: ExampleBody | undefined;
}

export type ExampleMessage = ExampleRequest | ExampleResponse;

export type ExampleBody = { value: unknown } | { problem: string };

/** A placeholder makes a text that is no JSON. It is not a mistake of the author. */
const placeholder = /\$\w|\$\{|\{\{|\.\.\.|…|<[a-z]/i;

export function jsonBody(text: string, isDeclaredJson: boolean): ExampleBody | undefined {
  const isLikeJson = /^\s*[{[]/.test(text);
  if (!isLikeJson && !isDeclaredJson) return undefined;
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    if (placeholder.test(text)) return undefined;
    return { problem: error instanceof Error ? error.message : 'it cannot be read' };
  }
}
