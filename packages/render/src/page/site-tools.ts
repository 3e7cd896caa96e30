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
  /** Created at first use. */
  realm: () => CodeRunner;
  /** For tests that compare evaluation strategies: replaces QuickJS, or bypasses the static evaluator. */
  evaluation?: { skipStatic?: boolean; runner?: CodeRunner };
  pictureSizes: Map<string, PictureSize | undefined>;
}
