/** A page as a file of Markdown: its content with title and description, and the way to the index of the site. */
import { prefixToRoot } from '../navigation/addresses.ts';
import { plainTitle } from '../theme/text.ts';

export interface MarkdownPage {
  route: string;
  title: string;
  /** Plain text. */
  description: string;
  failed: boolean;
}

export function markdownPath(route: string): string {
  return `${route}.md`;
}

/** The file that stands beside the page. */
export function markdownFile(page: MarkdownPage, content: string): string {
  const index = `${prefixToRoot(markdownPath(page.route))}llms.txt`;
  return joined([
    `> All pages of this documentation are listed in [llms.txt](${index}).`,
    ...partsOf(page, content),
  ]);
}

/** The page within the text of the whole site. */
export function markdownSection(page: MarkdownPage, content: string, source: string): string {
  const [title, ...rest] = partsOf(page, content);
  return joined([`${title}\nSource: ${source}`, ...rest]);
}

/** `content` is the page's own text as Markdown. */
function partsOf({ title, description, failed }: MarkdownPage, content: string): string[] {
  return [
    `# ${plainTitle(title)}`,
    description ? `> ${description.replaceAll(/\s+/g, ' ')}` : '',
    failed ? 'This page has a mistake in its source and could not be rendered.' : content,
  ];
}

function joined(parts: readonly string[]): string {
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}
