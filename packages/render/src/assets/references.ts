/**
 * Files of the site that are copied as they are: found through pages, configuration and stylesheets.
 * Stylesheets get their root-absolute addresses rewritten, because a site may live in any folder.
 */
import { posix } from 'node:path';
import type { Diagnostic } from '../check/diagnostic.ts';
import { prefixToRoot } from '../navigation/addresses.ts';
import type { LinkResolver } from '../navigation/links.ts';

const urlPattern = /url\(\s*(?:"([^"]*)"|'([^']*)'|([^)"'\s]*))\s*\)/g;

const remoteImport = /@import\s+(?:url\(\s*)?(["']?)((?:https?:)?\/\/[^"')]+)\1\s*\)?[^;]*;/gi;

export interface PreparedStylesheet {
  css: string;
  assets: string[];
  diagnostics: Diagnostic[];
}

export function prepareStylesheet(css: string, file: string, links: LinkResolver): PreparedStylesheet {
  const assets: string[] = [];
  const diagnostics: Diagnostic[] = [];
  const local = css.replaceAll(remoteImport, (whole, _quote: string, address: string) => {
    diagnostics.push(remoteFinding(address, file, css, whole));
    return '';
  });
  const rewritten = local.replaceAll(urlPattern, (whole, double?: string, single?: string, bare?: string) => {
    const address = double ?? single ?? bare ?? '';
    if (address === '' || /^(?:data:|#)/i.test(address)) return whole;
    const target = links.resolveFile(address, file);
    if (isElsewhere(address) && target.kind !== 'file') {
      diagnostics.push(remoteFinding(address, file, css, whole));
      return 'url("data:,")';
    }
    if (target.kind !== 'file') {
      diagnostics.push({
        severity: 'warning',
        code: 'image_missing',
        message: `"${address}" is not a file of the site`,
        file,
        line: css.slice(0, css.indexOf(whole)).split('\n').length,
      });
      return whole;
    }
    assets.push(target.file);
    return `url("${encodeURI(prefixToRoot(file) + target.file)}${target.suffix}")`;
  });
  return { css: rewritten, assets, diagnostics };
}

/** What a stylesheet would load from other hosts and may be a picture. */
export function remotePicturesOf(css: string): string[] {
  const addresses = [...css.replaceAll(remoteImport, '').matchAll(urlPattern)].map(
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
  return target.kind === 'file' ? { file: target.file, missing: false } : { missing: !isElsewhere(address) };
}
