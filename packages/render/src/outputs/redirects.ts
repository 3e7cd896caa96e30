/**
 * Writes redirects as HTML pages, which work on any host and from disk, and as host configurations. Existing
 * pages win over redirects.
 */
import { matchesPath } from '../model/path-pattern.ts';
import { escapeAttribute, escapeText } from '../text/html.ts';
import { prefixToRoot } from '../navigation/addresses.ts';
import { hostFiles } from './hosts.ts';
import type { OutputContext, OutputItem } from './contract.ts';
import { problemOf } from '../navigation/output-names.ts';
import { encodeAddress } from '../navigation/redirect-pattern.ts';
import { type ExactRedirect, resolveRedirects } from './resolve-redirects.ts';

export function* redirectOutputs(context: OutputContext): Generator<OutputItem> {
  const redirects = resolveRedirects(context);
  for (const finding of redirects.findings) yield { finding };
  const taken = redirects.exact.length > 0 ? takenPaths(context) : noPaths;
  for (const redirect of redirects.exact) {
    if (redirect.isFile) continue;
    const path = stubPath(redirect.source, context.plan.urlStyle);
    if (
      isReserved(path, context.plan) ||
      !isFree(path, taken) ||
      problemOf(path) !== undefined ||
      taken.lowerCase.has(path.toLowerCase())
    )
      continue;
    claim(path, taken);
    yield { path, content: stubPage(redirect, path, context) };
  }
  yield* hostFiles(context, redirects);
}

function stubPath(source: string, urlStyle: OutputContext['plan']['urlStyle']): string {
  const route = source.slice(1);
  return urlStyle === 'directory' ? `${route}/index.html` : `${route}.html`;
}

interface Taken {
  files: Set<string>;
  /** Some file systems are case-insensitive. */
  lowerCase: Set<string>;
  folders: Set<string>;
}

const noPaths: Taken = { files: new Set(), lowerCase: new Set(), folders: new Set() };

function takenPaths({ plan, pages }: OutputContext): Taken {
  const taken: Taken = { files: new Set(), lowerCase: new Set(), folders: new Set() };
  for (const { output } of pages) claim(output, taken);
  for (const file of plan.files) claim(file, taken);
  return taken;
}

/** Whether the path collides with a file that other outputs may write at the root. */
function isReserved(path: string, { generatedFiles }: OutputContext['plan']): boolean {
  if (/^[_.]/.test(path)) return true;
  const [first = ''] = path.split('/', 1);
  const file = first.endsWith('.html') ? first : `${first}.html`;
  return file === 'index.html' || generatedFiles.some((pattern) => matchesPath(pattern, file, () => false));
}

/** A path cannot be both a file and a folder. */
function isFree(path: string, { files, folders }: Taken): boolean {
  const above = foldersAbove(path);
  return (
    !files.has(path) &&
    !folders.has(path) &&
    above.every((folder) => !files.has(folder) && !/\.(?:html|md|txt|xml|json|js|css)$/.test(folder))
  );
}

function claim(path: string, { files, lowerCase, folders }: Taken): void {
  files.add(path);
  lowerCase.add(path.toLowerCase());
  for (const folder of foldersAbove(path)) folders.add(folder);
}

function foldersAbove(path: string): string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}

function stubPage({ target }: ExactRedirect, path: string, { site, plan }: OutputContext): string {
  const prefix = prefixToRoot(path);
  const href = escapeAttribute(target.outside ? target.href : encodeAddress(prefix + target.href) || './');
  const publicHref = target.outside
    ? target.href
    : plan.origin && encodeAddress(`${plan.origin}${plan.basePath}/${target.href}`);
  const name = escapeText(target.title ?? (target.outside ? target.href : site.settings.name));
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<meta http-equiv="refresh" content="0; url=${href}">
${publicHref ? `<link rel="canonical" href="${escapeAttribute(publicHref)}">\n` : ''}<title>Moved: ${name}</title>
</head>
<body>
<main>
<h1>This page has moved</h1>
<p>It is now at <a href="${href}">${name}</a>.</p>
</main>
</body>
</html>
`;
}
