/** Renders one page from its file to HTML, or an error panel. Failures of a page never affect other pages. */
import { join } from 'node:path';
import { type Document, readDocument } from '../document/document.ts';
import { CodeNotReadyError, Realm } from '../realm/realm.ts';
import { addressesFor } from '../navigation/addresses.ts';
import { createLinkResolver } from '../navigation/links.ts';
import { textOfHtml } from '../text/html.ts';
import { pageTerms } from '../search/page-terms.ts';
import { Programs } from '../program/program.ts';
import { failedPage } from '../page/failure.ts';
import { type PageDraft, encodedPage, finishedPage } from '../page/finished-page.ts';
import { pageMarkdown } from '../page/page-markdown.ts';
import { ModuleSources } from '../page/module-sources.ts';
import type { ParserName } from '../document/parser.ts';
import type { SiteTools } from '../page/site-tools.ts';
import { readSource } from '../source/source.ts';
import { DocumentRenderer } from '../page/renderer.ts';
import { withoutWithheldLinks } from '../page/withheld-links.ts';
import type * as ApiPages from '../api-pages/page.ts';
import type { PageResult, PageTask, UnreadPage } from '../model/page.ts';
import type { SitePlan } from '../model/site-plan.ts';

type ApiSurroundings = Omit<ApiPages.ApiPart, 'html'>;

export interface PageTools extends SiteTools {
  /** If false, a page whose code cannot run yet throws `CodeNotReadyError` while the realm starts. */
  waitsForCode: boolean;
  canRunCode: () => boolean;
}

/** Its thread serves one site after the other. */
const realm = new Realm();

export function siteTools(sent: SitePlan): PageTools {
  /** Usually everything is rendered, and one list serves both. */
  const isWhole = sent.rendered.length === sent.routes.length;
  const plan = isWhole ? { ...sent, rendered: sent.routes } : sent;
  const sources = new ModuleSources(plan.root, new Set(plan.files), plan);
  const tools: PageTools = {
    plan,
    rendered: new Set(plan.rendered),
    addresses: addressesFor(plan.urlStyle, plan.routes),
    links: createLinkResolver(plan),
    pictureSizes: sizesOf(plan),
    sources,
    programs: new Programs(sources),
    realm: () => {
      realm.start();
      if (!tools.waitsForCode && !realm.isReady) throw new CodeNotReadyError();
      return realm;
    },
    waitsForCode: true,
    canRunCode: () => realm.isReady,
  };
  return tools;
}

/** The size of downloaded pictures is known; those of the site are read when they are shown. */
function sizesOf({ pictures }: SitePlan): SiteTools['pictureSizes'] {
  const known = [...pictures.values()].flatMap((picture) => ('file' in picture ? [picture] : []));
  return new Map(known.map(({ file, size }) => [file, size]));
}

export function renderPage(tools: PageTools, task: PageTask, parser: ParserName): PageResult {
  return finishedPage(task, renderDraft(tools, task, parser));
}

export function renderWithoutFacts(tools: PageTools, task: PageTask, parser: ParserName): UnreadPage {
  return encodedPage(renderDraft(tools, task, parser));
}

function renderDraft(tools: SiteTools, task: PageTask, parser: ParserName): PageDraft {
  const renderer = new DocumentRenderer(tools, task, parser);
  try {
    const document = readPageDocument(tools, task, parser);
    const own = renderer.renderDocument(document);
    const part = task.api && apiPages?.apiPart(task.api, { plan: tools.plan, task, renderer });
    const { html, ...above } = part ?? { html: '', bar: '', connectSources: [] };
    const spec = task.api && apiPages?.specMarkdown(tools.plan, task.api);
    const markdown = [pageMarkdown(tools, task, document, parser, renderer.customCode), spec]
      .filter(Boolean)
      .join('\n\n');
    return {
      ...resultOf(tools, task, renderer, own + html),
      ...above,
      markdown: withoutWithheldLinks(markdown, tools, task),
    };
  } catch (error) {
    if (error instanceof CodeNotReadyError) throw error;
    return failedPage(task, error);
  }
}

let apiPages: typeof ApiPages | undefined;

/** Loaded on demand, because most sites have no API pages. */
export async function loadApiPages(): Promise<void> {
  apiPages ??= await import('../api-pages/page.ts');
}

function readPageDocument({ plan }: SiteTools, task: PageTask, parser: ParserName): Document {
  const { file, generated, content = '' } = task;
  const { root, variables, math } = plan;
  const bytes = generated ? Buffer.from(content) : readSource(join(root, file));
  return readDocument(bytes, { file, variables, math, parser });
}

function resultOf(
  tools: SiteTools,
  task: PageTask,
  renderer: DocumentRenderer,
  html: string,
): Omit<PageDraft, 'markdown' | keyof ApiSurroundings> {
  const description = task.description ? renderer.inlineMarkdown(task.description) : '';
  const { collector } = renderer;
  /** The banner is on every page; its findings are reported on the first one only. */
  const { banner, guestBanners } =
    task.id > 0
      ? collector.withoutFindings(() => bannersOf(tools, task, renderer))
      : bannersOf(tools, task, renderer);
  return {
    id: task.id,
    html,
    search:
      task.search &&
      pageTerms({ html, title: task.title, description: textOfHtml(description) }, task.search),
    aside: collector.besideHtml(),
    description,
    banner,
    ...(guestBanners && { guestBanners }),
    ...collector.result(),
    sourceFiles: renderer.sourceFiles,
    islands: renderer.islands.result(),
    tier: renderer.customCode.tier,
    failed: false,
  };
}

function bannersOf(
  { plan }: SiteTools,
  task: PageTask,
  renderer: DocumentRenderer,
): Pick<PageDraft, 'banner' | 'guestBanners'> {
  const html = (source: string): string => (source ? renderer.inlineMarkdown(source) : '');
  const banner = html(task.banner ?? plan.banner);
  if (!task.guestBanners) return { banner };
  return { banner, guestBanners: task.guestBanners.map(([language, content]) => [language, html(content)]) };
}
