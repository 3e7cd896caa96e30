/** The messages between the process that writes a site and those that render its pages. */
import type { ParserName } from '../document/parser.ts';
import type { PageResult, PageTask, UnreadPage } from '../model/page.ts';
import type { SitePlan } from '../model/site-plan.ts';

export type ToProcess =
  /** Without `isOneOfMany` the parent reads the pages: a single process then has about as much to do as its parent. */
  | { type: 'site'; plan: SitePlan; isOneOfMany?: boolean }
  /** These files have other content than before. */
  | { type: 'changed'; files: string[] }
  | { type: 'pages'; tasks: PageTask[]; parser: ParserName };

export type FromProcess =
  /** Its code is loaded. */
  { type: 'ready' } | { type: 'page'; result: UnreadPage | PageResult };
