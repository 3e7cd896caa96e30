/**
 * Files of the site that are copied as they are: found through pages, configuration and stylesheets.
 * Stylesheets get their root-absolute addresses rewritten, because a site may live in any folder.
 */
import { posix } from 'node:path';
import type { Diagnostic } from '../model/diagnostic.ts';
import { prefixToRoot } from '../navigation/addresses.ts';
import type { LinkResolver } from '../navigation/links.ts';
import { withWeakUniversalRules } from './universal-rules.ts';

/** What is longer is left as it is, which the policy of the page does not load. Without limits both patterns take cubic time. */
const urlPattern = /url\(\s{0,20}(?:"([^"]{0,2000})"|'([^']{0,2000})'|([^)"'\s]{0,2000}))\s{0,20}\)/g;
const remoteImport = /@import\s{1,20}(?:url\(\s{0,20})?["']?((?:https?:)?\/\/[^"')\s;]{0,200})/gi;

/** Far more than anybody writes, and little enough to be read in one piece. */
export const maximumStylesheetBytes = 2_000_000;
/** Each is looked for in the whole text, and nobody reads more of them. */
const maximumFindings = 100;

export interface PreparedStylesheet {
  css: string;
  assets: string[];
  diagnostics: Diagnostic[];
}

/** Names are read from `file`; the stylesheet is written to `output`. */
export function prepareStylesheet(
  css: string,
  file: string,
  links: LinkResolver,
  output = file,
): PreparedStylesheet {
  const assets: string[] = [];
  const diagnostics: Diagnostic[] = [];
  const tell = (finding: () => Diagnostic): void => {
    if (diagnostics.length < maximumFindings) diagnostics.push(finding());
  };
  const local = withoutRemoteImports(css, (whole, address) =>
    tell(() => remoteFinding(address, file, css, whole)),
  );
  const rewritten = local.replaceAll(urlPattern, (whole, double?: string, single?: string, bare?: string) => {
    const address = double ?? single ?? bare ?? '';
    if (address === '' || /^(?:data:|#)/i.test(address)) return whole;
    const target = links.resolveFile(address, file);
    if (isElsewhere(address) && target.kind !== 'file') {
      tell(() => remoteFinding(address, file, css, whole));
      return 'url("data:,")';
    }
    if (target.kind !== 'file') {
      tell(() => ({
        severity: 'warning',
        code: 'image_missing',
        message: `"${address}" is not a file of the site; readers do not see it`,
        file,
        line: css.slice(0, css.indexOf(whole)).split('\n').length,
      }));
      return whole;
    }
    assets.push(target.file);
    return `url("${encodeURI(prefixToRoot(output) + target.output)}${target.suffix}")`;
  });
  return { css: withWeakUniversalRules(rewritten), assets, diagnostics };
}

/** A rule for an import goes on to the next semicolon, or to the end. */
function withoutRemoteImports(css: string, found: (whole: string, address: string) => void): string {
  let kept = '';
  let at = 0;
  for (const match of css.matchAll(remoteImport)) {
    if (match.index < at) continue;
    found(match[0], match[1] ?? '');
    kept += css.slice(at, match.index);
    const end = css.indexOf(';', match.index + match[0].length);
    if (end < 0) return kept;
    at = end + 1;
  }
  return kept + css.slice(at);
}

/** What a stylesheet would load from other hosts and may be a picture. */
export function remotePicturesOf(css: string): string[] {
  const addresses = [...withoutRemoteImports(css, () => undefined).matchAll(urlPattern)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? '',
  );
  return addresses
    .filter((address) => isElsewhere(address) && !/\.(?:woff2?|[ot]tf|eot|css)(?:[?#]|$)/i.test(address))
    .map((address) => address.replace(/^\/\//, 'https://'));
}

export function isElsewhere(address: string): boolean {
  return /^(?:https?:|\/\/)/i.test(address);
}

/** An exported site asks no other host for anything. */
function remoteFinding(address: string, file: string, css: string, found: string): Diagnostic {
  return {
    severity: 'warning',
    code: 'remote_asset',
    message: `"${address.slice(0, 200)}" is on another host and is not loaded`,
    file,
    line: css.slice(0, css.indexOf(found)).split('\n').length,
    hint: 'Put the file into the repository and name it there.',
  };
}

/** A picture named in the configuration, when the site has it. */
export function configuredFile(
  address: string | undefined,
  links: LinkResolver,
): { file?: string; missing: boolean } {
  if (address === undefined) return { missing: false };
  const target = links.resolveFile(isElsewhere(address) ? address : posix.join('/', address), 'docs.json');
  return target.kind === 'file'
    ? { file: target.output, missing: false }
    : { missing: !isElsewhere(address) };
}
