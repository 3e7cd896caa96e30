/**
 * Inlines small masks and shapes into stylesheets. Browsers load them with CORS, which fails for files on
 * disk.
 */
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { join, posix, sep } from 'node:path';
import { cssTokens, tokenTypes, urlAt } from '../css/tokens.ts';
import type { Diagnostic } from '../model/diagnostic.ts';

/** Undefined for files that the site does not show. */
export type ReadSiteFile = (file: string) => Uint8Array | undefined;

/** Security: a symbolic link inside the folder may lead out of it. */
export function siteFileReader(
  root: string,
  files: ReadonlySet<string>,
  onTooLarge?: (file: string) => void,
): ReadSiteFile {
  return (file) => {
    if (!files.has(file)) return undefined;
    const path = join(root, file);
    const found = statSync(path, { throwIfNoEntry: false });
    if (!found?.isFile()) return undefined;
    if (found.size > maxInlineBytes) {
      onTooLarge?.(file);
      return undefined;
    }
    return realpathSync(path).startsWith(realpathSync(root) + sep) ? readFileSync(path) : undefined;
  };
}

const maxInlineBytes = 64 * 1024;
/** By the extension of the file. */
export const imageTypes: Readonly<Record<string, string>> = {
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.avif': 'image/avif',
  '.gif': 'image/gif',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
};

export function maskTooLarge(mask: string, stylesheet: string): Diagnostic {
  return {
    severity: 'info',
    code: 'mask_too_large',
    message: `"${mask}" is larger than 64 KB: readers who open the site from a folder do not see what it masks`,
    file: stylesheet,
    hint: 'Make the file smaller, or serve the site over HTTP.',
  };
}

/** Addresses are relative to `output`. */
export function withInlineMasks(css: string, output: string, read: ReadSiteFile): string {
  if (!/mask|shape-outside/i.test(css)) return css;
  const tokens = cssTokens(css);
  let result = '';
  let copied = 0;
  let property: string | undefined;
  let name = '';
  for (const [index, { type, start, end }] of tokens.entries()) {
    if (isBetweenDeclarations(type)) {
      property = undefined;
      name = '';
    } else if (type === tokenTypes.Colon) property ??= name.trim().toLowerCase();
    else if (property === undefined && type !== tokenTypes.Comment) name += css.slice(start, end);
    const found = urlAt(css, tokens, index);
    if (!found || property === undefined || !needsCors(property)) continue;
    const data = dataAddress(fileNamed(found.address, output), read);
    if (data === undefined) continue;
    result += `${css.slice(copied, found.start)}url("${data}")`;
    copied = found.end;
  }
  return result + css.slice(copied);
}

function isBetweenDeclarations(type: number): boolean {
  return (
    type === tokenTypes.Semicolon ||
    type === tokenTypes.LeftCurlyBracket ||
    type === tokenTypes.RightCurlyBracket
  );
}

function dataAddress(file: string | undefined, read: ReadSiteFile): string | undefined {
  const type = file === undefined ? undefined : imageTypes[posix.extname(file).toLowerCase()];
  const content = file === undefined || type === undefined ? undefined : read(file);
  if (!content || content.byteLength > maxInlineBytes) return undefined;
  return `data:${type};base64,${Buffer.from(content).toString('base64')}`;
}

/** A mask may use any custom property. */
function needsCors(property: string): boolean {
  return property.startsWith('--') || property.includes('mask') || property === 'shape-outside';
}

function fileNamed(address: string, output: string): string | undefined {
  if (/^[a-z][a-z\d+.-]*:|^[/#]/i.test(address)) return undefined;
  const bare = address.split(/[?#]/, 1)[0] ?? '';
  try {
    const file = posix.join(posix.dirname(output), decodeURI(bare));
    return file.startsWith('../') ? undefined : file;
  } catch {
    return undefined;
  }
}
