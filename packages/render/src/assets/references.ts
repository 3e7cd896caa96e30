/**
 * Files of the site that are copied as they are: found through pages, configuration and stylesheets.
 * Stylesheets get their root-absolute addresses rewritten, because a site may live in any folder.
 */
import { posix } from 'node:path';
import type { Diagnostic } from '../model/diagnostic.ts';
import { cssTokens, importAt, urlAt, type CssAddress } from '../css/tokens.ts';
import { prefixToRoot } from '../navigation/addresses.ts';
import type { LinkResolver } from '../navigation/links.ts';
import { withWeakUniversalRules } from './universal-rules.ts';

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
  const lineOf = (at: number): number => css.slice(0, at).split('\n').length;
  const replacement = ({ address, start }: CssAddress): string | undefined => {
    if (address === '' || /^(?:data:|#)/i.test(address)) return undefined;
    const target = links.resolveFile(address, file);
    if (target.kind === 'file') {
      assets.push(target.file);
      return `url("${encodeURI(prefixToRoot(output) + target.output)}${target.suffix}")`;
    }
    if (isElsewhere(address)) {
      tell(() => remoteFinding(address, file, lineOf(start)));
      return 'url("data:,")';
    }
    tell(() => ({
      severity: 'warning',
      code: 'image_missing',
      message: `"${address}" is not a file of the site; readers do not see it`,
      file,
      line: lineOf(start),
    }));
    return undefined;
  };
  const rewritten = withAddresses(css, {
    remoteImport: ({ address, start }) => tell(() => remoteFinding(address, file, lineOf(start))),
    url: replacement,
  });
  return { css: withWeakUniversalRules(rewritten), assets, diagnostics };
}

interface AddressVisitor {
  /** The rule is left out. */
  remoteImport(found: CssAddress): void;
  /** What is written instead; undefined to keep it. */
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

/** What a stylesheet would load from other hosts and may be a picture. */
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

/** An exported site asks no other host for anything. */
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
