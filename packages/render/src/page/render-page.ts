/**
 * One page from its file to its HTML: read the document, render it, or show an error panel in its place.
 * Whatever goes wrong on a page stays on that page.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Document, DocumentError, readDocument } from './document.ts';
import { addressesFor } from '../navigation/addresses.ts';
import { createLinkResolver } from '../navigation/links.ts';
import { errorPanel, hintFor } from './error-panel.ts';
import { ModuleSources } from './modules.ts';
import type { ParserName } from './parser.ts';
import { PageRenderer, type SiteTools } from './renderer.ts';
import type { PageResult, PageTask, SitePlan } from './task.ts';

export function siteTools(plan: SitePlan): SiteTools {
  return {
    plan,
    rendered: new Set(plan.rendered),
    addresses: addressesFor(plan.urlStyle, new Set(plan.routes)),
    links: createLinkResolver(plan),
    sources: new ModuleSources(plan.root, new Set(plan.files), plan.variables),
  };
}

export function renderPage(tools: SiteTools, task: PageTask, parser: ParserName): PageResult {
  const renderer = new PageRenderer(tools, task, parser);
  try {
    const html = renderer.renderDocument(readPage(tools, task, parser));
    return resultOf(tools, task, renderer, html);
  } catch (error) {
    return failedPage(task, error);
  }
}

function readPage(tools: SiteTools, task: PageTask, parser: ParserName): Document {
  const bytes = readFileSync(join(tools.plan.root, task.file));
  return readDocument(bytes, { file: task.file, variables: tools.plan.variables, parser });
}

function resultOf(tools: SiteTools, task: PageTask, renderer: PageRenderer, html: string): PageResult {
  return {
    id: task.id,
    html,
    description: task.description ? renderer.inlineMarkdown(task.description) : '',
    banner: tools.plan.banner ? renderer.inlineMarkdown(tools.plan.banner) : '',
    headings: renderer.headings,
    styles: [...renderer.styles],
    assets: [...renderer.assets],
    diagnostics: renderer.diagnostics,
    failed: false,
  };
}

/** The result for a page that cannot be rendered; also used by the supervisor when a page ends its process. */
export function failedPage(task: PageTask, error: unknown): PageResult {
  const known = error instanceof DocumentError ? error : undefined;
  const code = known?.code ?? 'page_failed';
  const message = error instanceof Error ? error.message : String(error);
  const failure = {
    code,
    message,
    file: known?.place?.file ?? task.file,
    line: known?.place?.line,
    excerpt: known?.excerpt ?? [],
    excerptStart: known?.excerptStart ?? 1,
  };
  return {
    id: task.id,
    html: errorPanel(failure),
    description: '',
    banner: '',
    headings: [],
    styles: [],
    assets: [],
    diagnostics: [
      {
        severity: 'error',
        code,
        message,
        file: failure.file,
        ...(known?.place ? { line: known.place.line, column: known.place.column } : {}),
        hint: hintFor(code),
      },
    ],
    failed: true,
  };
}
