import { withoutLinks, withoutReferences } from '../../pull-requests/sanitize.ts';

const maxTemplateCharacters = 20_000;
const summaryHeading =
  /^#{1,4}[ \t]+.{0,40}\b(?:descriptions?|summary|what|changes?|overview|purpose)\b.{0,60}$/im;

/** Keeps headings and check boxes of the template; comments, mentions, commands and links are removed. */
export function fillTemplate(template: string, summary: string): string {
  const text = sanitizeTemplate(template);
  const heading = summaryHeading.exec(text);
  if (heading === null) return [summary, text].filter((part) => part !== '').join('\n\n');
  const end = heading.index + heading[0].length;
  return `${text.slice(0, end)}\n\n${summary}\n\n${text.slice(end).trim()}`.trim();
}

function sanitizeTemplate(template: string): string {
  const text = template
    .slice(0, maxTemplateCharacters)
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
