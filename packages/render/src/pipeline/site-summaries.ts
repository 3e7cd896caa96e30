import type { FinishedPage } from '../model/finished-page.ts';
import type { PageFeature } from '../model/page.ts';
import { FullText } from '../outputs/full-text.ts';
import type { OutputPage } from '../outputs/contract.ts';
import { fullTextSection } from '../outputs/llms.ts';
import { markdownPath } from '../outputs/page-markdown.ts';
import { PrintPages } from '../outputs/print-pages.ts';
import { type SearchBuilder, searchBuilder } from '../search/search-builder.ts';
import { type RunEvent, diagnostic, seen, text } from './events.ts';
import type { SiteBuild } from './site-build.ts';

export class SiteSummaries {
  readonly assets: Set<string>;
  /** Classes of inline styles, with their declarations. */
  readonly styles = new Map<string, string>();
  /** Classes that authors wrote. */
  readonly classes = new Set<string>();
  readonly mathStyles = new Map<string, string>();
  readonly features = new Set<PageFeature>();
  readonly print: PrintPages;
  readonly fullText: FullText;
  readonly search: SearchBuilder;
  readonly #build: SiteBuild;
  readonly #facts = new Map<string, OutputPage>();

  constructor(build: SiteBuild) {
    const { site, plan, addresses, aside, searched, pictures } = build;
    this.#build = build;
    this.assets = new Set(pictures.files);
    this.print = new PrintPages(site, plan, addresses, aside);
    this.fullText = new FullText(aside);
    this.search = searchBuilder(searched);
  }

  get pages(): OutputPage[] {
    return this.#build.plan.rendered.flatMap((route) => this.#facts.get(route) ?? []);
  }

  *add(page: FinishedPage): Generator<RunEvent> {
    const { task, summary, html } = page;
    const { check, composer, plan } = this.#build;
    for (const file of summary.assets) this.assets.add(file);
    for (const [name, declarations] of summary.styles) this.styles.set(name, declarations);
    for (const name of summary.classes) this.classes.add(name);
    for (const [name, declarations] of summary.mathStyles) this.mathStyles.set(name, declarations);
    for (const feature of summary.features) this.features.add(feature);
    check.addPage(task, summary.check, page.milliseconds);
    composer.addPage(task, summary);
    yield seen({ path: task.output, content: html, kind: 'page' });
    // A page that is also shown at the root counts once.
    if (task.id < plan.rendered.length) yield* this.#addShown(page);
  }

  *#addShown({ task, html, markdown, summary }: FinishedPage): Generator<RunEvent> {
    const { site, composer } = this.#build;
    const { places, lead } = summary;
    for (const item of summary.diagnostics) yield diagnostic(item);
    const facts = factsOf(task, summary);
    this.#facts.set(task.route, facts);
    this.print.add(task, summary.features, () => {
      const bytes = html.read();
      return { lead, html: bytes.subarray(...places.html), aside: bytes.subarray(...places.aside) };
    });
    yield seen({ path: markdownPath(task.route), content: markdown, kind: 'output' });
    if (this.fullText.hasRoomAt(task.id)) {
      const body = markdown.read().subarray(...places.markdown);
      const section = fullTextSection(site, composer.publicAddresses, facts, body);
      if (section) this.fullText.add(task.id, section);
    }
    for (const { path, content } of this.search.add(task.route, summary.search))
      yield text(path, content, 'output');
  }
}

function factsOf(
  { route, output, title }: FinishedPage['task'],
  { description, summary, updates, failed }: FinishedPage['summary'],
): OutputPage {
  return { route, output, title, description, summary, updates, failed };
}
