/**
 * Collects the site files that pages, the configuration and stylesheets refer to. Root-absolute addresses in
 * stylesheets become relative, because a site may be served from any path.
 */
import { posix } from 'node:path';
import type { Diagnostic } from '../model/diagnostic.ts';
import { cssTokens, importAt, urlAt, type CssAddress } from '../css/tokens.ts';
import { prefixToRoot } from '../navigation/addresses.ts';
import type { LinkResolver } from '../navigation/links.ts';
import { withWeakUniversalRules } from './universal-rules.ts';

export const maxStylesheetBytes = 2_000_000;
/** Locating each finding scans the whole text. */
const maxFindings = 100;

export interface PreparedStylesheet {
  css: string;
  assets: string[];
  diagnostics: Diagnostic[];
}

/** Addresses are relative to `file`; the stylesheet is written to `output`. */
export function prepareStylesheet(
  css: string,
  file: string,
  links: LinkResolver,
  output = file,
): PreparedStylesheet {
  const assets: string[] = [];
  const diagnostics: Diagnostic[] = [];
  const report = (finding: () => Diagnostic): void => {
    if (diagnostics.length < maxFindings) diagnostics.push(finding());
  };
  const lineOf = (at: number): number => css.slice(0, at).split('\n').length;
  const replacement = ({ address, start }: CssAddress): string | undefined => {
    if (address === '' || /^(?:data:|#)/i.test(address)) return undefined;
    const target = links.resolveFile(address, file);
    if (target.kind === 'file') {
      assets.push(target.file);
      return `url("${encodeURI(prefixToRoot(output) + target.output)}${target.suffix}")`;
    }
    if (isElsewhere(address)) {
      report(() => remoteFinding(address, file, lineOf(start)));
      return 'url("data:,")';
    }
    report(() => ({
      severity: 'warning',
      code: 'image_missing',
      message: `"${address}" is not a file of the site; readers do not see it`,
      file,
      line: lineOf(start),
    }));
    return undefined;
  };
  const rewritten = withAddresses(css, {
    remoteImport: ({ address, start }) => report(() => remoteFinding(address, file, lineOf(start))),
    url: replacement,
  });
  return { css: withWeakUniversalRules(rewritten), assets, diagnostics };
}

interface AddressVisitor {
  /** The rule is removed. */
  remoteImport(found: CssAddress): void;
  /** Returns the replacement; undefined keeps the address. */
  url(found: CssAddress): string | undefined;
}

function withAddresses(css: string, visitor: AddressVisitor): string {
  const tokens = cssTokens(css);
  let result = '';
  let copied = 0;
  for (let index = 0; index < tokens.length;) {
    const imported = importAt(css, tokens, index, isElsewhere);
    const found = imported ?? urlAt(css, tokens, index);
    index = found?.next ?? index + 1;
    if (!found) continue;
    if (imported) visitor.remoteImport(imported);
    const written = imported ? '' : visitor.url(found);
    if (written === undefined) continue;
    result += css.slice(copied, found.start) + written;
    copied = found.end;
  }
  return result + css.slice(copied);
}

/** Remote addresses in a stylesheet that may be pictures. */
export function remotePicturesOf(css: string): string[] {
  const addresses: string[] = [];
  withAddresses(css, {
    remoteImport: () => undefined,
    url: ({ address }) => {
      addresses.push(address);
      return undefined;
    },
  });
  return addresses
    .filter((address) => isElsewhere(address) && !/\.(?:woff2?|[ot]tf|eot|css)(?:[?#]|$)/i.test(address))
    .map((address) => address.replace(/^\/\//, 'https://'));
}

export function isElsewhere(address: string): boolean {
  return /^(?:https?:|\/\/)/i.test(address);
}

function remoteFinding(address: string, file: string, line: number): Diagnostic {
  return {
    severity: 'warning',
    code: 'remote_asset',
    message: `"${address.slice(0, 200)}" is on another host and is not loaded`,
    file,
    line,
    hint: 'Put the file into the repository and name it there.',
  };
}

/** Undefined when the site does not have the file. */
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
