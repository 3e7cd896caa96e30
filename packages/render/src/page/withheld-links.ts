/** Removes from the Markdown of a page the addresses of pages that its readers may not see. */
import type { PageTask } from '../model/page.ts';
import type { SiteTools } from './site-tools.ts';

const link = /\[([^[\]\n]{0,500})\]\(<?([^()\s<>]{1,500})>?(?: "[^"\n]{0,200}")?\)/g;
const attribute =
  /\s?\b(?:href|url|to)=(?:"([^"\n]{1,500})"|'([^'\n]{1,500})'|\{["'`]([^"'`\n]{1,500})["'`]\})/g;
const definition = /^ {0,3}\[[^[\]\n]{1,500}\]: ?<?([^\s<>]{1,500})>?.{0,200}$/gm;

export function withoutWithheldLinks(
  markdown: string,
  { plan, links }: Pick<SiteTools, 'plan' | 'links'>,
  { file }: Pick<PageTask, 'file'>,
): string {
  if (plan.withheld.length === 0) return markdown;
  const isWithheld = (address = ''): boolean => links.resolve(address, file).kind === 'withheld';
  return markdown
    .replaceAll(link, (whole, text: string, address: string) => (isWithheld(address) ? text : whole))
    .replaceAll(definition, (whole, address: string) => (isWithheld(address) ? '' : whole))
    .replaceAll(attribute, (whole, ...values: unknown[]) => {
      const address = values.slice(0, 3).find((value) => typeof value === 'string');
      return isWithheld(address) ? '' : whole;
    });
}
