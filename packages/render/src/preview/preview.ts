/**
 * A site that is being edited: pages are rendered on request and cached until one of their sources changes.
 * The caller watches the folder and serves requests.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { realPathInside } from '../config/read-inside.ts';
import { picturesOfFrame } from '../theme/configured-pictures.ts';
import { remoteFonts } from '../theme/fonts.ts';
import { siteFileReader, withInlineMasks } from '../assets/inline-masks.ts';
import { prepareStylesheet, remotePicturesOf } from '../assets/references.ts';
import { RemoteFonts } from '../assets/remote-fonts.ts';
import type { FetchRemoteFile } from '../assets/remote-hosts.ts';
import { type FetchPicture, RemotePictures } from '../assets/remote-pictures.ts';
import { type Diagnostic, SiteLoadError } from '../model/diagnostic.ts';
import { decodedText, encodedPieces } from '../text/encoded-text.ts';
import { textOfHtml } from '../text/html.ts';
import { notFoundOutput } from '../outputs/not-found.ts';
import { markdownFile } from '../outputs/page-markdown.ts';
import { redirectOutputs } from '../outputs/redirects.ts';
import { LiveProcess } from '../pipeline/live-process.ts';
import type { PageResult, PageTask } from '../model/page.ts';
import type { RenderOptions } from '../pipeline/site-plan.ts';
import { type PreviewPage, previewPage } from './preview-page.ts';
import { ReloadableSite, isConfiguration } from './reloadable-site.ts';
import { PreviewSearch } from './search.ts';
import { SharedStyles } from './shared-styles.ts';
import { type View, outputContext, outputOfMarkdown, viewOf } from './view.ts';
import { isOfWholeSite, wholeSiteFiles } from './whole-site.ts';
import type { LoadOptions, Site } from '../site/site.ts';

export interface PreviewOptions extends Pick<LoadOptions, 'root' | 'fetchRemote'> {
  groups?: string[];
  /** Downloads pictures of other hosts when a page that shows them is requested. */
  fetchPicture?: FetchPicture;
  /** Downloads fonts of other hosts when the site is loaded. */
  fetchFont?: FetchRemoteFile;
}

export interface PreviewChange {
  /** Navigation, settings or the list of pages may have changed. */
  reloaded: boolean;
  /** Addresses of changed files that pages load: stylesheets, pictures. */
  files: string[];
}

interface KeptPage {
  task: PageTask;
  result: Promise<PageResult>;
  /** Set when rendering has finished. */
  done?: PageResult;
  shown?: { view: View; page: Promise<PreviewPage> };
}

const maxKeptPages = 200;

export class Preview {
  readonly #renderOptions: RenderOptions;
  readonly #source: ReloadableSite;
  readonly #process = new LiveProcess();
  readonly #pages = new Map<string, KeptPage>();
  readonly #search = new PreviewSearch();
  readonly #remote: RemotePictures;
  readonly #remoteFonts: RemoteFonts;
  /** Downloaded pictures and fonts of other hosts. Failed downloads are retried by the next preview. */
  readonly #fetched = new Map<string, Uint8Array>();
  #view: View | undefined;
  #closed = false;
  #problem: Diagnostic | undefined;
  readonly #styles = new SharedStyles();
  #whole: Promise<Map<string, Uint8Array>> | undefined;

  private constructor(options: PreviewOptions) {
    this.#renderOptions = { groups: options.groups ?? [] };
    this.#source = new ReloadableSite(options);
    this.#remote = new RemotePictures(options.fetchPicture);
    this.#remoteFonts = new RemoteFonts(options.fetchFont);
  }

  /** Throws a SiteLoadError when there is nothing to show. */
  static async open(options: PreviewOptions): Promise<Preview> {
    const preview = new Preview(options);
    try {
      await preview.#load();
    } catch (error) {
      preview.close();
      throw error;
    }
    return preview;
  }

  get site(): Site {
    return this.#current.site;
  }

