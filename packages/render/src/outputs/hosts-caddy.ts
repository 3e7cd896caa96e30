/** Writes a Caddyfile snippet to import into a site block. `route` preserves the order of directives. */
import { type HostedSite, destinationOf, filledDestination } from './hosts-site.ts';
import { expressionOf } from '../navigation/redirect-pattern.ts';
import type { ExactRedirect } from './resolve-redirects.ts';

export function caddyfile(site: HostedSite): string {
  const { basePath } = site;
  return [
    '# Import this into a site block whose root holds the site.',
    ...(basePath ? [`redir ${quoted(basePath)} ${quoted(`${basePath}/`)} 308`] : []),
    `route ${quoted(`${basePath}/*`)} {`,
    '  map {query} {docyard_query} {',
    '    "" ""',
    '    default "?{query}"',
    '  }',
    ...site.exact.flatMap((redirect, index) => {
      const to = withQuery(destinationOf(redirect, basePath));
      return [
        `  @docyard_${index} ${exactMatcher(basePath + redirect.source, redirect)}`,
        `  redir @docyard_${index} ${quoted(to)} ${redirect.permanent ? 308 : 307}`,
      ];
    }),
    ...patterns(site),
    '  header {',
    ...site.headers.map(([name, value]) => `    ${name} ${quoted(value)}`),
    '  }',
    ...otherSpellings,
    '  try_files {path} {path}.html {path}/index.html',
    '  @docyard_markdown {',
    '    path *.md',
    '    file {path}',
    '  }',
    '  header @docyard_markdown Content-Type "text/markdown; charset=utf-8"',
    '  file_server',
    '}',
    'handle_errors {',
    `  @docyard_missing expression {err.status_code} == 404`,
    `  rewrite @docyard_missing ${quoted(`${basePath}/404.html`)}`,
    '  file_server',
    '}',
    '',
  ].join('\n');
}

/** Characters with a meaning in Caddyfiles, placeholders or path matchers. */
const ambiguous = /[\p{Cc}\\"$`{}*?%]/u;

/** The `path` matcher ignores case. */
function exactMatcher(path: string, { isCaseSensitive }: ExactRedirect): string {
  const mode = isCaseSensitive ? '' : '(?i)';
  if (ambiguous.test(path)) return `path_regexp ${quoted(`${mode}^${hexExpression(path)}(?:/|\\.html)?$`)}`;
  if (!isCaseSensitive) return `path ${[path, `${path}/`, `${path}.html`].map(quoted).join(' ')}`;
  return `path_regexp ${quoted(`${expressionOf([{ text: path }]).slice(0, -1)}(?:/|\\.html)?$`)}`;
}

function hexExpression(path: string): string {
  return path.replaceAll(
    /[^\w/\-\u{a0}-\u{10ffff}]/gu,
    (character) => `\\x${(character.codePointAt(0) ?? 0).toString(16).padStart(2, '0')}`,
  );
}

/** Wildcards apply only where no page exists. */
function patterns({ basePath, patterns: all }: HostedSite): string[] {
  return all.flatMap((pattern, index) => {
    const name = `docyard_wild_${index}`;
    const to = withQuery(filledDestination(pattern, basePath, (group) => `{re.${name}.${group}}`));
    return [
      `  @${name} {`,
      `    path_regexp ${name} ${quoted(expressionOf(pattern.source, basePath))}`,
      '    not file {path} {path}.html {path}/index.html',
      '  }',
      `  redir @${name} ${quoted(to)} ${pattern.permanent ? 308 : 307}`,
    ];
  });
}

/** Links are relative, so each page has one canonical form, with or without trailing slash. */
const otherSpellings = [
  '  @docyard_folder {',
  '    not path */',
  '    file {path}/index.html',
  '    not file {path} {path}.html',
  '  }',
  '  redir @docyard_folder {path}/{docyard_query} 308',
  '  @docyard_slash path_regexp docyard_slash ^(.+)/$',
  '  route @docyard_slash {',
  '    @docyard_page {',
  '      file {re.docyard_slash.1}.html',
  '      not file {re.docyard_slash.1}/index.html',
  '    }',
  '    redir @docyard_page {re.docyard_slash.1}{docyard_query} 308',
  '  }',
  String.raw`  @docyard_html path_regexp docyard_html ^(.+)\.html/?$`,
  '  route @docyard_html {',
  '    @docyard_as_folder {',
  '      file {re.docyard_html.1}/index.html',
  '      not file {path}',
  '    }',
  '    redir @docyard_as_folder {re.docyard_html.1}/{docyard_query} 308',
  '  }',
];

/** Preserves the request's query unless the destination has one. */
function withQuery(destination: string): string {
  if (destination.includes('?')) return destination;
  const [path = '', ...fragment] = destination.split('#');
  return [`${path}{docyard_query}`, ...fragment].join('#');
}

/** Backquoted tokens have no escapes, and paths and headers contain no backquote. */
function quoted(text: string): string {
  return `\`${text.replaceAll('`', '%60')}\``;
}
