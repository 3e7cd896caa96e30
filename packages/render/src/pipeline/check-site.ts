import { type RenderOptions, renderSite } from './render-site.ts';
import type { PageTime } from '../check/output-check.ts';
import type { SiteReport } from '../check/report.ts';
import type { Site } from '../site/site.ts';

export interface CheckOptions extends RenderOptions {
  onPage?: (done: number, total: number) => void;
}

export async function checkSite(
  site: Site,
  { onPage, ...options }: CheckOptions = {},
): Promise<SiteReport & { slowest: PageTime[] }> {
  let pages = 0;
  let total = 0;
  for await (const event of renderSite(site, options)) {
    if (event.type === 'planned') total = event.pages;
    if (event.type === 'report') return { ...event.report, slowest: event.slowest };
    if (event.type === 'file' && event.file.kind === 'page') onPage?.(++pages, total);
  }
  throw new Error('the renderer ended without a report');
}
