/**
 * Host configurations for extensionless URLs, redirects, the not-found page and headers. Sources and
 * destinations are already validated; each format applies its own quoting.
 */
import { caddyfile } from './hosts-caddy.ts';
import { type HostedSite, destinationOf, filledDestination } from './hosts-site.ts';
import { nginxConfiguration } from './hosts-nginx.ts';
import type { SiteSettings } from '../config/settings.ts';
import type { OutputContext, OutputItem } from './contract.ts';
import {
  type Pattern,
  encodeAddress,
  fixedStart,
  isFixed,
  isOutside,
  namesOf,
} from '../navigation/redirect-pattern.ts';
import type { ResolvedRedirects } from './resolve-redirects.ts';
import { contentSecurityPolicy } from '../theme/head.ts';
import { withNotFoundStyle } from './not-found.ts';

export function* hostFiles(context: OutputContext, redirects: ResolvedRedirects): Generator<OutputItem> {
  const { basePath, urlStyle } = context.plan;
  const site: HostedSite = { basePath, urlStyle, headers: responseHeaders(context), ...redirects };
  const rules = routingRules(site);
  yield { path: '_redirects', content: redirectsFile(site) };
  yield { path: '_headers', content: headersFile(site) };
  yield { path: '_hosts/nginx.conf', content: nginxConfiguration(site) };
  yield { path: '_hosts/Caddyfile', content: caddyfile(site) };
  yield { path: '_hosts/s3-routing-rules.json', content: `${JSON.stringify(rules, null, 2)}\n` };
  yield { path: '_hosts/docyard.json', content: docyardRules(site) };
  yield { path: '_hosts/README.txt', content: instructions(site, rules.length) };
}

