/**
 * A page as Markdown, written beside its HTML for readers that are programs: title, description and the author's text
 * without front matter and imports. Components stay as they were written.
 */
import { splitFrontMatter } from '../page/front-matter.ts';
import { decodeSource, maximumSourceBytes } from '../page/source.ts';
import { substituteVariables } from '../page/variables.ts';

export interface MarkdownPage {
  title: string;
  description: string;
}

export function pageMarkdown(
  { title, description }: MarkdownPage,
  bytes: Uint8Array,
  variables: Record<string, string>,
): string {
  const source = bytes.length > maximumSourceBytes ? '' : decodeSource(bytes);
  const body = substituteVariables(splitFrontMatter(source).body, variables);
  const text = withoutImports(body).trim();
  const hasTitle = text.startsWith('# ');
  return [
    ...(hasTitle ? [] : [`# ${title}`]),
    ...(description ? [`> ${description.replaceAll(/\s*\n\s*/g, ' ')}`] : []),
    text,
  ]
    .filter((part) => part !== '')
    .join('\n\n')
    .concat('\n');
}

/** Imports are lines at the start of a line, outside of code. */
function withoutImports(body: string): string {
  let fence: string | undefined;
  return body
    .split('\n')
    .filter((line) => {
      const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
      if (mark && fence === undefined) fence = mark;
      else if (mark && fence !== undefined && mark.startsWith(fence)) fence = undefined;
      return fence !== undefined || !/^import\s.+\sfrom\s+['"].*['"];?\s*$/.test(line);
    })
    .join('\n');
}
