/** What the pages of one site are rendered with. */
import type { PictureSize, SitePlan } from '../model/site-plan.ts';
import type { Addresses } from '../navigation/addresses.ts';
import type { LinkResolver } from '../navigation/links.ts';
import type { Programs } from '../program/program.ts';
import type { CodeRunner } from '../realm/realm.ts';
import type { ModuleSources } from './module-sources.ts';

/** Built once per process from the plan. */
export interface SiteTools {
  plan: SitePlan;
  rendered: ReadonlySet<string>;
  addresses: Addresses;
  links: LinkResolver;
  sources: ModuleSources;
  programs: Programs;
  /** Runs code of pages; made when it is first needed. */
  realm: () => CodeRunner;
  /** For tests that hold ways of computing a page against each other: what replaces QuickJS, and whether it does all. */
  evaluation?: { skipStatic?: boolean; runner?: CodeRunner };
  /** Sizes of pictures that were looked at, by file. */
  pictureSizes: Map<string, PictureSize | undefined>;
}
