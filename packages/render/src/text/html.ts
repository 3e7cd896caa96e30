export const voidElements: ReadonlySet<string> = new Set(
  'area base br col embed hr img input link meta source track wbr'.split(' '),
);

export type Attributes = Record<string, string | number | boolean | undefined>;

export function escapeText(text: string): string {
  return /[&<>]/.test(text)
    ? text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
    : text;
}

export function escapeAttribute(text: string): string {
  return /[&<>"]/.test(text) ? escapeText(text).replaceAll('"', '&quot;') : text;
}

/** ` a="b"` for each attribute with a value; `true` writes the bare name, `false` and undefined nothing. */
export function attributes(values: Attributes): string {
  let html = '';
  for (const name of Object.keys(values)) {
    const value = values[name];
    if (value === undefined || value === false) continue;
    html += value === true ? ` ${name}` : ` ${name}="${escapeAttribute(String(value))}"`;
  }
  return html;
}

export function element(name: string, values: Attributes, content: string): string {
  return `<${name}${attributes(values)}>${content}</${name}>`;
}

/** The text of an HTML fragment: tags dropped, entities decoded. */
export function textOfHtml(html: string): string {
  const text = html.includes('<') ? html.replaceAll(/<[^<>]*>/g, '') : html;
  if (!text.includes('&')) return text;
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');
}

/** Undefined for a numeric reference that is not a character. */
export function characterOf(code: number): string | undefined {
  const isSurrogate = code >= 0xd8_00 && code <= 0xdf_ff;
  return code > 0 && code <= 0x10_ff_ff && !isSurrogate ? String.fromCodePoint(code) : undefined;
}

export function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
