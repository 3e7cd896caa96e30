/**
 * Resolves addresses of links and files relative to the open page. The export has resolved every address in
 * the code; addresses composed at run time are relative to the root of the site.
 */
const known = new Map<string, string>();
const script = document.currentScript as HTMLScriptElement | null;
const [root = ''] = (script?.src ?? '').split('_docyard/', 1);
/** `blob:` is allowed: a component may offer a file that it created. */
const refusedSchemes =
  /^(?:about|chrome|data|feed|file|filesystem|intent|jar|javascript|jscript|livescript|mhtml|mk|mocha|ms-its|res|vbscript|view-source|wyciwyg):/i;
const anyScheme = /^[a-z][a-z0-9+.-]*:/i;
let ending = '';

export function learnAddresses(addresses: Record<string, string>, pageEnding: string): void {
  for (const [written, address] of Object.entries(addresses)) known.set(written, address);
  ending = pageEnding;
}

/** Undefined for an address that would run code. */
export function linkAddress(written: string): string | undefined {
  const clean = plain(written);
  if (isOutside(clean)) return clean;
  if (schemeOf(clean)) return undefined;
  return known.get(clean) ?? fromRoot(clean, true);
}

/** Undefined when the page must not load it. */
export function fileAddress(written: string): string | undefined {
  const clean = plain(written);
  const address = known.get(clean);
  if (address !== undefined || /^(?:data|blob):/i.test(clean)) return address ?? clean;
  return schemeOf(clean) || clean.startsWith('//') ? undefined : fromRoot(clean, false);
}

export function styleValue(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  return value.replaceAll(
    /url\((?:\s*"([^"]*)"|\s*'([^']*)'|([^)]*))\s*\)?/gi,
    (_whole, double?: string, single?: string, plainText = '') => {
      const file = fileAddress(double ?? single ?? plainText);
      return file === undefined ? 'none' : `url("${file}")`;
    },
  );
}

export function isOutside(clean: string): boolean {
  return clean.startsWith('//') || (anyScheme.test(clean) && !refusedSchemes.test(clean));
}

/** Browsers ignore white space and control characters in a scheme. */
function plain(written: string): string {
  // oxlint-disable-next-line no-control-regex
  return written.replaceAll(/[\u0000-\u001f]/g, '').trim();
}

function schemeOf(clean: string): boolean {
  return /^[^/?#]*:/.test(clean);
}

function fromRoot(clean: string, isPage: boolean): string {
  if (!clean.startsWith('/')) return clean;
  const pathEnd = clean.search(/[?#]/);
  const path = clean.slice(1, pathEnd < 0 ? undefined : pathEnd);
  const isFile = !isPage || path === '' || /\.\w+$|\/$/.test(path);
  return `${root}${path}${isFile ? '' : ending}${clean.slice(path.length + 1)}`;
}