/** The common syntax of Netlify and Cloudflare Pages. Only 301 and 302 work on both. */
function redirectsFile(site: HostedSite): string {
  const { basePath, exact, patterns } = site;
  const status = (permanent: boolean): string => (permanent ? '301' : '302');
  const own = exact
    .filter(({ expanded }) => !expanded)
    .map((redirect) =>
      [
        // An unescaped colon would start a placeholder.
        encodeAddress(basePath + redirect.source).replaceAll(/[:?#]/g, encodeURIComponent),
        destinationOf(redirect, basePath),
        status(redirect.permanent),
      ].join(' '),
    );
  const wild = patterns.flatMap((redirect) => {
    const from = splatSource(redirect.source);
    if (from === undefined) return [];
    const splat = namesOf(redirect.source);
    const to = filledDestination(redirect, basePath, (group) =>
      isRest(redirect.source, splat[group - 1]) ? ':splat' : `:${splat[group - 1]}`,
    );
    return [`${encodeAddress(basePath)}${from} ${to} ${status(redirect.permanent)}`];
  });
  const leftOut = patterns.length - wild.length;
  return [
    '# Redirects for Netlify and Cloudflare Pages.',
    ...(leftOut > 0
      ? [`# ${leftOut} with a wildcard before the end of the path cannot be written here.`]
      : []),
    ...own,
    ...wild,
    '',
  ].join('\n');
}

/** `*` is allowed only at the end. */
function splatSource(source: Pattern): string | undefined {
  const at = source.findIndex((part) => 'name' in part && part.rest);
  if (at >= 0 && at < source.length - 1) return undefined;
  return source
    .map((part) => ('text' in part ? encodeAddress(part.text) : part.rest ? '*' : `:${part.name}`))
    .join('');
}

function isRest(source: Pattern, name: string | undefined): boolean {
  return source.some((part) => 'name' in part && part.name === name && part.rest);
}

function headersFile({ basePath, headers }: HostedSite): string {
  const base = encodeAddress(basePath);
  return [
    '# Headers for Netlify and Cloudflare Pages.',
    `${base}/*`,
    ...headers.map(([name, value]) => `  ${name}: ${value}`),
    `${base}/*.md`,
    '  Content-Type: text/markdown; charset=utf-8',
    '',
  ].join('\n');
}

/** S3 supports prefix rules only, at most 50. They apply to missing files, so pages win. */
function routingRules({ basePath, patterns }: HostedSite): object[] {
  return patterns
    .flatMap(({ source, destination, permanent }) => {
      const start = fixedStart(source);
      const [, rest, ...more] = source;
      if (!rest || !('rest' in rest) || !rest.rest || more.length > 0 || start === '/') return [];
      const outside = isOutside(destination) ? new URL(fixedStart(destination)) : undefined;
      const to = outside ? outside.pathname : basePath + fixedStart(destination);
      const key = to.replace(/^\//, '');
      const moved = destination.length === 2 && 'rest' in (destination[1] ?? {});
      if (!moved && !isFixed(destination)) return [];
      return [
        {
          Condition: { HttpErrorCodeReturnedEquals: '404', KeyPrefixEquals: (basePath + start).slice(1) },
          Redirect: {
            HttpRedirectCode: permanent ? '308' : '307',
            ...(outside ? { Protocol: outside.protocol.slice(0, -1), HostName: outside.host } : {}),
            ...(moved ? { ReplaceKeyPrefixWith: key } : { ReplaceKeyWith: key }),
          },
        },
      ];
    })
    .slice(0, 50);
}

function instructions({ basePath, patterns, exact }: HostedSite, ruleCount: number): string {
  const folder = `/srv/www${basePath}`;
  const where = basePath
    ? `The site was made for ${basePath}: put it into a folder of that name below the root of the server.`
    : 'Put the site into the root of the server.';
  return `Ready files for hosts
=====================

${where}
Every redirect to a page is also a small HTML file, so nothing here is needed for them to work.

docyard    Nothing to do: docyard site reads _hosts/docyard.json.

nginx      In a server block:      root /srv/www;
                                   include ${folder}/_hosts/nginx.conf;

Caddy      In a site block:        root * /srv/www
                                   import ${folder}/_hosts/Caddyfile

Netlify,   Nothing to do: _redirects and _headers are read from the folder you publish.
Cloudflare ${basePath ? 'Move both files to the root of that folder.' : 'Both must stay at its root.'}
Pages      Cloudflare applies a redirect with a wildcard before it looks for a page.

S3         Paste s3-routing-rules.json into the redirection rules of the website, and set the
           error document to ${basePath.slice(1) ? `${basePath.slice(1)}/` : ''}404.html. S3 knows only prefixes: ${ruleCount} of ${patterns.length} wildcards are in it.
           The other ${exact.length} redirects are HTML files.
`;
}

/** Browsers enforce both the page's policy and the header, so the header is the union of all page policies. */
function responseHeaders({ site, plan }: Pick<OutputContext, 'site' | 'plan'>): [string, string][] {
  return [
    ['Content-Security-Policy', headerPolicy(site.settings, plan.airGapped)],
    ['X-Content-Type-Options', 'nosniff'],
    ['Referrer-Policy', 'strict-origin-when-cross-origin'],
    // File names are not content-hashed, so browsers must revalidate.
    ['Cache-Control', 'public, max-age=0, must-revalidate'],
    ['Link', `<${plan.basePath}/llms.txt>; rel="llms-txt"`],
  ];
}

/** Pages define `connect-src` themselves. `frame-ancestors` works only as a header. */
function headerPolicy(settings: SiteSettings, airGapped: boolean): string {
  const widest = contentSecurityPolicy({ connectSources: airGapped ? undefined : ['*'] });
  return `${withNotFoundStyle(widest, settings)}; frame-ancestors 'self'`;
}

/** The server computes these per file. */
const computedByServer = new Set(['Cache-Control', 'Link']);

/** For `docyard site`: complete, and independent of the base path. */
function docyardRules({ basePath, headers, exact, patterns }: HostedSite): string {
  const rules = {
    format: 1,
    basePath,
    headers: Object.fromEntries(headers.filter(([name]) => !computedByServer.has(name))),
    redirects: exact.map(({ source, target, permanent }) => ({
      from: source,
      to: encodeAddress(target.outside ? target.href : `/${target.href}`),
      permanent,
    })),
    patterns: patterns.map(({ source, destination, permanent }) => ({
      from: source,
      to: destination,
      permanent,
    })),
  };
  return `${JSON.stringify(rules, null, 1)}\n`;
}
