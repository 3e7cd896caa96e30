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

  addPage(): void {
    this.pageCount += 1;
    const share = Math.min(1, this.pageCount / Math.max(1, this.totalPages ?? 1));
    // The first page is reported without delay.
    if (this.pageCount === 1) this.report('rendering', share);
    else this.reportSometimes('rendering', share);
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
