/**
 * A file in all its encodings, and the response to a request for it: conditions, ranges, compression,
 * caching.
 */
import { acceptedEncodings } from './accepted-encodings.ts';
import { byteRangeOf, type ByteRange } from './byte-range.ts';
import { type Encoding, encodings } from './compressed-files.ts';
import { contentTypeOf } from './content-types.ts';

export interface StaticFile {
  /** In the bundle. */
  path: string;
  plain: Representation;
  compressed: Partial<Record<Encoding, Representation>>;
}

export type FileContent = { file: string; offset: number; sizeBytes: number } | { bytes: Uint8Array };

/** One encoding of a file with its headers. */
export interface Representation {
  /** False for the not-found page. */
  isFound: boolean;
  content: FileContent;
  sizeBytes: number;
  etag: string;
  /** Names and values alternate, the fastest form for `writeHead`. */
  headers: string[];
  /** For a 304 response. */
  unchangedHeaders: string[];
}

export interface FileDescription {
  /** Determines the content type. */
  path: string;
  /** Identifies the content; the ETag of each encoding contains it. */
  tag: string;
  plain: FileContent;
  compressed?: Partial<Record<Encoding, FileContent>>;
  isFound?: boolean;
  /** Request headers that the response depends on, besides Accept-Encoding. */
  varies?: readonly string[];
  /** Names and values alternate. */
  headers: readonly string[];
}

export interface CacheControl {
  mayChange: string;
  neverChanges: string;
}

export const cacheControl: CacheControl = {
  mayChange: 'public, max-age=0, must-revalidate',
  neverChanges: 'public, max-age=31536000, immutable',
};

/** Of a site with access control: only the browser may store a response, and asks each time. */
export const privateCacheControl: CacheControl = {
  mayChange: 'private, no-cache',
  neverChanges: 'private, no-cache',
};

export function staticFile(given: FileDescription): StaticFile {
  const { path, plain, compressed: contents = {}, headers } = given;
  const isCompressed = Object.keys(contents).length > 0;
  const varies = [...(isCompressed ? ['Accept-Encoding'] : []), ...(given.varies ?? [])];
  const shared = [
    'Content-Type',
    contentTypeOf(path),
    ...(varies.length > 0 ? ['Vary', varies.join(', ')] : []),
    ...headers,
  ];
  const compressed: StaticFile['compressed'] = {};
  for (const encoding of encodings) {
    const content = contents[encoding];
    if (content !== undefined) compressed[encoding] = representation(given, content, shared, encoding);
  }
  return { path, plain: representation(given, plain, shared), compressed };
}

function representation(
  { tag, isFound = true }: FileDescription,
  content: FileContent,
  shared: readonly string[],
  encoding?: Encoding,
): Representation {
  const sizeBytes = 'bytes' in content ? content.bytes.length : content.sizeBytes;
  // Strong tags compare bytes, so each encoding needs its own.
  const etag = `"${tag}${encoding === undefined ? '' : `-${encoding}`}"`;
  const headers = [
    ...shared,
    ...(isFound ? ['ETag', etag] : []),
    'Content-Length',
    String(sizeBytes),
    ...(encoding === undefined ? [] : ['Content-Encoding', encoding]),
    ...(isFound && encoding === undefined ? ['Accept-Ranges', 'bytes'] : []),
  ];
  return { isFound, content, sizeBytes, etag, headers, unchangedHeaders: [...shared.slice(2), 'ETag', etag] };
}

export interface FileRequest {
  method?: string | undefined;
  headers: {
    range?: string | undefined;
    'if-range'?: string | undefined;
    'if-none-match'?: string | undefined;
    'accept-encoding'?: string | string[] | undefined;
  };
}

export type FileAnswer =
  | { status: 200 | 404; headers: string[]; form: Representation }
  | { status: 206; headers: string[]; form: Representation; range: ByteRange }
  | { status: 304; headers: string[] }
  | { status: 416; headers: string[]; sizeBytes: number };

export function answerFor(file: StaticFile, { method, headers }: FileRequest): FileAnswer {
  const form = preferredForm(file, headers['accept-encoding']?.toString());
  if (!form.isFound) return { status: 404, headers: form.headers, form };
  const ranged = method === 'GET' ? rangeAnswer(file.plain, headers) : undefined;
  if (ranged !== undefined) return ranged;
  if (isKnown(headers['if-none-match'], form.etag)) return { status: 304, headers: form.unchangedHeaders };
  return { status: 200, headers: form.headers, form };
}

function preferredForm({ plain, compressed }: StaticFile, accepted: string | undefined): Representation {
  for (const encoding of acceptedEncodings(accepted)) {
    const form = compressed[encoding];
    if (form !== undefined) return form;
  }
  return plain;
}

/** Ranges apply to the plain file, because compressed bytes are not stable. Undefined: everything is sent. */
function rangeAnswer(form: Representation, headers: FileRequest['headers']): FileAnswer | undefined {
  if (headers.range === undefined) return undefined;
  const condition = headers['if-range'];
  if (condition !== undefined && condition !== form.etag) return undefined;
  if (isKnown(headers['if-none-match'], form.etag)) return undefined;
  const { sizeBytes } = form;
  const range = byteRangeOf(headers.range, sizeBytes);
  if (range === undefined) return undefined;
  if (range === 'unsatisfiable')
    return { status: 416, headers: ['Content-Range', `bytes */${sizeBytes}`], sizeBytes };
  const partHeaders = [
    ...form.headers.filter((_, index) => form.headers[index - (index % 2)] !== 'Content-Length'),
    'Content-Length',
    String(range.end - range.start + 1),
    'Content-Range',
    `bytes ${range.start}-${range.end}/${sizeBytes}`,
  ];
  return { status: 206, headers: partHeaders, form, range };
}

/** The header may list several tags or `*`, and a proxy may have weakened a tag. */
function isKnown(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return (
    header === etag || header.trim() === '*' || header.split(',').some((tag) => sameTag(tag.trim(), etag))
  );
}

function sameTag(tag: string, etag: string): boolean {
  return (tag.startsWith('W/') ? tag.slice(2) : tag) === etag;
}
