/** Whether a client wants the Markdown of a page. Browsers do not name it in Accept; many programs that read documentation do. */
import { weighted } from './accepted-encodings.ts';

const markdown = 'text/markdown';
const maxCharacters = 1000;

export function prefersMarkdown(accept: string | undefined): boolean {
  if (accept === undefined || accept.length > maxCharacters || !accept.includes(markdown)) return false;
  const weights = new Map(accept.split(',').map(weighted));
  const weight = weights.get(markdown) ?? 0;
  return weight > 0 && weight >= (weights.get('text/html') ?? 0);
}

/** The file with the Markdown of a page. Undefined for other files. */
export function markdownOf(page: string): string | undefined {
  return page.endsWith('.html') ? `${page.replace(/(?:(?<=.)\/index)?\.html$/, '')}.md` : undefined;
}
