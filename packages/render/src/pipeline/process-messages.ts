import type { ParserName } from '../document/parser.ts';
import type { PageResult, PageTask, UnreadPage } from '../model/page.ts';
import type { SitePlan } from '../model/site-plan.ts';

export type ToProcess =
  /**
   * Without `isOneOfMany` the parent extracts the facts of pages, because a single process has as much work
   * as its parent.
   */
  | { type: 'site'; plan: SitePlan; isOneOfMany?: boolean }
  | { type: 'changed'; files: string[] }
  | { type: 'pages'; tasks: PageTask[]; parser: ParserName };

export type FromProcess =
  /** The renderer's code is loaded. */
  { type: 'ready' } | { type: 'page'; result: UnreadPage | PageResult };
