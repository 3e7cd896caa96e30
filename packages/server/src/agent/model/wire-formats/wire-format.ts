/**
 * What the bridge needs to know of a format in which external agents ask a model: which requests may pass, and
 * where an answer reports its usage. A sandbox without a network must not gain one through the model, so
 * everything that lets the endpoint fetch an address, run a tool or keep a conversation is removed or refused.
 */
import type { Usage } from '../../contract.ts';
import type { ModelSettings } from '../endpoint.ts';
import { objectOf, type Json } from '../json-fields.ts';

export type TargetModel = Omit<ModelSettings, 'key'>;
export type TokenCounts = { [Name in Exclude<keyof Usage, 'steps'>]?: number | undefined };

export interface WireFormat {
  /** Below the URL of the endpoint. */
  endpointPath(model: TargetModel, isStream: boolean): string;
  /** Throws RequestRefusedError. */
  read(body: Json, model: TargetModel): AcceptedRequest;
  /** The usage in an answer or event, as the endpoint names it. Later figures replace earlier ones. */
  figuresIn(event: Json): Json | undefined;
  countsOf(figures: Json): TokenCounts;
  /** The characters that the model wrote in an answer or event, for endpoints that report no usage. */
  writtenIn(event: Json): number;
  /** Whether the event exists only because the bridge asked for the usage. */
  isUsageOnly?(event: Json): boolean;
}

export interface AcceptedRequest {
  wantedOutputTokens: number | undefined;
  /** The bridge needs the usage at the end of a stream; an agent that did not ask for it does not see it. */
  hidesUsage?: boolean;
  withLimit(outputTokens: number): Json;
}

export class RequestRefusedError extends Error {
  override name = 'RequestRefusedError';
}

export function refuse(message: string): never {
  throw new RequestRefusedError(message);
}

const noAddresses = 'A message may contain text, calls, results and inline images, but no addresses.';

export function refusePart(): never {
  return refuse(noAddresses);
}

export function picked(given: Json, names: readonly string[]): Json {
  return Object.fromEntries(
    names.flatMap((name): [string, unknown][] => (Object.hasOwn(given, name) ? [[name, given[name]]] : [])),
  );
}

export function listIn(value: unknown, what: string): Json[] {
  if (value === undefined || value === null) return [];
  const items: unknown[] = Array.isArray(value)
    ? value
    : refuse(`The ${what} of the request are not a list.`);
  return items.map(
    (item) => objectOf(item) ?? refuse(`The ${what} of the request are not a list of objects.`),
  );
}

/** The parts of a message, whose content may also be text. */
export function partsOf(content: unknown): Json[] {
  return typeof content === 'string' ? [] : listIn(content, 'parts of a message');
}

export function isInlineData(address: unknown): boolean {
  return typeof address === 'string' && address.startsWith('data:');
}

/**
 * The endpoint would run the other tools, some of them on the internet. They are removed; without any tool of
 * its own the agent would get an invented result, so the request is refused.
 */
export function ownTools<Tool>(offered: readonly Tool[], isOwn: (tool: Tool) => boolean): Tool[] {
  const own = offered.filter(isOwn);
  if (offered.length > 0 && own.length === 0) {
    refuse('Only tools that you run yourself can be offered to the model.');
  }
  return own;
}

export function wantedTokens(limit: unknown): number | undefined {
  return typeof limit === 'number' && limit >= 1 ? Math.floor(limit) : undefined;
}

const maxNesting = 12;

/** The characters of all texts in fields of these names. */
export function charactersIn(value: unknown, fields: ReadonlySet<string>, nesting = 0): number {
  if (typeof value !== 'object' || value === null || nesting > maxNesting) return 0;
  return Object.entries(value).reduce((sum, [name, inner]) => {
    if (typeof inner !== 'string') return sum + charactersIn(inner, fields, nesting + 1);
    return sum + (fields.has(name) ? inner.length : 0);
  }, 0);
}
