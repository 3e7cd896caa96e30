/** Connects a preview with its open pages: applies changes in batches and sends each page its new state. */
import { createHash } from 'node:crypto';
import type { Diagnostic, Preview, PreviewPage } from '@docyard/render';

/** The state that is sent to an open page. */
export interface PageState {
  /** Version of the current HTML; empty when the page does not exist. */
  version: string;
  /** The site was reloaded, so the navigation may have changed. */
  reloaded: boolean;
  /** Stylesheets and images with new content. */
  files: string[];
  findings: Diagnostic[];
  /** Why the previous state of the site is shown. */
  problem: Diagnostic | null;
}

export interface Reader {
  /** Without leading slash. */
  address: string;
  send: (state: PageState) => void;
}

/** A summary of an edit for the terminal. */
export interface Edit {
  paths: string[];
  milliseconds: number;
  reloaded: boolean;
  problem: Diagnostic | undefined;
  /** Findings of the edited pages, and of the site when it was reloaded. */
  appeared: Diagnostic[];
  solved: number;
}

const generatedStylesheets = ['_docyard/site.css', '_docyard/katex/katex.css'];
/** Edits of more pages report no findings per page. */
const maxPagesCompared = 5;
/** Findings are cached to detect new ones. */
const maxCachedPages = 2000;

export class PreviewSession {
  readonly #preview: Preview;
  readonly #onEdit: (edit: Edit) => void;
  readonly #onFault: (error: unknown) => void;
  /** The version of the stylesheets that each reader has loaded. */
  readonly #readers = new Map<Reader, number>();
  readonly #findings = new Map<string, Diagnostic[]>();
  #siteFindings: Diagnostic[];
  #pending = new Set<string>();
  #busy = false;

  constructor(preview: Preview, onEdit: (edit: Edit) => void, onFault: (error: unknown) => void) {
    this.#preview = preview;
    this.#onEdit = onEdit;
    this.#onFault = onFault;
    this.#siteFindings = preview.site.diagnostics;
  }

  /** Returns a function that leaves the session. */
  join(reader: Reader): () => void {
    this.#readers.set(reader, this.#preview.styleChanges);
    void this.#send(reader, { reloaded: false, files: [] }).catch(this.#onFault);
    return () => this.#readers.delete(reader);
  }

  /** The page with a version of its HTML. */
  async page(output: string): Promise<(PreviewPage & { version: string }) | undefined> {
    const page = await this.#preview.page(output);
    if (!page) return undefined;
    if (!this.#findings.has(page.file)) this.#cacheFindings(page);
    return { ...page, version: versionOf(page) };
  }

  async changed(paths: readonly string[]): Promise<void> {
    for (const path of paths) this.#pending.add(path);
    if (this.#busy) return;
    this.#busy = true;
    try {
      while (this.#pending.size > 0) {
        const batch = [...this.#pending];
        this.#pending = new Set();
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
    await Promise.all([...this.#readers.keys()].map((reader) => this.#send(reader, change)));
    const milliseconds = performance.now() - began;
    const { problem } = this.#preview;
    this.#onEdit({
      paths,
      milliseconds,
      reloaded,
      problem,
      ...(await this.#compareFindings(paths, reloaded)),
    });
  }

  async #send(reader: Reader, { reloaded, files }: Pick<PageState, 'reloaded' | 'files'>): Promise<void> {
    const { address, send } = reader;
    const output = this.#preview.findPage(address)?.output;
    const page = output === undefined ? undefined : await this.page(output);
    send({
      version: page?.version ?? '',
      reloaded,
      /** Known only after rendering, because the page may use new classes. */
      files: [...files, ...this.#changedStyles(reader)],
      findings: page?.findings ?? [],
      problem: this.#preview.problem ?? null,
    });
  }

  /** Stylesheets that are generated from the pages. */
  #changedStyles(reader: Reader): string[] {
    const { styleChanges } = this.#preview;
    const isNew = styleChanges !== this.#readers.get(reader);
    if (this.#readers.has(reader)) this.#readers.set(reader, styleChanges);
    return isNew ? generatedStylesheets : [];
  }

  /** Compares the findings before and after the edit. */
  async #compareFindings(
    paths: readonly string[],
    reloaded: boolean,
  ): Promise<Pick<Edit, 'appeared' | 'solved'>> {
    const before: Diagnostic[] = [];
    const after: Diagnostic[] = [];
    const edited = this.#preview.site.pages.filter(({ file }) => paths.includes(file));
    for (const { path, file } of edited.slice(0, maxPagesCompared)) {
      const page = await this.#preview.page(this.#preview.findPage(path)?.output ?? '');
      if (!page) continue;
      before.push(...(this.#findings.get(file) ?? []));
      after.push(...page.findings);
      this.#cacheFindings(page);
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

  #cacheFindings({ file, findings }: PreviewPage): void {
    this.#findings.set(file, findings);
    const [oldest] = this.#findings.keys();
    if (this.#findings.size > maxCachedPages && oldest !== undefined) this.#findings.delete(oldest);
  }
}

function versionOf({ html }: PreviewPage): string {
  return createHash('sha256').update(html).digest('base64url').slice(0, 16);
}
