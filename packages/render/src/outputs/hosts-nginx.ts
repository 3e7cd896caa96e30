/**
 * Writes an nginx snippet to include in a server block. `if` contains only `set` and `return`: other directives
 * are unsafe there.
 */
import { type HostedSite, destinationOf, filledDestination } from './hosts-site.ts';
import { expressionOf } from '../navigation/redirect-pattern.ts';

/** A `types` block replaces the server's own list. */
const types = [
  'text/html html htm',
  'text/css css',
  'text/javascript js mjs',
  'text/markdown md mdx',
  'text/plain txt',
  'text/csv csv',
  'text/xml xml',
  'application/json json map',
  'application/yaml yaml yml',
  'application/pdf pdf',
  'application/rss+xml rss',
  'application/atom+xml atom',
  'application/wasm wasm',
  'application/zip zip',
  'application/gzip gz tgz',
  'image/avif avif',
  'image/gif gif',
  'image/jpeg jpg jpeg',
  'image/png png',
  'image/svg+xml svg',
  'image/vnd.microsoft.icon ico',
  'image/webp webp',
  'audio/mpeg mp3',
  'audio/wav wav',
  'video/mp4 mp4',
  'video/quicktime mov',
  'video/webm webm',
  'font/otf otf',
  'font/ttf ttf',
  'font/woff woff',
  'font/woff2 woff2',
];
const typesWithCharset =
  'text/css text/javascript text/markdown text/plain text/csv text/xml application/json application/yaml ' +
  'application/rss+xml application/atom+xml image/svg+xml';

export function nginxConfiguration(site: HostedSite): string {
  const { basePath } = site;
  return [
    '# Include this in a server block whose root holds the site. It sets nothing outside of its own locations.',
    ...(basePath ? [`location = ${quoted(basePath)} { ${redirect(308, `${quotable(basePath)}/`)} }`] : []),
    ...site.exact.flatMap((entry) => {
      const answer = redirect(entry.permanent ? 308 : 307, withQuery(destinationOf(entry, basePath)));
      return ['', '/', '.html'].map(
        (ending) => `location = ${quoted(basePath + entry.source + ending)} { ${answer} }`,
      );
    }),
    `location ${quoted(`${basePath}/`)} {`,
    ...shared(site),
    '  try_files $uri $uri.html @docyard_missing;',
    '}',
    `location ~ ${quoted(`${expressionOf([{ text: `${basePath}/` }]).slice(0, -1)}(?:.*/)?$`)} {`,
    ...shared(site),
    '  try_files ${uri}index.html @docyard_missing;',
    '}',
    ...missing(site),
    '',
  ].join('\n');
}

function missing(site: HostedSite): string[] {
  const { basePath, patterns } = site;
  return [
    'location @docyard_missing {',
    ...shared(site),
    '  set $docyard_path $uri;',
    // nginx percent-encodes numbered captures in `set`, so the file would not be found; named captures are not
    // encoded.
    '  if ($uri ~ "^(?<docyard_bare>.+)/$") { set $docyard_path $docyard_bare; }',
    '  if (-f "$document_root${docyard_path}.html") { return 308 "$docyard_path$is_args$args"; }',
    '  if ($docyard_path ~ "^(?<docyard_stem>.+)\\\\.html$") { set $docyard_path $docyard_stem; }',
    '  if (-f "$document_root$docyard_path/index.html") { return 308 "$docyard_path/$is_args$args"; }',
    ...patterns.map((pattern) => {
      const to = withQuery(filledDestination(pattern, basePath, (group) => `$${group}`));
      const status = pattern.permanent ? 308 : 307;
      return `  if ($uri ~ ${quoted(expressionOf(pattern.source, basePath))}) { return ${status} "${to}"; }`;
    }),
    '  return 404;',
    '}',
  ];
}

/** `add_header` in a location discards inherited headers, so each location repeats the list. */
function shared({ basePath, headers }: HostedSite): string[] {
  return [
    ...headers.map(([name, value]) => `  add_header ${name} ${quoted(value)} always;`),
    `  error_page 404 ${quoted(`${basePath}/404.html`)};`,
    '  absolute_redirect off;',
    '  charset utf-8;',
    `  charset_types ${typesWithCharset};`,
    `  types { ${types.map((type) => `${type};`).join(' ')} }`,
    '  default_type application/octet-stream;',
  ];
}

function redirect(status: number, to: string): string {
  return `absolute_redirect off; return ${status} "${to}";`;
}

/** Preserves the request's query unless the destination has one. */
function withQuery(destination: string): string {
  if (destination.includes('?')) return destination;
  const [path = '', ...fragment] = destination.split('#');
  return [`${path}$is_args$args`, ...fragment].join('#');
}

function quoted(text: string): string {
  return `"${quotable(text)}"`;
}

function quotable(text: string): string {
  return text
    .replaceAll('\\', '\\\\')
    .replaceAll('"', String.raw`\"`)
    .replaceAll('\n', String.raw`\n`)
    .replaceAll('\r', String.raw`\r`)
    .replaceAll('\t', String.raw`\t`);
}