  /** Why the folder cannot be loaded now; the preview shows the last valid state. */
  get problem(): Diagnostic | undefined {
    return this.#problem;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Increments whenever a generated stylesheet may have changed. */
  get styleChanges(): number {
    return this.#styles.changes;
  }

  /**
   * The page of an address without leading slash: `guides/start.html`, `guides/start`, or an empty string for
   * the first page.
   */
  findPage(address: string): { output: string; isExact: boolean } | undefined {
    const { tasks } = this.#current;
    const choices = [address, `${address}.html`, `${address.replace(/\/$/, '')}/index.html`, 'index.html'];
    const output = choices.slice(0, address === '' ? 4 : 3).find((choice) => tasks.has(choice));
    if (output === undefined) return undefined;
    /** Otherwise the page's relative links would resolve wrongly. */
    const sameFolder = output.lastIndexOf('/') === address.lastIndexOf('/');
    return { output, isExact: sameFolder };
  }

  async page(output: string): Promise<PreviewPage | undefined> {
    const view = this.#current;
    const task = view.tasks.get(output);
    if (!task) return undefined;
    const kept = this.#rendered(task);
    const result = await kept.result;
    /** The site was reloaded meanwhile, so the page may be outdated. */
    if (view !== this.#view) return this.page(output);
    if (kept.shown?.view !== view) kept.shown = { view, page: previewPage(view, task, result) };
    return kept.shown.page;
  }

  /** Site files other than pages: text, bytes, or the path to copy from. */
  async file(path: string): Promise<string | Uint8Array | { copyFrom: string } | undefined> {
    const view = this.#current;
    if (path.startsWith('_docyard/search/')) return (await this.#search.files(() => this.#current)).get(path);
    const fetched = this.#fetched.get(path);
    if (fetched) return fetched;
    if (path.startsWith('_docyard/nav/'))
      return view.composer.navigationFiles().find((file) => file.path === path)?.content;
    const script = view.composer.islandScripts.file(path);
    if (script !== undefined) return script;
    const custom = view.customScripts.files().find((file) => file.path === path);
    if (custom) return custom.content;
    if (isOfWholeSite(path) && !view.files.has(path)) return (await this.#wholeSite()).get(path);
    const shared = path.startsWith('_docyard/') ? await this.#styles.file(path, view) : undefined;
    if (shared !== undefined) return shared;
    if (view.site.files.stylesheets.includes(path)) return this.#stylesheet(path);
    const page = path.endsWith('.md') ? view.tasks.get(outputOfMarkdown(view, path)) : undefined;
    if (page) return this.#markdown(page);
    return this.#isServed(path) && (await isInside(view.site.root, path))
      ? { copyFrom: join(view.site.root, path) }
      : this.#redirect(path);
  }

  notFound(): string {
    for (const item of notFoundOutput(outputContext(this.#current)))
      if ('content' in item) return String(item.content);
    return '';
  }

  /** `changed` are paths of files and folders relative to the root. */
  async update(changed: readonly string[]): Promise<PreviewChange> {
    const before = this.#current;
    const isStale = staleTest(changed);
    const files = changed.filter((path) => before.files.has(path));
    this.#process.invalidate([...files]);
    const reload = (await this.#source.applyChanges(changed)) || this.#problem !== undefined;
    if (reload) await this.#reload();
    const view = this.#current;
    for (const [output, kept] of this.#pages) {
      const { task, done } = kept;
      const isSame = view.plan === before.plan && isDeepStrictEqual(view.tasks.get(output), task);
      const isUntouched = done?.sourceFiles && ![...done.sourceFiles, ...done.assets].some(isStale);
      if (!isSame || !isUntouched) this.#pages.delete(output);
      /** A cached document would keep the old site in memory. */
      else if (view !== before) delete kept.shown;
    }
    this.#search.invalidate(isStale);
    if (view !== before) this.#styles.compare(before, view);
    this.#whole = undefined;
    return { reloaded: view !== before, files: files.filter((path) => this.#isServed(path)) };
  }

  async readAll(): Promise<Diagnostic[]> {
    await this.#search.files(() => this.#current);
    const { findings } = this.#current.customScripts;
    return [...this.site.diagnostics, ...findings, ...this.#search.findings()];
  }

  close(): void {
    this.#closed = true;
    this.#search.close();
    this.#process.close();
  }

  get #current(): View {
    if (!this.#view) throw new Error('the preview is not open');
    return this.#view;
  }

  #rendered(task: PageTask): KeptPage {
    const known = this.#pages.get(task.output);
    if (known) {
      /** Moves the page to the end: the least recently used ones are evicted first. */
      this.#pages.delete(task.output);
      this.#pages.set(task.output, known);
      return known;
    }
    const kept: KeptPage = { task, result: this.#render(task) };
    void kept.result.then((result) => this.#noteResult(kept, result));
    this.#pages.set(task.output, kept);
    const [oldest] = this.#pages.keys();
    if (this.#pages.size > maxKeptPages && oldest !== undefined) this.#pages.delete(oldest);
    return kept;
  }

  async #render(task: PageTask): Promise<PageResult> {
    const result = await this.#process.render(task);
    if (result.wantedPictures === undefined) return result;
    await this.#bringHome(result.wantedPictures);
    /** The process has a copy of the plan without the new pictures. */
    this.#process.usePlan(this.#current.plan);
    return this.#process.render(task);
  }

  async #bringHome(addresses: readonly string[]): Promise<void> {
    for await (const { path, content } of this.#remote.settle(addresses)) this.#fetched.set(path, content);
  }

  #noteResult(kept: KeptPage, result: PageResult): void {
    kept.done = result;
    this.#styles.addPage(result);
    if (this.#pages.get(kept.task.output) === kept) this.#search.addPage(kept.task, result);
  }

  async #reload(): Promise<void> {
    try {
      await this.#load();
      this.#problem = undefined;
    } catch (error) {
      if (!(error instanceof SiteLoadError)) throw error;
      this.#problem = error.diagnostic;
    }
  }

  async #load(): Promise<void> {
    const site = await this.#source.load();
    const before = this.#view;
    const [fonts] = await Promise.all([
      this.#remoteFonts.settle(remoteFonts(site)),
      this.#bringHome(picturesOfFrame(site)),
    ]);
    for (const { path, content } of fonts) this.#fetched.set(path, content);
    const remote = { pictures: this.#remote, fonts: this.#remoteFonts };
    const view = viewOf(site, this.#renderOptions, remote, before);
    if (view.plan !== before?.plan) this.#process.usePlan(view.plan);
    this.#view = view;
  }

  #wholeSite(): Promise<Map<string, Uint8Array>> {
    this.#whole ??= wholeSiteFiles(this.site, this.#renderOptions);
    return this.#whole;
  }

  async #stylesheet(file: string): Promise<string | undefined> {
    const { site, links, files } = this.#current;
    if (!(await isInside(site.root, file))) return undefined;
    const css = await readFile(join(site.root, file), 'utf8');
    await this.#bringHome(remotePicturesOf(css));
    return withInlineMasks(prepareStylesheet(css, file, links).css, file, siteFileReader(site.root, files));
  }

  async #markdown(task: PageTask): Promise<string> {
    const { description, failed, markdown } = await this.#rendered(task).result;
    const { route, title } = task;
    const page = { route, title, description: textOfHtml(description), failed };
    return decodedText(encodedPieces(markdownFile(page, markdown).pieces));
  }

  /** A preview cannot know which files pages use, but it knows which are never copied. */
  #isServed(path: string): boolean {
    return this.#current.files.has(path) && !/\.(?:mdx|jsx|tsx)$/.test(path) && !isConfiguration(path);
  }

  #redirect(path: string): string | undefined {
    for (const item of redirectOutputs(outputContext(this.#current)))
      if ('content' in item && (item.path === path || item.path === `${path}.html`))
        return String(item.content);
    return undefined;
  }
}

function staleTest(changed: readonly string[]): (file: string) => boolean {
  const files = new Set(changed);
  return (file) => {
    for (let at = file.length; at > 0; at = file.lastIndexOf('/', at - 1))
      if (files.has(file.slice(0, at))) return true;
    return false;
  };
}

/** Security: a listed file may have been replaced by a link to another place. */
async function isInside(root: string, file: string): Promise<boolean> {
  return (await realPathInside(root, join(root, file))) !== undefined;
}
