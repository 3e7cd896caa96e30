/** A process that builds only the search index of a rendered site and reports its processor time. */
import { existsSync, readFileSync } from 'node:fs';
import { indexFiles, type TestPage } from '../packages/render/test/support/memory-search.ts';
import { filesBelow } from './plain-files.ts';

export interface IndexCost {
  /** Processor time. */
  seconds: number;
  files: number;
  bytes: number;
}

const [site = ''] = process.argv.slice(2);
// Print documents repeat all pages and are not indexed.
const pages = filesBelow(site)
  .filter((file) => file.endsWith('.html') && existsSync(file.replace(/html$/, 'md')))
  .flatMap((file) => pageOf(readFileSync(file, 'utf8')));
const before = process.cpuUsage();
const files = [...indexFiles(pages).values()];
const { user, system } = process.cpuUsage(before);
const bytes = files.reduce((sum, content) => sum + content.length, 0);
const cost: IndexCost = { seconds: (user + system) / 1e6, files: files.length, bytes };
process.send?.(cost, () => process.disconnect());

function pageOf(html: string): TestPage[] {
  const [, title = ''] = /<title>([^<]*)/.exec(html) ?? [];
  const begin = html.search(/<div [^>]*class="dy-content /);
  return begin < 0 ? [] : [{ title, html: html.slice(begin, html.indexOf('</main>', begin)) }];
}
