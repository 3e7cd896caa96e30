/** The forms in which a quality report leaves the command line for other programs: shared by `check` and `report`. */
import type { SiteReport } from '@docyard/render';

export const reportForms = ['json', 'sarif', 'junit', 'html', 'markdown'] as const;
export type ReportForm = (typeof reportForms)[number];

export interface FormOptions {
  title: string;
  /** What JUnit calls a failure. */
  failOn: readonly string[];
}

export async function formReport(
  report: SiteReport,
  form: ReportForm,
  { title, failOn }: FormOptions,
): Promise<string> {
  const render = await import('@docyard/render/report');
  switch (form) {
    case 'json':
      return render.reportJson(report);
    case 'sarif':
      return render.reportSarif(report, render.engineVersion);
    case 'junit':
      return render.reportJunit(report, failOn);
    case 'html':
      return render.reportHtml(report, title);
    case 'markdown':
      return render.reportMarkdown(report);
  }
}
