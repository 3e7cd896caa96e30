/** Reports the progress of an export to the server, with its last findings. */
import type { Diagnostic } from '@docyard/render';
import { maxRecentFindings } from './record.ts';
import type { Message, RecentFinding } from './messages.ts';

const everyMs = 100;

export class ExportProgress {
  readonly #send: (message: Message) => void;
  readonly #recentFindings: RecentFinding[] = [];
  #reportedAt = 0;
  pageCount = 0;
  totalPages: number | null = null;
  /** The site is rendered once for each audience; the pages of the first time are those of the bundle. */
  #renderings = 1;
  #finished = 0;
  #pages = 0;
  #pagesOfRendering = 1;

  constructor(send: (message: Message) => void) {
    this.#send = send;
  }

  report(phase: 'loading' | 'rendering' | 'packing', share: number): void {
    this.#reportedAt = Date.now();
    const { pageCount, totalPages } = this;
    this.#send({
      type: 'progress',
      phase,
      share,
      pageCount,
      totalPages,
      recentFindings: this.#recentFindings,
    });
  }

  /** For frequent calls. */
  reportSometimes(phase: 'rendering' | 'packing', share: number): void {
    if (Date.now() - this.#reportedAt >= everyMs) this.report(phase, share);
  }

  startRendering(pages: number, renderings: number): void {
    this.totalPages = pages;
    this.#pagesOfRendering = Math.max(1, pages);
    this.#renderings = renderings;
  }

  startNextRendering(pages: number): void {
    this.#finished += 1;
    this.#pages = 0;
    this.#pagesOfRendering = Math.max(1, pages);
  }

  addPage(): void {
    this.pageCount += 1;
    // The first page is reported without delay.
    if (this.pageCount === 1) this.report('rendering', this.#addRendered());
    else this.addSealedPage();
  }

  addSealedPage(): void {
    this.reportSometimes('rendering', this.#addRendered());
  }

  #addRendered(): number {
    this.#pages += 1;
    return (this.#finished + Math.min(1, this.#pages / this.#pagesOfRendering)) / this.#renderings;
  }

  addFinding({ severity, code, message, file, line }: Diagnostic): void {
    this.#recentFindings.push({
      severity,
      code,
      message: message.slice(0, 500),
      file: file.slice(0, 500),
      line: line ?? null,
    });
    if (this.#recentFindings.length <= maxRecentFindings) return;
    // Informational findings are dropped first.
    const info = this.#recentFindings.findIndex((finding) => finding.severity === 'info');
    this.#recentFindings.splice(Math.max(0, info), 1);
  }
}
