/** The navigation and the API operations of a release, as its export lists them. */
import { z } from 'zod';
import type { ServedSite } from '../serving/served-site.ts';

export interface IndexedPage {
  title: string;
  path: string;
}

export interface IndexedSection {
  title: string;
  entries: IndexedEntry[];
}

export type IndexedEntry = IndexedPage | IndexedSection;

const Page = z.object({ title: z.string(), path: z.string() });
const Section: z.ZodType<IndexedSection> = z.object({
  title: z.string(),
  get entries() {
    return z.array(z.union([Section, Page]));
  },
});
const Operation = Page.extend({
  kind: z.enum(['operation', 'webhook', 'channel']),
  method: z.string(),
  target: z.string(),
});
const SiteIndex = z.object({
  format: z.literal(1),
  name: z.string(),
  description: z.string(),
  instructions: z.array(z.string()),
  navigation: z.array(z.union([Section, Page])),
  operations: z.array(Operation),
});

export type IndexedOperation = z.output<typeof Operation>;
export type SiteIndex = z.output<typeof SiteIndex>;

const known = new WeakMap<ServedSite, Promise<SiteIndex | undefined>>();

/** Undefined for a release that was exported without an index. */
export function siteIndexOf(site: ServedSite): Promise<SiteIndex | undefined> {
  const index = known.get(site) ?? readIndex(site);
  known.set(site, index);
  return index;
}

async function readIndex(site: ServedSite): Promise<SiteIndex | undefined> {
  const text = await site.readText('_docyard/site.json');
  if (text === undefined) return undefined;
  try {
    return SiteIndex.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
