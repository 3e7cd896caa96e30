import type { Pieces } from '../text/encoded-text.ts';
import { prefixToRoot } from '../navigation/addresses.ts';
import type { OutputPage } from './contract.ts';
import { plainTitle } from '../theme/titles.ts';

export type MarkdownPage = Pick<OutputPage, 'route' | 'title' | 'description' | 'failed'>;

export function markdownPath(route: string): string {
  return `${route}.md`;
}

export function markdownFile(page: MarkdownPage, content: Uint8Array): { head: string; pieces: Pieces } {
  const index = `${prefixToRoot(markdownPath(page.route))}llms.txt`;
  const head = joined([
    `> All pages of this documentation are listed in [llms.txt](${index}).`,
    titleOf(page),
    ...aboveContent(page),
  ]);
  return { head, pieces: withContent(head, content) };
}

export function markdownSection(page: MarkdownPage, content: Uint8Array, source: string): Pieces {
  const head = joined([`${titleOf(page)}\nSource: ${source}`, ...aboveContent(page)]);
  return withContent(head, content);
}

function titleOf({ title }: MarkdownPage): string {
  return `# ${plainTitle(title)}`;
}

function aboveContent({ description, failed }: MarkdownPage): string[] {
  return [
    description ? `> ${description.replaceAll(/\s+/g, ' ')}` : '',
    failed ? 'This page has a mistake in its source and could not be rendered.' : '',
  ];
}

function joined(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('\n\n');
}

/** A failed page has no content. */
function withContent(head: string, content: Uint8Array): Pieces {
  return content.length === 0 ? [`${head}\n`] : [`${head}\n\n`, content, '\n'];
}
