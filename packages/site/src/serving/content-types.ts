/** Content types by file extension. */
import { extname } from 'node:path';

const withCharset = '; charset=utf-8';

/** Compressible text types. */
const texts: Record<string, string> = {
  html: 'text/html',
  htm: 'text/html',
  css: 'text/css',
  js: 'text/javascript',
  mjs: 'text/javascript',
  md: 'text/markdown',
  mdx: 'text/markdown',
  txt: 'text/plain',
  csv: 'text/csv',
  xml: 'text/xml',
  json: 'application/json',
  map: 'application/json',
  webmanifest: 'application/manifest+json',
  yaml: 'application/yaml',
  yml: 'application/yaml',
  rss: 'application/rss+xml',
  atom: 'application/atom+xml',
  svg: 'image/svg+xml',
};

const binaries: Record<string, string> = {
  pdf: 'application/pdf',
  wasm: 'application/wasm',
  zip: 'application/zip',
  gz: 'application/gzip',
  tgz: 'application/gzip',
  avif: 'image/avif',
  gif: 'image/gif',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  png: 'image/png',
  ico: 'image/vnd.microsoft.icon',
  webp: 'image/webp',
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  mp4: 'video/mp4',
  mov: 'video/quicktime',
  webm: 'video/webm',
  otf: 'font/otf',
  ttf: 'font/ttf',
  woff: 'font/woff',
  woff2: 'font/woff2',
};

/** Uncompressed binary formats. */
const compressibleBinaries = new Set(['ico', 'otf', 'ttf', 'wasm']);

const typeOf = new Map([
  ...Object.entries(texts).map(([ending, type]) => [ending, type + withCharset] as const),
  ...Object.entries(binaries),
]);

export function contentTypeOf(path: string): string {
  return typeOf.get(endingOf(path)) ?? 'application/octet-stream';
}

export function isCompressible(path: string): boolean {
  const ending = endingOf(path);
  return Object.hasOwn(texts, ending) || compressibleBinaries.has(ending);
}

function endingOf(path: string): string {
  return extname(path).slice(1).toLowerCase();
}
