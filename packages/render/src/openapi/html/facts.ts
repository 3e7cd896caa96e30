import { escapeText } from '../../text/html.ts';

/** `name` and `values` are HTML. */
export function factLine(name: string, values: readonly string[]): string {
  if (values.length === 0) return '';
  return note(`<span class="dy-field-fact-name">${name}</span> ${values.join(', ')}`);
}

export function note(html: string): string {
  return `<p class="dy-field-fact">${html}</p>`;
}

export function subtitle(html: string): string {
  return `<p class="dy-schema-subtitle">${html}</p>`;
}

export function codeHtml(text: string): string {
  return `<code>${escapeText(text)}</code>`;
}

/** Shows JSON strings without quotes, unless the result would look like another type. */
export function shownValue(json: string | undefined): string | undefined {
  if (json === undefined || json.length < 2 || !json.startsWith('"') || !json.endsWith('"')) return json;
  const inner = json.slice(1, -1);
  const isOther = /^(?:-?\d+(?:\.\d+)?(?:e[+-]?\d+)?|true|false|null|[[{].*|)$|^\s|\s$|\\/i.test(inner);
  return isOther ? json : inner;
}
