/** How pages and navigation entries name what they document: text in, a reference out. It knows no description. */
import type { ApiReference } from '../model/page-source.ts';

/** An unreadably long reference means nothing, and no pattern needs to look at it. */
const maximumLength = 1000;

/** `POST /users`, `spec.json post /users`, `webhook userCreated`, `spec.json`. */
export function operationReference(written: string): ApiReference | undefined {
  const text = written.trim();
  if (text === '' || text.length > maximumLength) return undefined;
  const operation = /^(?:(.*?)\s+)?(get|post|put|patch|delete|head|options|trace)\s+(\S.*)$/i.exec(text);
  if (operation) {
    const [, file, method = '', path = ''] = operation;
    return { kind: 'operation', file, method: method.toUpperCase(), path };
  }
  const webhook = /^(?:(.*?)\s+)?webhook\s+(\S.*)$/i.exec(text);
  if (webhook) return { kind: 'webhook', file: webhook[1], name: webhook[2] ?? '' };
  return /\.(?:json|ya?ml)$/i.test(text) || !/\s/.test(text) ? { kind: 'file', file: text } : undefined;
}

/** An entry of the navigation that is an operation and not the name of a page. */
export function operationEntry(written: string): ApiReference | undefined {
  const reference = operationReference(written);
  if (reference?.kind === 'webhook') return reference;
  return reference?.kind === 'operation' && reference.path.startsWith('/') ? reference : undefined;
}

/** `OrderItem` or `spec.json OrderItem`. */
export function schemaReference(written: string): ApiReference | undefined {
  const named = fileAndName(written);
  return named && { kind: 'schema', ...named };
}

/** `channelName` or `asyncapi.yaml channelName`. */
export function channelReference(written: string): ApiReference | undefined {
  const named = fileAndName(written);
  return named && { kind: 'channel', ...named };
}

/** An operation that its page describes itself: `GET https://api.example.com/users` or `GET /users`. */
export function writtenOperation(written: string): ApiReference | undefined {
  const reference = operationReference(written);
  return reference?.kind === 'operation'
    ? { kind: 'written', method: reference.method, url: reference.path }
    : undefined;
}

function fileAndName(written: string): { file?: string | undefined; name: string } | undefined {
  const text = written.trim();
  if (text === '' || text.length > maximumLength) return undefined;
  const file =
    /^(\S+\.(?:json|ya?ml)|https?:\S+|\/\S+)\s+(\S.*)$/i.exec(text) ?? /^(\S+)\s+(\S+)$/.exec(text);
  return file ? { file: file[1], name: file[2] ?? '' } : { name: text };
}
