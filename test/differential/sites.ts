/** Renders pages of a site statically, with QuickJS and with V8. */
import { loadSite } from '../../packages/render/src/pipeline/load.ts';
import { Realm } from '../../packages/render/src/realm/realm.ts';
import {
  type PageTools,
  loadApiPages,
  renderPage,
  siteTools,
} from '../../packages/render/src/pipeline/render-page.ts';
import type { PageResult, PageTier } from '../../packages/render/src/model/page.ts';
import { planSite, planTasks } from '../../packages/render/src/pipeline/site-plan.ts';
import { V8Runner } from './v8-runner.ts';

export interface ComparedSite {
  tiers: Record<PageTier, number>;
  /** Pages whose code the static evaluator accepted completely. */
  compared: number;
  differences: { page: string; engine: string }[];
}

export async function compareSite(root: string, onPage?: () => void): Promise<ComparedSite> {
  const site = await loadSite({ root });
  const plan = planSite(site, {});
  const tools = siteTools(plan);
  const realm = new Realm();
  const engines: Record<string, PageTools> = {
    QuickJS: { ...tools, evaluation: { skipStatic: true, runner: realm } },
    V8: { ...tools, evaluation: { skipStatic: true, runner: new V8Runner() } },
  };
  await loadApiPages();
  const result: ComparedSite = {
    tiers: { none: 0, static: 0, run: 0, refused: 0 },
    compared: 0,
    differences: [],
  };
  for (const task of planTasks(site, plan, new Map())) {
    const page = renderPage(tools, task, 'fast');
    result.tiers[page.tier ?? 'none'] += 1;
    onPage?.();
    if (page.tier !== 'static') continue;
    result.compared += 1;
    for (const [engine, given] of Object.entries(engines))
      if (contentOf(renderPage(given, task, 'fast')) !== contentOf(page))
        result.differences.push({ page: task.route, engine });
  }
  realm.close();
  return result;
}

function contentOf({ html, aside, markdown, headings }: PageResult): string {
  return [html, aside, markdown, JSON.stringify(headings)].join('\n');
}
