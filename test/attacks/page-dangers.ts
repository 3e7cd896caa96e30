/**
 * Finds active content in an exported page: scripts that are not files of the site, event handlers, inline styles, executable
 * or external addresses, and malformed tags. It shares no code with the renderer.
 */
import { createHash } from 'node:crypto';

const tag = /<(\/?)([a-z][a-z0-9-]*)((?:\s+[^\s"'<>=]+(?:="[^"<>]*")?)*)\s*\/?>/gi;
const attribute = /\s([^\s"'<>=]+)(?:="([^"<>]*)")?/g;
const neverWritten = new Set(['object', 'embed', 'base', 'frame', 'frameset', 'applet', 'portal']);
const addressAttributes = new Set(
  'href src xlink:href action formaction data poster srcset ping background manifest'.split(' '),
);
/** Attributes that a browser loads without a click. */
const loads = new Set(
  'img script link source video audio track iframe image use input feimage object embed'.split(' '),
);

export function dangersIn(html: string): string[] {
  const dangers: string[] = [];
  const policy = policyOf(html);
  const withoutData = html
    .replace(/^<!doctype html>/i, '')
    .replaceAll(/<style>([^<]*)<\/style>/g, (_, text: string) => {
      if (!isAllowed(text, policy)) dangers.push('an inline stylesheet');
      return '';
    })
    .replaceAll(/(<script type="application\/(?:json|ld\+json)"[^<>]*>)[^<]*(?=<\/script>)/g, '$1');
  dangers.push(...dangersOfTags(withoutData));
  if (!isStrict(policy)) dangers.push('a page without a strict policy');
  return dangers;
}

/** Strict on purpose: any tag that the renderer does not write counts as an injection. */
export function dangersOfTags(html: string): string[] {
  const dangers: string[] = [];
  const rest = html.replaceAll(tag, (_, closing: string, name: string, attributes: string) => {
    if (closing === '') dangers.push(...dangersOfTag(name.toLowerCase(), attributesOf(attributes)));
    return '';
  });
  const left = rest.indexOf('<');
  if (left >= 0) dangers.push(`what is no tag of ours: ${rest.slice(left, left + 80)}`);
  return dangers;
}

function attributesOf(text: string): Map<string, string> {
  return new Map(
    [...text.matchAll(attribute)].map(([, key = '', value = '']) => [key.toLowerCase(), decoded(value)]),
  );
}

function dangersOfTag(name: string, attributes: Map<string, string>): string[] {
  const dangers: string[] = [];
  if (neverWritten.has(name)) dangers.push(`the element ${name}`);
  const equivalent = attributes.get('http-equiv')?.toLowerCase();
  if (equivalent === 'refresh' ? !isRedirect(attributes) : !isPolicy(equivalent))
    dangers.push(`a page that is changed by ${equivalent}`);
  const isData = /^application\/(?:json|ld\+json)$/.test(attributes.get('type') ?? '');
  if (name === 'script' && !isData && !attributes.has('src')) dangers.push('an inline script');
  for (const [key, value] of attributes) {
    if (key.startsWith('on') || key === 'srcdoc') dangers.push(`the attribute ${key}`);
    if (key === 'style') dangers.push(`an inline style: ${value.slice(0, 80)}`);
    if (!addressAttributes.has(key)) continue;
    const address = value.replaceAll(/[\0-\u0020]/g, '').toLowerCase();
    if (/^(?:javascript:|vbscript:|data:(?!image\/(?:png|gif|jpe?g|webp|avif|x-icon)[;,]))/.test(address))
      dangers.push(`${key}="${value.slice(0, 80)}"`);
    const isForSearchEngines =
      name === 'link' && /^(?:canonical|alternate)$/.test(attributes.get('rel') ?? '');
    if (loads.has(name) && !isForSearchEngines && /^(?:[a-z][a-z0-9+.-]*:)?\/\//.test(address))
      dangers.push(`${name} from ${value.slice(0, 80)}`);
  }
  return dangers;
}

function isPolicy(equivalent: string | undefined): boolean {
  return equivalent === undefined || equivalent === 'content-security-policy';
}

/** A configured redirect may lead to another host. */
function isRedirect(attributes: Map<string, string>): boolean {
  return /^0; ?url=(?:(?:https?:)?\/\/|[^:]*$)/i.test(attributes.get('content') ?? '');
}

function decoded(text: string): string {
  return text
    .replaceAll(/&#(\d{1,7});/g, (_, code: string) => String.fromCodePoint(Number(code)))
    .replaceAll(/&#x([0-9a-f]{1,6});/gi, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16)))
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&Tab;', '\t')
    .replaceAll('&colon;', ':')
    .replaceAll('&amp;', '&');
}

/** Only the first policy counts; further ones can only restrict it. */
function policyOf(html: string): Map<string, string> {
  const [, text = ''] = /<meta http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(html) ?? [];
  return new Map(
    decoded(text)
      .split(';')
      .map((part) => part.trim().split(/\s+/))
      .map(([name = '', ...sources]) => [name, sources.join(' ')]),
  );
}

function isStrict(policy: Map<string, string>): boolean {
  const sources = (name: string): string => policy.get(name) ?? policy.get('default-src') ?? '*';
  return (
    /^'(?:none|self)'$/.test(sources('default-src')) &&
    !/unsafe|\*|https?:|data:/.test(sources('script-src')) &&
    !/unsafe|\*|https?:|data:/.test(sources('style-src')) &&
    /^'(?:none|self)'$/.test(sources('object-src')) &&
    /^'(?:none|self)'$/.test(policy.get('base-uri') ?? '*')
  );
}

/** Two standalone pages have a stylesheet, which their policy allows by its hash. */
function isAllowed(stylesheet: string, policy: Map<string, string>): boolean {
  const hash = createHash('sha256').update(stylesheet, 'latin1').digest('base64');
  return (policy.get('style-src') ?? '').includes(`'sha256-${hash}'`);
}
