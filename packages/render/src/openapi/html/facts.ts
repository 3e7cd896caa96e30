/** The small lines of API pages: what is known about a value besides its description, and titles of parts of a section. */
import { escapeText } from '../../text/html.ts';

/** `name` and the values are HTML; nothing when there are no values. */
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

/** A value that is known as JSON: text without its quotes, unless it would then look like something else. */
export function shownValue(json: string | undefined): string | undefined {
  if (json === undefined || json.length < 2 || !json.startsWith('"') || !json.endsWith('"')) return json;
  const inner = json.slice(1, -1);
  const isOther = /^(?:-?\d+(?:\.\d+)?(?:e[+-]?\d+)?|true|false|null|[[{].*|)$|^\s|\s$|\\/i.test(inner);
  return isOther ? json : inner;
}
