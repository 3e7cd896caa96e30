/** Which facts of the repository a site shows, and where. */
import type { PageMeta } from '../model/page-source.ts';
import type { SourceFacts } from '../model/source-facts.ts';
import type { Site } from './site.ts';

type Settings = Pick<Site['settings'], 'timestamp' | 'feedback'>;

/** Reading the history of a repository is slow, so callers ask first. */
export function needsSourceFacts({ settings, metas }: Pick<Site, 'settings' | 'metas'>): boolean {
  if (settings.feedback.suggestEdit || settings.feedback.raiseIssue) return true;
  return [...metas.values()].some((meta) => showsDate(settings, meta) && meta.lastUpdated === undefined);
}

/** The day that a page shows: that of its front matter, otherwise of the last commit that changed its file. */
export function shownDay(settings: Settings, meta: PageMeta, facts?: SourceFacts): string | undefined {
  return showsDate(settings, meta) ? (meta.lastUpdated ?? facts?.changedOn.get(meta.file)) : undefined;
}

/** The day for machines, which also read a day of the front matter that the page does not show. */
export function modifiedDay(settings: Settings, meta: PageMeta, facts?: SourceFacts): string | undefined {
  return meta.lastUpdated ?? shownDay(settings, meta, facts);
}

function showsDate(settings: Settings, meta: PageMeta): boolean {
  return meta.timestamp ?? settings.timestamp;
}
