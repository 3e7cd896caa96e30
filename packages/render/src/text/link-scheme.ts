/** Decides by its scheme whether an address is external, and rejects schemes that run code. */
export type OutsideTarget = { kind: 'outside'; href: string } | { kind: 'unsafe'; scheme: string };

/** Schemes that run code, show other content under the site's origin, or read the reader's files. */
const refusedSchemes = new Set(
  'about blob chrome data feed file filesystem intent jar javascript jscript livescript mhtml mk mocha ms-its res vbscript view-source wyciwyg'.split(
    ' ',
  ),
);
/** A host with a port and no scheme; its name would be parsed as a scheme. */
const hostWithPort = /^(?:localhost|[\w-]+(?:\.[\w-]+)+):\d{1,5}(?=[/?#]|$)/i;

/** Browsers ignore white space and control characters inside a scheme, so they are removed first. */
// eslint-disable-next-line no-control-regex
const ignoredByBrowsers = /[\u0000-\u0020\u007f-\u00a0\u200b-\u200f\u2028-\u202f\u2060\ufeff]+/g;

/** Addresses without a scheme and without ignored characters. */
const clean = /^[\w./#-]*$/;

export function cleanAddress(raw: string): string {
  if (clean.test(raw)) return raw;
  const scheme = raw.slice(0, raw.indexOf(':') + 1).replaceAll(ignoredByBrowsers, '');
  const rest = raw.slice(raw.indexOf(':') + 1);
  return (scheme + rest).trim().replaceAll(/[\t\n\r]/g, '');
}

/** Undefined when the address is safe. */
export function unsafeScheme(raw: string): string | undefined {
  const target = outsideTarget(cleanAddress(raw));
  return target?.kind === 'unsafe' ? target.scheme : undefined;
}

export function outsideTarget(href: string): OutsideTarget | undefined {
  if (/^[/\\]{2}/.test(href)) return { kind: 'outside', href: `https:${href.replaceAll('\\', '/')}` };
  if (hostWithPort.test(href)) return { kind: 'outside', href: `http://${href}` };
  const scheme = schemeOf(href);
  if (scheme === undefined) {
    return /^[^/?#]*:/.test(href) ? { kind: 'unsafe', scheme: href.split(':', 1)[0] ?? '' } : undefined;
  }
  return refusedSchemes.has(scheme) ? { kind: 'unsafe', scheme } : { kind: 'outside', href };
}

export function schemeOf(href: string): string | undefined {
  return /^([a-z][a-z0-9+.-]*):/i.exec(href)?.[1]?.toLowerCase();
}
