/** Parses references to operations, schemas and channels in front matter and navigation entries. */
import type { ApiReference } from '../model/page-source.ts';

/** Bounds the input of the patterns below. */
const maxLength = 1000;

/** `POST /users`, `spec.json post /users`, `webhook userCreated`, `spec.json`. */
export function operationReference(written: string): ApiReference | undefined {
  const text = written.trim();
  if (text === '' || text.length > maxLength) return undefined;
  const operation = /^(?:(.*?)\s+)?(get|post|put|patch|delete|head|options|trace)\s+(\S.*)$/i.exec(text);
  if (operation) {
    const [, file, method = '', path = ''] = operation;
    return { kind: 'operation', file, method: method.toUpperCase(), path };
  }
  const webhook = /^(?:(.*?)\s+)?webhook\s+(\S.*)$/i.exec(text);
  if (webhook) return { kind: 'webhook', file: webhook[1], name: webhook[2] ?? '' };
  return /\.(?:json|ya?ml)$/i.test(text) || !/\s/.test(text) ? { kind: 'file', file: text } : undefined;
}

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

/** `GET https://api.example.com/users` or `GET /users`, declared without a specification. */
export function frontMatterOperation(written: string): ApiReference | undefined {
  const reference = operationReference(written);
  return reference?.kind === 'operation'
    ? { kind: 'front-matter', method: reference.method, url: reference.path }
    : undefined;
}

function fileAndName(written: string): { file?: string | undefined; name: string } | undefined {
  const text = written.trim();
  if (text === '' || text.length > maxLength) return undefined;
  const file =
    /^(\S+\.(?:json|ya?ml)|https?:\S+|\/\S+)\s+(\S.*)$/i.exec(text) ?? /^(\S+)\s+(\S+)$/.exec(text);
  return file ? { file: file[1], name: file[2] ?? '' } : { name: text };
}
