/**
 * Fills a repository's own template for pull requests: its headings and check boxes stay, its hints for authors go. A
 * template is text of the repository: it mentions no user, closes no issue, runs no command and links to no address.
 */
import { withoutLinks, withoutReferences } from './inert.ts';

const mostTemplateCharacters = 20_000;
const placeForSummary =
  /^#{1,4}[ \t]+.{0,40}\b(?:descriptions?|summary|what|changes?|overview|purpose)\b.{0,60}$/im;

export function fillTemplate(template: string, summary: string): string {
  const text = inertTemplate(template);
  const heading = placeForSummary.exec(text);
  if (heading === null) return [summary, text].filter((part) => part !== '').join('\n\n');
  const end = heading.index + heading[0].length;
  return `${text.slice(0, end)}\n\n${summary}\n\n${text.slice(end).trim()}`.trim();
}

function inertTemplate(template: string): string {
  const text = template
    .slice(0, mostTemplateCharacters)
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/(?![\n\t])[\p{C}\p{Default_Ignorable_Code_Point}]/gu, '')
    .replaceAll(/<!--[\s\S]*?(?:-->|$)/g, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll(/^([ \t]*)\/(?=\w)/gm, '$1\\/')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
  return withoutLinks(withoutReferences(text));
}
