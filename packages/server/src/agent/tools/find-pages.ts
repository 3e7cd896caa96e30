/** `find_pages`: finds pages and sections by words, ranked. */
import { z } from 'zod';
import type { FoundSection, ToolContext } from '../contract.ts';
import { clipLine } from './line-format.ts';
import { createSectionIndex } from './section-index.ts';
import { defineTool, pluralize, withinLimits } from './tool.ts';

const maxPages = 10;
const maxLineCharacters = 200;

export const findPages = defineTool({
  name: 'find_pages',
  description:
    'Finds the pages and sections about a topic, best first, with file and line. Tolerates typos. Use it when you do ' +
    'not know which file to read. Example: {"query": "rotate webhook signing secret"}.',
  input: z.object({
    query: z.string().trim().min(1).max(300).describe('A few words, for example: install on Linux.'),
  }),
  async run(context, { query }) {
    const { sections, corrected } = await findSections(context, query, maxPages);
    if (sections.length === 0) {
      return { text: 'No page has these words. Use other words, or outline to see all pages.' };
    }
    const note = corrected === null ? '' : ` for “${corrected}”`;
    const head = `${pluralize(sections.length, 'section')}${note}, best first. Read a file with read_file.`;
    return { text: [head, ...withinLimits(sections.flatMap(sectionLines))].join('\n') };
  },
});

export function findSections(context: ToolContext, query: string, limit: number) {
  return (context.sections ?? createSectionIndex()).find(context, query, limit);
}

export function sectionLines({ path, title, line, heading, excerpt }: FoundSection): string[] {
  const page = title === '' ? '' : ` (${title})`;
  const name = heading === '' ? title : `${heading}${page}`;
  return [
    clipLine(`${path}:${line} ${name}`.trimEnd(), maxLineCharacters),
    ...(excerpt ? [`${String(excerpt.line).padStart(5)}\t${clipLine(excerpt.text, maxLineCharacters)}`] : []),
  ];
}
