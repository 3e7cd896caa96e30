/**
 * The site for Caddy, to be imported into a site block that has set its root. One `route` keeps the order of the
 * steps as it is written here.
 */
import { type HostedSite, destinationOf, filledDestination } from './hosts-site.ts';
import { expressionOf } from '../navigation/redirect-pattern.ts';
import type { ExactRedirect } from './redirects-resolve.ts';

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

/** Characters that a Caddyfile, its placeholders or its path matcher could read as something else. */
const ambiguous = /[\p{Cc}\\"$`{}*?%]/u;

/** The matcher for paths ignores case. */
function exactMatcher(path: string, { isCaseSensitive }: ExactRedirect): string {
  const mode = isCaseSensitive ? '' : '(?i)';
  if (ambiguous.test(path)) return `path_regexp ${quoted(`${mode}^${hexExpression(path)}(?:/|\\.html)?$`)}`;
  if (!isCaseSensitive) return `path ${[path, `${path}/`, `${path}.html`].map(quoted).join(' ')}`;
  return `path_regexp ${quoted(`${expressionOf([{ text: path }]).slice(0, -1)}(?:/|\\.html)?$`)}`;
}

/** Every character that may have a meaning, by its number. */
function hexExpression(path: string): string {
  return path.replaceAll(
    /[^\w/\-\u{a0}-\u{10ffff}]/gu,
    (character) => `\\x${(character.codePointAt(0) ?? 0).toString(16).padStart(2, '0')}`,
  );
}

/** A wildcard applies only where there is no page. */
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

/** Links between pages are relative, so each page is shown at one of its two spellings: with or without the slash. */
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

/** The query of the request goes along, unless the destination has its own. */
function withQuery(destination: string): string {
  if (destination.includes('?')) return destination;
  const [path = '', ...fragment] = destination.split('#');
  return [`${path}{docyard_query}`, ...fragment].join('#');
}

/** Between back quotes nothing has a meaning but the next back quote, which no path or header of a site holds. */
function quoted(text: string): string {
  return `\`${text.replaceAll('`', '%60')}\``;
}
