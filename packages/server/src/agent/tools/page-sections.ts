/** Divides the source of a page into its front matter and the sections below its headings. */
import { linesOf } from './files.ts';

export interface PageSections {
  /** The lines between the marks. */
  frontMatter: string[];
  /** The first one is the text above all headings. */
  sections: PageSection[];
}

export interface PageSection {
  /** The line of the heading, from 1. */
  line: number;
  /** From 1 to 6; 0 without a heading. */
  level: number;
  /** As written, with Markdown. */
  title: string;
  /** Of the heading, if the author chose it. */
  id?: string;
  /** Without code blocks. */
  text: string;
}

export function pageSections(source: string): PageSections {
  const lines = linesOf(source);
  const frontMatter = frontMatterOf(lines);
  const start = frontMatter.length === 0 ? 0 : frontMatter.length + 2;
  let section: PageSection = { line: start + 1, level: 0, title: '', text: '' };
  const sections = [section];
  let fence = '';
  for (const [index, line] of lines.entries()) {
    if (index < start) continue;
    const [, mark = ''] = /^[ \t>]{0,20}(`{3,}|~{3,})/.exec(line) ?? [];
    if (fence !== '') {
      if (mark.startsWith(fence) && line.trim().replaceAll(/[`~>\s]/g, '') === '') fence = '';
    } else if (mark !== '') fence = mark;
    else {
      const heading = headingOf(line);
      if (heading) sections.push((section = { line: index + 1, ...heading, text: '' }));
      else section.text += `${line}\n`;
    }
  }
  return { frontMatter, sections };
}

function frontMatterOf(lines: readonly string[]): string[] {
  if (lines[0]?.trim() !== '---') return [];
  const end = lines.findIndex((line, index) => index > 0 && line.trim() === '---');
  return end === -1 ? [] : lines.slice(1, end);
}

function headingOf(line: string): { level: number; title: string; id?: string } | undefined {
  const [, marks, title = ''] = /^(#{1,6})[ \t]+(\S.{0,500})/.exec(line) ?? [];
  if (marks === undefined) return undefined;
  const [, id] = /\{#([\w-]{1,100})\}\s*$/.exec(title) ?? [];
  const words = title.replace(/\{#[^}]{1,100}\}\s*$/, '').trim();
  return { level: marks.length, title: words, ...(id === undefined ? {} : { id }) };
}
