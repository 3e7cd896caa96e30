/**
 * Joins a preview to those who look at it: takes in what changed, one batch after another, and tells each open page
 * whether it is still what its reader sees. It knows nothing of HTTP and prints nothing.
 */
import { createHash } from 'node:crypto';
import type { Diagnostic, Preview, PreviewPage } from '@docyard/render';

/** What an open page is told. */
export interface PageState {
  /** Of the HTML as it is now; empty when there is no such page. */
  version: string;
  /** The site was loaded again, and navigation may be another. */
  reloaded: boolean;
  /** Stylesheets and pictures with new content. */
  files: string[];
  findings: Diagnostic[];
  /** Why the site is shown as it was, and not as it is in the folder. */
  problem: Diagnostic | null;
}

export interface Reader {
  /** Without leading slash. */
  address: string;
  tell: (state: PageState) => void;
}

/** What happened, for the terminal. */
export interface Edit {
  paths: string[];
  milliseconds: number;
  /** The site was loaded again. */
  reloaded: boolean;
  problem: Diagnostic | undefined;
  /** Of the pages that were edited, and of the site when it was loaded again. */
  appeared: Diagnostic[];
  solved: number;
}

const madeStylesheets = ['_docyard/site.css', '_docyard/katex/katex.css'];
/** Whoever edits more at once wants no list of what is wrong on each page. */
const mostPagesJudged = 5;
/** Findings of so many pages are remembered, to tell what is new. */
const mostPagesRemembered = 2000;

export class PreviewSession {
  readonly #preview: Preview;
  readonly #onEdit: (edit: Edit) => void;
  readonly #onFault: (error: unknown) => void;
  /** With the state of the stylesheets that each has loaded. */
  readonly #readers = new Map<Reader, number>();
  readonly #findings = new Map<string, Diagnostic[]>();
  #siteFindings: Diagnostic[];
  #waiting = new Set<string>();
  #busy = false;

  constructor(preview: Preview, onEdit: (edit: Edit) => void, onFault: (error: unknown) => void) {
    this.#preview = preview;
    this.#onEdit = onEdit;
    this.#onFault = onFault;
    this.#siteFindings = preview.site.diagnostics;
  }

  /** Answers how to leave. */
  join(reader: Reader): () => void {
    this.#readers.set(reader, this.#preview.styleChanges);
    void this.#tell(reader, { reloaded: false, files: [] }).catch(this.#onFault);
    return () => this.#readers.delete(reader);
  }

  /** The page, and a name for exactly this HTML. */
  async page(output: string): Promise<(PreviewPage & { version: string }) | undefined> {
    const page = await this.#preview.page(output);
    if (!page) return undefined;
    if (!this.#findings.has(page.file)) this.#remember(page);
    return { ...page, version: versionOf(page) };
  }

  async changed(paths: readonly string[]): Promise<void> {
    for (const path of paths) this.#waiting.add(path);
    if (this.#busy) return;
    this.#busy = true;
    try {
      while (this.#waiting.size > 0) {
        const batch = [...this.#waiting];
        this.#waiting = new Set();
        await this.#takeIn(batch).catch(this.#onFault);
      }
    } finally {
      this.#busy = false;
    }
  }

  async #takeIn(paths: string[]): Promise<void> {
    const began = performance.now();
    const change = await this.#preview.update(paths);
    const { reloaded } = change;
    await Promise.all([...this.#readers.keys()].map((reader) => this.#tell(reader, change)));
    const milliseconds = performance.now() - began;
    const { problem } = this.#preview;
    this.#onEdit({ paths, milliseconds, reloaded, problem, ...(await this.#judge(paths, reloaded)) });
  }

  async #tell(reader: Reader, { reloaded, files }: Pick<PageState, 'reloaded' | 'files'>): Promise<void> {
    const { address, tell } = reader;
    const output = this.#preview.findPage(address)?.output;
    const page = output === undefined ? undefined : await this.page(output);
    tell({
      version: page?.version ?? '',
      reloaded,
      /** Known once the page is rendered: it may use classes that no page used before. */
      files: [...files, ...this.#changedStyles(reader)],
      findings: page?.findings ?? [],
      problem: this.#preview.problem ?? null,
    });
  }

  /** The stylesheets that are made from what pages use. */
  #changedStyles(reader: Reader): string[] {
    const { styleChanges } = this.#preview;
    const isNew = styleChanges !== this.#readers.get(reader);
    if (this.#readers.has(reader)) this.#readers.set(reader, styleChanges);
    return isNew ? madeStylesheets : [];
  }

  /** Compares what was wrong with what is wrong now. */
  async #judge(paths: readonly string[], reloaded: boolean): Promise<Pick<Edit, 'appeared' | 'solved'>> {
    const before: Diagnostic[] = [];
    const after: Diagnostic[] = [];
    const edited = this.#preview.site.pages.filter(({ file }) => paths.includes(file));
    for (const { path, file } of edited.slice(0, mostPagesJudged)) {
      const page = await this.#preview.page(this.#preview.findPage(path)?.output ?? '');
      if (!page) continue;
      before.push(...(this.#findings.get(file) ?? []));
      after.push(...page.findings);
      this.#remember(page);
    }
    if (reloaded) {
      const judged = new Set(edited.map(({ file }) => file));
      const others = (all: readonly Diagnostic[]): Diagnostic[] =>
        all.filter(({ file }) => !judged.has(file));
      before.push(...others(this.#siteFindings));
      after.push(...others(this.#preview.site.diagnostics));
      this.#siteFindings = this.#preview.site.diagnostics;
    }
    const { isNewSince } = await import('@docyard/render/report');
    return {
      appeared: after.filter(isNewSince(before)),
      solved: before.filter(isNewSince(after)).length,
    };
  }

  #remember({ file, findings }: PreviewPage): void {
    this.#findings.set(file, findings);
    const [oldest] = this.#findings.keys();
    if (this.#findings.size > mostPagesRemembered && oldest !== undefined) this.#findings.delete(oldest);
  }
}

function versionOf({ html }: PreviewPage): string {
  return createHash('sha256').update(html).digest('base64url').slice(0, 16);
}
