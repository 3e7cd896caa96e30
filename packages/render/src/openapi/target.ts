/** What an API page is about, as plain data that can cross a process boundary. It says where to look, not what is there. */
import type { JsonObject } from '../config/json.ts';
import type { WrittenOperation } from './spelling.ts';

/** A description that was read, upgraded to OpenAPI 3.1 (or AsyncAPI 3), with all of its references inside of itself. */
export type SpecDocument = JsonObject;

/** Methods are in upper case; paths and names are those of the description, not as the page spells them. */
export type ApiTarget =
  | { kind: 'operation'; spec: string; method: string; path: string }
  | { kind: 'webhook'; spec: string; method: string; name: string }
  | { kind: 'schema'; spec: string; name: string }
  | { kind: 'channel'; spec: string; name: string }
  /** An operation that its page describes itself; no specification is behind it. */
  | ({ kind: 'written' } & WrittenOperation);
